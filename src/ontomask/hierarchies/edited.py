"""The file of a hierarchy that a person edits step by step: where it stands, and what it says.

A file that was made elsewhere is never written over: its edited copy has a name of its own. What is written
here says so in its first line. It knows paths and trees, neither plans nor tables.
"""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path

from ontomask.files import called_after, is_there, regular
from ontomask.hierarchies.formats import as_text
from ontomask.hierarchies.hierarchy import Hierarchy

MARK = "# Edited with ontomask web, which writes it anew with every edit."


def file_to_edit(folder: Path, column: str, named: Path | None = None) -> Path:
    """Where the edited hierarchy of a column is written; `named` is the file that the plan names now.

    That one if it was written here; else `COLUMN_hierarchy.yaml`, numbered if something stands there.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     print(file_to_edit(Path(folder), "job / title").name)
    job_title_hierarchy.yaml
    """
    if named is not None and is_edited_here(named):
        return named
    stem = called_after(column, "column")
    names = chain([f"{stem}_hierarchy.yaml"], (f"{stem}_hierarchy_{n}.yaml" for n in count(2)))
    return next(path for name in names if not is_there(path := folder / name))


def is_edited_here(path: Path) -> bool:
    """Whether a file says that it was written here."""
    try:
        with regular(path).open("rb") as file:
            return file.readline(len(MARK) + 2).strip() == MARK.encode()
    except OSError:
        return False


def as_edited(hierarchy: Hierarchy) -> bytes:
    """What is written of an edited hierarchy; it says what labels stand for.

    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "person"]], concepts={"person": "person.n.01"})
    >>> print(as_edited(jobs).decode())
    # Edited with ontomask web, which writes it anew with every edit.
    person:
      =: person.n.01
      surgeon: {}
    <BLANKLINE>
    """
    return f"{MARK}\n{as_text(hierarchy, '.yaml')}".encode()
