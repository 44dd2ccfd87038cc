"""Forms of pages, filled in and sent as a browser does it."""

from __future__ import annotations

from html.parser import HTMLParser


class _Forms(HTMLParser):
    def __init__(self):
        super().__init__()
        self.forms, self._select, self._area = [], None, None

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "form":
            self.forms.append(
                (given.get("action", "") if given.get("method") == "post" else "", {})
            )
        if not self.forms:
            return
        fields, name = self.forms[-1][1], given.get("name")
        kind = given.get("type", "text")
        if tag == "input" and name and kind in ("checkbox", "radio"):
            if "checked" in given:
                fields[name] = given.get("value", "on")
        elif tag == "input" and name and kind != "file":
            fields[name] = given.get("value", "")
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select:
            value = given.get("value")
            if "selected" in given or self._select not in fields:
                fields[self._select] = value or ""
        elif tag == "textarea":
            self._area = name
            fields[name] = ""

    def handle_data(self, data):
        if self._area:
            self.forms[-1][1][self._area] += data

    def handle_endtag(self, tag):
        if tag == "select":
            self._select = None
        elif tag == "textarea":
            self._area = None


def forms_in(html):
    """Action and fields of every form of a page; one that only asks has no action here."""
    parser = _Forms()
    parser.feed(html)
    return parser.forms


def fill_in(site, path, action, changes=None, files=None):
    """Open a page, change some fields of the form with that action, and send it."""
    found = [(where, fields) for where, fields in forms_in(site.get(path).text)
             if where.split("?")[0] == action]  # fmt: skip
    assert found, f"{path} has no form {action}"
    where, fields = found[0]
    fields |= changes or {}
    return site.post(where, data=fields, files=files)
