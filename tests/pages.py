"""The pages of the documentation and the fenced blocks on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
ANY_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- (file|module): (\S+) -->\s*\Z")


@dataclass(frozen=True)
class Fence:
    """A fenced block: its language, its text, the line it starts in, the file or module it is to become."""

    language: str
    text: str
    line: int
    file: str | None = None
    module: str | None = None


def fences(page: Path) -> Iterator[Fence]:
    content = page.read_text(encoding="utf-8")
    for found in ANY_FENCE.finditer(content):
        mark = MARK.search(content[: found.start()])
        line = content.count("\n", 0, found.start()) + 1
        yield Fence(found[1], found[2], line, **({mark[1]: mark[2]} if mark else {}))
