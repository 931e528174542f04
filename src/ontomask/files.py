"""Writing files and folders so that nothing half-written, unchecked or foreign is ever left behind.

What is written stands in a private folder beside its target until all of it is there, and is then moved into
place together. What a path may be, before it is read or written, is told here, too.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from secrets import token_hex
from typing import Protocol

from ontomask.errors import Fault, OntomaskError
from ontomask.signals import stopped_by_signals, uninterrupted

MOST_FILES = 100_000
_LONGEST_NAME = 100  # bytes of a text in the name of a file: most disks allow 255, some only 143
STAGING_PREFIX = ".ontomask-"


class Transaction(Protocol):
    """Something beside files that is put in place with them, or not at all."""

    def put_in_place(self) -> None:
        """Do all but the last step, which cannot fail for a reason that could have been known."""

    def commit(self) -> None:
        """Do the last step."""

    def roll_back(self) -> None:
        """Leave everything as it was, unless it is committed."""


class Staging:
    """Files that are to be put in place together; see `staging`."""

    def __init__(self, is_always_there: bool = False) -> None:
        self._is_always_there = is_always_there
        self._transaction: Transaction | None = None
        self._folders: dict[Path, Path] = {}
        self._staged: dict[Path, Path] = {}

    @contextmanager
    def writing(self, target: Path) -> Iterator[Path]:
        """Where to write what shall stand at `target`: same name, in a folder for this user's eyes only.

        An `OSError` (no folder, no right, no space) becomes an `OntomaskError` that names the target.
        """
        if "\0" in target.name:
            raise _cannot_write(target, "no file can have this name")
        try:
            if target.parent not in self._folders:
                # Known before it is there, so that it is always removed.
                self._folders[target.parent] = target.parent / f"{STAGING_PREFIX}{token_hex(6)}"
                self._folders[target.parent].mkdir(mode=0o700)
                (self._folders[target.parent] / "old").mkdir()
                (self._folders[target.parent] / "new").mkdir()
        except OSError as error:
            raise _cannot_write(target, error) from error
        self._staged[target] = self._folders[target.parent] / "new" / target.name
        try:
            yield self._staged[target]
        except OSError as error:
            raise _cannot_write(target, error) from error

    def join(self, transaction: Transaction) -> None:
        """Let a transaction end as the files do; it is committed before the last of them is moved."""
        self._transaction = transaction

    def move(self, check: Callable[[], object] | None) -> None:
        """Move all into place, or none; the last target vouches for the others, so it goes first, comes last.

        `check` is called when no other run can come between.
        """
        targets = list(self._staged)
        for target in targets:
            if not target.is_dir():
                continue
            if not self._staged[target].is_dir() or any(target.iterdir()):
                raise OntomaskError(f"cannot write {target}: it is a folder")
        aside: list[Path] = []
        moved: list[Path] = []
        with _locked(self._folders), uninterrupted():
            if check is not None:
                check()
            if self._transaction is not None:
                self._transaction.put_in_place()
            try:
                for target in reversed(targets) if len(targets) > 1 else ():
                    with suppress(FileNotFoundError):
                        self._put_aside(target)
                        aside.append(target)
                before_commit = targets if self._transaction is None else targets[:-1]
                for target in before_commit:
                    _move(self._staged[target], target)
                    moved.append(target)
                if self._transaction is not None:
                    self._transaction.commit()
            except OSError as error:
                self._undo(moved, aside)
                raise _cannot_write(target, error) from error
            except BaseException:
                self._undo(moved, aside)
                raise
            for target in targets[len(before_commit) :]:
                self._move_at_last(target)

    def _move_at_last(self, target: Path) -> None:
        """Move what vouches for a transaction that is committed: that cannot be taken back any more."""
        try:
            _move(self._staged[target], target)
        except OSError as error:
            self._folders.pop(target.parent)  # so that it is not removed
            raise OntomaskError(
                f"cannot write {target}: {error.strerror}; the release is in its place already",
                remedy=f"it is kept as {self._staged[target]}",
            ) from error

    def remove(self) -> None:
        """Remove what was not moved."""
        with uninterrupted():
            if self._transaction is not None:
                self._transaction.roll_back()
            for folder in self._folders.values():
                remove(folder)

    def _put_aside(self, target: Path) -> None:
        if not self._is_always_there:
            target.replace(self._old(target))
            return
        try:
            os.link(target, self._old(target))
        except FileNotFoundError:
            raise
        except OSError:  # no links on this disk
            shutil.copy2(target, self._old(target))

    def _old(self, target: Path) -> Path:
        return self._folders[target.parent] / "old" / target.name

    def _undo(self, moved: Sequence[Path], aside: Sequence[Path]) -> None:
        """Take back what was moved; what cannot be put back is kept where it is, and told."""
        faults = []
        for target in moved:
            with suppress(OSError):  # what stood there, if anything did, takes its place
                if not (self._is_always_there and target in aside):
                    remove(target)
        for target in reversed(aside):
            try:
                self._old(target).replace(target)
                self._old(target).unlink(missing_ok=True)  # a link to what stands there is left by `replace`
            except OSError as error:
                faults.append(
                    Fault(
                        f"cannot put back {target}: {error.strerror}",
                        remedy=f"it is kept as {self._old(target)}",
                    )
                )
        for folder in {target.parent for target in aside if self._old(target).exists()}:
            self._folders.pop(folder)  # so that it is not removed
        if faults:
            raise OntomaskError(*faults)


@contextmanager
def staging(check: Callable[[], object] | None = None, *, is_always_there: bool = False) -> Iterator[Staging]:
    """Several files that are put in place together if the block succeeds; none of them if it does not.

    `check` is called when everything is written and no other run can write to these folders. The last of
    several files vouches for the others, so that for a moment it is not there; unless `is_always_there`, for
    files that are looked at meanwhile and vouch for nothing.
    """
    files = Staging(is_always_there)
    with stopped_by_signals():
        try:
            yield files
            files.move(check)
        finally:
            files.remove()


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path for `path`, moved into place if the block succeeds, removed if it does not.

    Readers see the old file or the whole new one.
    """
    with staging() as files, files.writing(Path(path)) as staged:
        yield staged


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def is_there(path: Path) -> bool:
    """Whether something stands at a path; not if it cannot be one."""
    try:
        return path.exists()
    except (OSError, ValueError):  # a loop of links, a name too long or with a zero byte
        return False


