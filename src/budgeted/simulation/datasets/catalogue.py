"""Facts about the tables of the paper: columns, sums, origin and licence; no rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

CC_BY = "CC BY 4.0"
_UCI = "UCI Machine Learning Repository"
_NONE: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@dataclass(frozen=True)
class Entry:
    """One table: how UCI wrote it, how to read it, and whom to thank.

    Attributes
    ----------
    name, title
        What it is called here, and at its source.
    creators, donated, source, doi, licence
        For the attribution: who, the year in which UCI got it, and so on; `doi` is empty where
        there is none.
    columns
        All columns of UCI's file, in its order.
    sha256
        Of UCI's file.
    blank_lines
        How many empty lines UCI's file ends with.
    rows, classes, missing_cells
        How many there are, for listings that load nothing.
    packaged
        Whether the rows are inside the package; otherwise they are rebuilt on demand.
    label, ignore, missing, missing_in, text
        How to read it; see `budgeted.simulation.tables.read_csv`.
    """

    name: str
    title: str
    creators: str
    donated: int
    doi: str
    columns: tuple[str, ...]
    sha256: str
    rows: int
    classes: int
    missing_cells: int = 0
    blank_lines: int = 0
    packaged: bool = True
    source: str = _UCI
    licence: str = CC_BY
    label: str = "class"
    ignore: tuple[str, ...] = ()
    missing: tuple[str, ...] = ("", "?")
    missing_in: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _NONE, hash=False)
    text: tuple[str, ...] = ()

    @property
    def features(self) -> int:
        """How many columns are for sale."""
        return len(self.columns) - len(self.ignore) - 1


_WISCONSIN = _words(
    "clump-thickness uniformity-of-cell-size uniformity-of-cell-shape marginal-adhesion "
    "single-epithelial-cell-size bare-nuclei bland-chromatin normal-nucleoli mitoses"
)
_ZERO_IS_MISSING = ("plasma-glucose", "diastolic-bp", "triceps-skinfold", "serum-insulin-2h", "bmi")

_ENTRIES = (
    Entry(
        name="mushroom",
        title="Mushroom",
        creators="The Audubon Society Field Guide to North American Mushrooms; "
        "donated by Jeff Schlimmer",
        donated=1987,
        doi="10.24432/C5959T",
        columns=_words(
            "class cap-shape cap-surface cap-color bruises? odor gill-attachment gill-spacing "
            "gill-size gill-color stalk-shape stalk-root stalk-surface-above-ring "
            "stalk-surface-below-ring stalk-color-above-ring stalk-color-below-ring veil-type "
            "veil-color ring-number ring-type spore-print-color population habitat"
        ),
        sha256="e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
        rows=8124,
        classes=2,
        missing_cells=2480,
    ),
    Entry(
        name="nursery",
        title="Nursery",
        creators="Vladislav Rajkovic; donated by Marko Bohanec and Blaz Zupan",
        donated=1997,
        doi="10.24432/C5P88W",
        columns=_words("parents has_nurs form children housing finance social health class"),
        sha256="8e0389c3dd37590248a921c2726d869ee96b817761a35eb8416afa24f31f931d",
        rows=12960,
        classes=5,
        blank_lines=1,
    ),
    Entry(
        name="votes",
        title="Congressional Voting Records",
        creators="Congressional Quarterly Almanac, 98th Congress; donated by Jeff Schlimmer",
        donated=1987,
        doi="10.24432/C5C01P",
        columns=_words(
            "class handicapped-infants water-project-cost-sharing "
            "adoption-of-the-budget-resolution physician-fee-freeze el-salvador-aid "
            "religious-groups-in-schools anti-satellite-test-ban aid-to-nicaraguan-contras "
            "mx-missile immigration synfuels-corporation-cutback education-spending "
            "superfund-right-to-sue crime duty-free-exports "
            "export-administration-act-south-africa"
        ),
        sha256="c87c14110a5ba91d4a1e313ec7392824458152bf071fa5f5452340488337936e",
        rows=435,
        classes=2,
        # UCI's "?" is neither yea nor nay: missing="own value" makes a third answer of it.
        missing_cells=392,
    ),
    Entry(
        name="car",
        title="Car Evaluation",
        creators="Marko Bohanec; donated by Marko Bohanec and Blaz Zupan",
        donated=1997,
        doi="10.24432/C5JP48",
        columns=_words("buying maint doors persons lug_boot safety class"),
        sha256="b703a9ac69f11e64ce8c223c0a40de4d2e9d769f7fb20be5f8f2e8a619893d83",
        rows=1728,
        classes=4,
    ),
    Entry(
        name="chess",
        title="Chess (King-Rook vs. King-Pawn)",
        creators="Alen Shapiro; donated by Rob Holte",
        donated=1989,
        doi="10.24432/C5DK5C",
        columns=_words(
            "bkblk bknwy bkon8 bkona bkspr bkxbq bkxcr bkxwp blxwp bxqsq cntxt dsopp dwipd hdchk "
            "katri mulch qxmsq r2ar8 reskd reskr rimmx rkxwp rxmsq simpl skach skewr skrxp spcop "
            "stlmt thrsk wkcti wkna8 wknck wkovl wkpos wtoeg class"
        ),
        sha256="70a5540902b4063d3977d3e820ac5b9fe5624eb5d93709eee5d50d7a94fca205",
        rows=3196,
        classes=2,
        blank_lines=2,
    ),
    Entry(
        name="breast-wisconsin",
        title="Breast Cancer Wisconsin (Original)",
        creators="William Wolberg, University of Wisconsin Hospitals, Madison; "
        "donated by Olvi Mangasarian",
        donated=1992,
        doi="10.24432/C5HP4Z",
        columns=("sample-code-number", *_WISCONSIN, "class"),
        sha256="402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64",
        rows=699,
        classes=2,
        missing_cells=16,
        ignore=("sample-code-number",),
        # Grades from 1 to 10: ten values, not a scale to be cut into bins.
        text=_WISCONSIN,
    ),
    Entry(
        name="breast-ljubljana",
        title="Breast Cancer",
        creators="Matjaz Zwitter and Milan Soklic, University Medical Centre, Institute of "
        "Oncology, Ljubljana; donated by Ming Tan and Jeff Schlimmer",
        donated=1988,
        doi="10.24432/C51P4M",
        columns=_words(
            "class age menopause tumor-size inv-nodes node-caps deg-malig breast breast-quad "
            "irradiat"
        ),
        sha256="ca7d3fa97b62ff967b6894ffbb3acaaf4a51062e0149e5950b3ad6f685970b65",
        rows=286,
        classes=2,
        missing_cells=9,
        text=("deg-malig",),
    ),
    Entry(
        name="diabetes",
        title="Pima Indians Diabetes",
        creators="National Institute of Diabetes and Digestive and Kidney Diseases; "
        "donated by Vincent Sigillito",
        donated=1990,
        doi="",
        source=f"{_UCI} (withdrawn)",
        licence="unclear",
        packaged=False,
        columns=_words(
            "pregnancies plasma-glucose diastolic-bp triceps-skinfold serum-insulin-2h bmi "
            "pedigree-function age class"
        ),
        sha256="06f5b7c2cd7bca686fda4f92eab5f61e7ff6426a9acefa2e3dda04fc54293cf5",
        rows=768,
        classes=2,
        missing_cells=652,
        missing_in=MappingProxyType(dict.fromkeys(_ZERO_IS_MISSING, ("0",))),
    ),
)

CATALOGUE: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})
"""All tables by name."""
