"""HTML -> ParsedPage: the forms, links and marked texts of a page, as a browser would find them. What simulated people see."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


@dataclass
class FormField:
    """A control of a form."""

    name: str
    type: str
    value: str = ""
    checked: bool = False
    longest: int = 0
    options: list[str] = field(default_factory=list)


@dataclass
class ParsedForm:
    """A form: where it goes and what it holds."""

    action: str
    method: str
    id: str = ""
    fields: list[FormField] = field(default_factory=list)

    def hidden(self) -> dict[str, list[str]]:
        """What a browser sends without being asked, and what is filled in already."""
        values: dict[str, list[str]] = {}
        for control in self.fields:
            if not control.name or control.type == "submit":
                continue
            if control.type in ("radio", "checkbox") and not control.checked:
                continue
            values.setdefault(control.name, []).append(control.value)
        return values

    def named(self, name: str) -> list[FormField]:
        """The controls of a name."""
        return [control for control in self.fields if control.name == name]


@dataclass
class ParsedPage:
    """A page."""

    kind: str = ""
    forms: list[ParsedForm] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    """(rel or id, address)."""
    texts: list[tuple[str, str]] = field(default_factory=list)
    """(class, text) of every element that says ``data-text``."""

    def form(self, id: str) -> ParsedForm | None:
        """The form of an id."""
        return next((form for form in self.forms if form.id == id), None)

    def link(self, rel: str) -> str | None:
        """Where a link leads."""
        return next((address for name, address in self.links if name == rel), None)

    def marked(self, name: str) -> list[str]:
        """The texts of a class."""
        return [text for key, text in self.texts if key == name]


class PageParser(HTMLParser):
    """One pass over a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = ParsedPage()
        self.form: ParsedForm | None = None
        self.control: FormField | None = None
        self.select: FormField | None = None
        self.open: list[tuple[str, str, list[str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        values = {name: value or "" for name, value in attrs}
        if tag == "main":
            self.page.kind = values.get("data-kind", "")
        elif tag == "form":
            self.form = ParsedForm(values.get("action", ""), values.get("method", "get").lower(), values.get("id", ""))
            self.page.forms.append(self.form)
        elif tag == "a":
            self.page.links.append((values.get("rel") or values.get("id", ""), values.get("href", "")))
        elif tag in ("input", "textarea", "select", "button") and self.form is not None:
            self.add_control(tag, values)
        elif tag == "option" and self.select is not None:
            self.select.options.append(values.get("value", ""))
            if "selected" in values:
                self.select.value = values.get("value", "")
        if "data-text" in values and tag not in VOID:
            self.open.append((tag, values.get("data-text", ""), []))
        elif self.open and tag == self.open[-1][0]:
            self.open.append((tag, "", []))

    def add_control(self, tag: str, values: dict[str, str]) -> None:
        """An input, a text box, a list or a button."""
        assert self.form is not None
        kind = values.get("type", "submit" if tag == "button" else "text") if tag in ("input", "button") else tag
        control = FormField(
            values.get("name", ""),
            kind,
            values.get("value", ""),
            "checked" in values,
            int(values.get("maxlength", "0") or 0),
        )
        if kind in ("checkbox", "radio") and "value" not in values:
            control.value = "on"
        if "disabled" not in values:
            self.form.fields.append(control)
        if tag == "textarea":
            self.control = control
        if tag == "select":
            self.select = control

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        if tag == "form":
            self.form = None
        elif tag == "textarea" and self.control is not None:
            self.control.value = self.control.value.removeprefix("\n")
            self.control = None
        elif tag == "select":
            self.select = None
        if self.open and tag == self.open[-1][0]:
            _, name, pieces = self.open.pop()
            text = "".join(pieces)
            if name:
                self.page.texts.append((name, text.strip()))
            if self.open:
                self.open[-1][2].append(text)

    def handle_data(self, data: str) -> None:
        """Text."""
        if self.control is not None:
            self.control.value += data
        if self.open:
            self.open[-1][2].append(data)


def parse_page(html: str) -> ParsedPage:
    """A page as it was sent.

    >>> parse_page('<main data-kind="x"><form id="f" method="post"><textarea name="a">b</textarea></form></main>').forms[0].hidden()
    {'a': ['b']}
    """
    parser = PageParser()
    parser.feed(html)
    parser.close()
    return parser.page
