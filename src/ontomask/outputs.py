"""The files of a release, and what they must not be written over.

`NAME.manifest.json` is public and goes with the release; `NAME.internal.json` stays with its publisher.
Nothing that the run reads is ever a target, and neither is the record of another release.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from ontomask.errors import OntomaskError
from ontomask.files import regular, same_file
from ontomask.plan import Plan
from ontomask.tables.address import Address, Place
from ontomask.tables.register import known_suffix, may_hold_several


@dataclass(frozen=True)
class Outputs:
    """Where a release is written, with what belongs to it.

    >>> print(Outputs(Path("out/people.csv")).manifest.as_posix())
    out/people.manifest.json
    """

    release: Place
    texts: tuple[Path, ...] = ()
    """Further texts, such as a report."""
    folder: Path = Path()
    """Where the records of a release in a database stand; those of a file stand beside it."""

    @property
    def manifest(self) -> Path:
        """How it was made, for everybody."""
        return self._beside("manifest.json")

    @property
    def internal(self) -> Path:
        """What it was made from, for the publisher alone."""
        return self._beside("internal.json")

    def check(self, inputs: Sequence[Path] = (), reads_others: bool = False) -> None:
        """Raise if a file cannot be written there, or would take the place of another that is needed.

        `reads_others` says that the table may lie in files that nobody named.
        """
        released: list[Path] = []
        if isinstance(self.release, Path):
            if self.release.name in ("", ".."):
                raise OntomaskError(
                    f"cannot write {self.release}: it is a folder", remedy="give a file name in it"
                )
            if self.release.suffix:  # without one it may be a folder, as the table's engine knows
                known_suffix(self.release, "written")
            released.append(self.release)
        targets = [*released, *self.texts, self.internal, self.manifest]
        for i, target in enumerate(targets):
            _check_folder(target)
            for other in targets[:i]:
                if same_file(target, other):
                    raise OntomaskError(
                        f"cannot write {target}: release, records and report are files of their own",
                        remedy="choose another name",
                    )
        check_apart(targets, inputs)
        for target in (*self.texts, self.internal, self.manifest):
            if target.is_dir():
                raise OntomaskError(
                    f"cannot write {target}: it is a folder", remedy="give the name of a file in it"
                )
        for text in self.texts:
            check_no_release(text)
        for record in (self.manifest, self.internal):
            self._check_own(record)
        if (
            isinstance(self.release, Path)
            and self.release.exists()
            and (reads_others or may_hold_several(self.release))
        ):
            self._check_is_release()

    def _beside(self, ending: str) -> Path:
        if isinstance(self.release, Address):
            return self.folder / f"{self.release.name.replace('/', '_')}.{ending}"
        return self.release.with_name(f"{self.release.name.removesuffix(self.release.suffix)}.{ending}")

    def _check_own(self, record: Path) -> None:
        """A record that is there must be that of the release whose place is taken."""
        if not record.exists():
            return
        named = released_file(record)
        if named == self.release.name and self._is_of_its_database(record):
            return
        what = "is not a record of a release" if named is None else f"is the record of {named!r}"
        raise OntomaskError(
            f"cannot write {self.release}: {record} {what}",
            remedy="give the release another name, or move that file away",
        )

    def _is_of_its_database(self, record: Path) -> bool:
        """Whether an internal record is of a release in the same database; a manifest does not tell."""
        content = read_record(record) or {}
        told = content.get("output", {}).get("database")
        own = self.release.database if isinstance(self.release, Address) else None
        return record != self.internal or told == own

    def _check_is_release(self) -> None:
        """What may hold other tables, or the table itself, is replaced only if it was released before."""
        if released_file(self.manifest) != self.release.name:
            raise OntomaskError(
                f"cannot write {self.release}: it is there already, may hold other tables, and no manifest "
                "says that it is a release",
                remedy="give the release another name, or remove that file",
            )


def read_record(path: Path) -> dict[str, Any] | None:
    """A manifest or internal record; None if the file is neither."""
    try:
        content: Any = json.loads(regular(path).read_bytes())
        is_record = isinstance(content["output"]["file"], str)
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None
    return content if is_record else None


def released_file(record: Path) -> str | None:
    """The file that a manifest or internal record speaks of; None if it is neither."""
    content = read_record(record)
    return None if content is None else str(content["output"]["file"])


def released_columns(release: Place) -> dict[str, str]:
    """What the manifest beside a release says of its columns, `central` or `truthful`; nothing if none is."""
    manifest = Outputs(release).manifest
    content = read_record(manifest) if released_file(manifest) == release.name else None
    told = {} if content is None else content.get("release")
    return told if isinstance(told, dict) else {}


def check_no_release(target: Path) -> None:
    """Raise if a release, or the record of one, stands where something else is to be written."""
    if read_record(target) is not None or released_file(Outputs(target).manifest) == target.name:
        raise OntomaskError(
            f"cannot write {target}: it is a release, or the record of one", remedy="choose another name"
        )


def inputs_of(table: Place | None, plan: Plan, scheme: Path | None = None) -> list[Path]:
    """Every file and folder that a run reads: table, scheme, the plan, its mappings, ontologies and texts."""
    return [*(path for path in (table, scheme) if isinstance(path, Path)), *plan.files()]


def _check_folder(target: Path) -> None:
    try:
        has_folder = target.parent.is_dir()
        with suppress(FileNotFoundError, NotADirectoryError):
            target.lstat()  # a name that cannot be one is told now
    except (OSError, ValueError) as error:
        raise OntomaskError(f"cannot write {target}: {getattr(error, 'strerror', None) or error}") from None
    if not has_folder:
        raise OntomaskError(
            f"cannot write {target}: there is no folder {target.parent}", remedy="make it first"
        )


def check_apart(targets: Iterable[Path], inputs: Sequence[Path]) -> None:
    """Raise if a file that is to be written is read, too; an input may be a file, a folder or a pattern."""
    for target in targets:
        for source in inputs:
            _check_apart(target, source)


def _check_apart(target: Path, source: Path) -> None:
    try:
        here, there = target.resolve(), source.resolve()
        is_below = source.is_dir() and here.is_relative_to(there)
    except (OSError, RuntimeError, ValueError):
        return
    if same_file(target, source):
        raise OntomaskError(
            f"cannot write {target}: the command reads that {'folder' if target.is_dir() else 'file'}",
            remedy="choose another name",
        )
    if is_below:
        raise OntomaskError(
            f"cannot write {target}: the command reads the folder {source}", remedy="choose another folder"
        )
    if not source.exists() and fnmatch(str(here), str(there)):
        raise OntomaskError(
            f"cannot write {target}: the command reads all files named {source}",
            remedy="choose another name",
        )
