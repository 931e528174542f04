"""Every reader takes its seeds, and refuses in words what fuzzing once broke it with."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from hostile.fuzz.readers import READERS
from ontomask.errors import OntomaskError

FOUND = Path(__file__).parent / "found"


@pytest.mark.parametrize("name", READERS)
def test_valid_files_are_read(name: str) -> None:
    for seed in READERS[name].seeds():
        READERS[name](seed)


@pytest.mark.parametrize("name", READERS)
def test_a_file_of_nothing_and_one_of_anything_is_refused(name: str) -> None:
    for content in (b"", b"\0\1\2\xff" * 50):
        if name not in ("options", "text-latin"):
            with pytest.raises(OntomaskError):
                READERS[name](content)


@pytest.mark.parametrize(
    "path", sorted(FOUND.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_what_was_found(path: Path) -> None:
    with suppress(OntomaskError):
        READERS[path.parent.name](path.read_bytes())