def same_file(a: Path, b: Path) -> bool:
    """Whether two paths mean one file, whether or not it is there."""
    try:
        if a.exists() and b.exists():
            return a.samefile(b)
        return a.resolve() == b.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, no right to look, a name that cannot be
        return False


def most_unpacked(packed: int) -> int:
    """How many bytes a compressed file may hold: words shrink to a tenth, a bomb to a thousandth.

    >>> most_unpacked(10_000_000)
    1000000000
    """
    return max(2**26, 100 * packed)


def regular(path: Path) -> Path:
    """The path itself, to be opened; an `OSError` if a pipe or a device is there, which may never end."""
    try:
        can_be = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        can_be = False
    if not can_be:
        raise FileNotFoundError(errno.ENOENT, "no file can have this name")
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "neither a file nor a folder")
    return path


def files_below(folder: Path, pattern: str) -> Iterator[Path]:
    """Files in a folder, at any depth, whose name fits a pattern; a whole disk is not searched."""
    seen = 0
    for place, _, names in os.walk(folder):
        seen += len(names)
        if seen > MOST_FILES:
            raise OntomaskError(
                f"more than {MOST_FILES:,} files are in this folder",
                file=str(folder),
                remedy="name the folder that is meant",
            )
        yield from (Path(place) / name for name in names if fnmatchcase(name, pattern))


@contextmanager
def _locked(folders: Iterable[Path]) -> Iterator[None]:
    """While it lasts, no other run moves files into these folders.

    Where the system has no such locks, two runs may mix their files; a manifest then does not fit its
    release.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    with ExitStack() as held:
        for folder in sorted({folder.resolve() for folder in folders}):
            with suppress(OSError):
                opened = os.open(folder, os.O_RDONLY)
                held.callback(os.close, opened)
                fcntl.flock(opened, fcntl.LOCK_EX)
        yield


def _move(staged: Path, target: Path) -> None:
    if target.is_dir() and staged.is_dir():
        target.rmdir()  # empty, as was checked
    staged.replace(target)


def _cannot_write(target: Path, error: Exception | str) -> OntomaskError:
    reason = getattr(error, "strerror", None) or error
    return OntomaskError(f"cannot write {target}: {reason}")


def called_after(text: str, other: str) -> str:
    """The name of a file that is called after a text, without its ending; `other` if nothing of it can stay.

    Letters and digits of any script stay, with one `_` for all between, as many as any disk takes.

    >>> called_after("job / title", "column"), called_after("../?", "column")
    ('job_title', 'column')
    """
    kept = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else "_" for c in text)
    joined = re.sub("_+", "_", kept).strip("_").encode()
    return joined[:_LONGEST_NAME].decode(errors="ignore").strip("_") or other


def give_rights(path: Path, *models: Path) -> None:
    """Let those read and write a file who may do so with the first of the models that is there.

    Whoever writes it may always do both.
    """
    model = next(filter(is_there, models), None)
    if model is not None:
        path.chmod(model.stat().st_mode & 0o666 | 0o600)
