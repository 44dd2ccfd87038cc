"""Members of other packages: found by their entry points, refused in words."""

import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest

from budgeted.errors import EngineError, LearnerError, PolicyError
from budgeted.learners import LEARNERS, NaiveBayes, learner
from budgeted.policies import POLICIES, policy
from budgeted.policies.base import check_kind
from budgeted.policies.round_robin import RoundRobin
from budgeted.registry import Registry
from budgeted.value.loss import GINI, LOSSES, Loss, named

MODULE = """
from dataclasses import dataclass
from budgeted.policies.round_robin import RoundRobin

@dataclass(frozen=True)
class Thrifty(RoundRobin):
    name = "thrifty"
    summary = "as round robin"

@dataclass(frozen=True)
class Other(RoundRobin):
    name = "not what was said"

class Plain:
    name = "plain"
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a package with entry points where Python finds it, as an installer does."""

    def installed(entries, package="plugin", module=MODULE):
        (tmp_path / f"{package}_code.py").write_text(module)
        about = tmp_path / f"{package}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = "\n".join(f"{name} = {value}" for name, value in entries)
        (about / "entry_points.txt").write_text(f"[a.group]\n{lines}\n")

    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield installed
    for name in set(sys.modules) - before:
        if name.endswith("_code"):
            del sys.modules[name]


def kinds():
    return Registry("policy", PolicyError, {"round-robin": RoundRobin}, check_kind, "a.group")


def test_entry_points_are_members_and_are_imported_when_asked_for(install):
    install([("thrifty", "plugin_code:Thrifty")])
    found = kinds()
    assert list(found) == ["round-robin", "thrifty"]
    assert len(found) == 2
    assert "plugin_code" not in sys.modules, "names are known without importing anything"
    assert found["thrifty"].name == "thrifty"
    assert found["thrifty"] is found.find("thrifty")
    assert list(found) == ["round-robin", "thrifty"]
    with pytest.raises(PolicyError, match=r"did you mean 'thrifty'\? There are round-robin, thr"):
        found.find("Thrifti")
    with pytest.raises(KeyError):
        found["thirfty"]


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (("gone", "no_such_code:Thrifty"), "of plugin .* cannot be imported: ModuleNotFoundError"),
        (("gone", "plugin_code:Nobody"), "of plugin .* cannot be imported: AttributeError"),
        (("other", "plugin_code:Other"), "what is there calls itself 'not what was said'"),
        (
            ("plain", "plugin_code:Plain"),
            r"'plain': must be a dataclass.*\(plugin \(plugin_code:Pl",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_in_words_and_left_out_of_lists(install, entry, says):
    install([entry, ("thrifty", "plugin_code:Thrifty")])
    found = kinds()
    with pytest.raises(PolicyError, match=says):
        found[entry[0]]
    with pytest.warns(UserWarning, match=says):
        assert list(found.available()) == ["round-robin", "thrifty"]


def test_no_package_replaces_ours(install):
    install([("round-robin", "plugin_code:Thrifty"), ("thrifty", "plugin_code:Thrifty")])
    found = kinds()
    with pytest.warns(UserWarning, match=r"plugin .* names a policy 'round-robin', and there is"):
        assert list(found) == ["round-robin", "thrifty"]
    assert found["round-robin"] is RoundRobin
    assert found["thrifty"].name == "thrifty", "the others can be used"


def test_members_are_registered_once():
    found = kinds()

    @dataclass(frozen=True)
    class Mine(RoundRobin):
        name: ClassVar[str] = "mine"

    assert found.register(Mine) is Mine
    assert found.register(Mine) is Mine, "the same again"
    assert found["mine"] is Mine

    @dataclass(frozen=True)
    class Another(RoundRobin):
        name: ClassVar[str] = "mine"

    with pytest.raises(PolicyError, match="there is a policy 'mine' already; rename yours"):
        found.register(Another)
    with pytest.raises(PolicyError, match="there is a policy 'round-robin' already"):
        found.register(dataclass(frozen=True)(type("Copy", (RoundRobin,), {})))
    with pytest.raises(PolicyError, match="a policy must have a name"):
        found.register(type("Nameless", (), {}))
    with pytest.raises(PolicyError, match="must have a summary"):
        found.register(dataclass(type("Mute", (), {"name": "mute", "choose": RoundRobin.choose})))
    with pytest.raises(PolicyError, match="must have choose"):
        found.register(dataclass(type("Idle", (), {"name": "idle"})))


@pytest.mark.parametrize("name", ["", None, 3, "two words", "a\nb", " a", "-x", "a=b", "a,b", "_x"])
def test_odd_names_are_refused_in_words(name):
    kind = dataclass(frozen=True)(type("Odd", (RoundRobin,), {"name": name}))
    with pytest.raises(PolicyError, match=r"a policy must have a name|a name begins with a letter"):
        kinds().register(kind)


@pytest.mark.parametrize("name", ["thrifty", "kg-star", "zero_one", "été", "2nd", "x.y"])
def test_plain_names_are_taken(name):
    found, kind = kinds(), dataclass(frozen=True)(type("Kind", (RoundRobin,), {"name": name}))
    assert found.register(kind) is found[name]


def test_an_entry_point_with_an_odd_name_is_refused(install):
    odd = MODULE.replace('"thrifty"', '"two words"')
    install([("two words", "plugin_code:Thrifty")], module=odd)
    with pytest.raises(PolicyError, match=r"a name begins with a letter.*\(plugin "):
        kinds()["two words"]


def test_who_wrote_a_member_is_known(install):
    install([("thrifty", "plugin_code:Thrifty")])
    found = kinds()
    mine = found.register(dataclass(frozen=True)(type("Mine", (RoundRobin,), {"name": "mine"})))
    mine.__module__ = "my_notebook"
    assert found.origin_of("round-robin") is None
    assert found.origin_of("thrifty") == "plugin 1.0"
    assert found.origin_of("mine") == "my_notebook (registered)"


def test_a_policy_a_learner_and_a_loss_are_used_by_their_names():
    @dataclass(frozen=True)
    class MyPolicy(RoundRobin):
        name: ClassVar[str] = "my-policy"

    @dataclass(frozen=True)
    class MyLearner(NaiveBayes):
        name: ClassVar[str] = "my-learner"

    loss = Loss("my-loss", GINI.term, GINI.gather, GINI.finish, GINI.largest)
    try:
        POLICIES.register(MyPolicy)
        LEARNERS.register(MyLearner)
        LOSSES.register(loss)
        assert policy("my-policy") == MyPolicy()
        assert learner("my-learner") == MyLearner()
        assert named("my-loss") is loss
    finally:
        for registry, name in ((POLICIES, "my-policy"), (LEARNERS, "my-learner"),
                               (LOSSES, "my-loss")):  # fmt: skip
            registry.forget(name)
    with pytest.raises(PolicyError, match="there is no policy 'my-policy'"):
        policy("my-policy")
    with pytest.raises(LearnerError, match="must be a dataclass"):
        LEARNERS.register(type("Undeclared", (), {"name": "undeclared"}))
    with pytest.raises(LearnerError, match="must have fit"):
        LEARNERS.register(dataclass(type("Idle", (), {"name": "idle"})))
    with pytest.raises(EngineError, match=r"must be a budgeted\.value\.loss\.Loss"):
        LOSSES.register(type("Undeclared", (), {"name": "undeclared"}))
