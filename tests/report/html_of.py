"""A page taken apart with the standard parser: tags with attributes, and the text of every small block."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input"}
BLOCKS = {
    "p",
    "li",
    "tr",
    "h1",
    "h2",
    "h3",
    "text",
    "title",
    "desc",
    "figcaption",
    "caption",
    "pre",
    "footer",
}


@dataclass
class Tag:
    name: str
    attributes: dict[str, str | None]
    inside: tuple[str, ...]


@dataclass
class Html(HTMLParser):
    """Raises `AssertionError` where tags are not nested properly."""

    source: str
    tags: list[Tag] = field(default_factory=list)
    blocks: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []
        self._texts: list[list[str]] = []
        self.feed(self.source)
        self.close()
        assert not self._open, f"not closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(Tag(tag, dict(attrs), tuple(self._open)))
        if tag not in VOID:
            self._open.append(tag)
            self._texts.append([])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(Tag(tag, dict(attrs), tuple(self._open)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open and self._open[-1] == tag, f"</{tag}> closes {self._open[-1:]}"
        self._open.pop()
        text = " ".join(self._texts.pop())
        if tag in BLOCKS:
            self.blocks.append((tag, text))
        if self._texts:
            self._texts[-1].append(text)

    def handle_data(self, data: str) -> None:
        if self._texts and self._open[-1] not in ("style", "script"):
            self._texts[-1].append(data)

    def named(self, *names: str) -> list[Tag]:
        return [tag for tag in self.tags if tag.name in names]

    def texts(self, name: str) -> list[str]:
        return [" ".join(text.split()) for block, text in self.blocks if block == name]
