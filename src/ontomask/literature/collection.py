"""A collection of texts on this disk, indexed once by SQLite's FTS5 and then counted in milliseconds.

The index holds words and their places, not the texts. It is written whole or not at all, and notices when a
file that it was made from has changed. It knows nothing of what the terms are for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Self

from ontomask.errors import OntologyError, OntomaskError
from ontomask.files import is_there, regular, replacing
from ontomask.literature.counts import SearchedTexts, phrases_of
from ontomask.literature.filters import index_query
from ontomask.literature.texts import Deletion, read_texts, text_files
from ontomask.progress import SILENT, Phases

_KIND = 0x4F4D4C54  # the application_id of an index
_VERSION = 1
_BATCH = 2_000
_SCHEMA = """
PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;
PRAGMA application_id = {kind}; PRAGMA user_version = {version};
CREATE VIRTUAL TABLE texts USING fts5(title, abstract, marks, content = '', columnsize = 0,
                                      tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO texts(texts, rank) VALUES ('hashsize', 67108864);
CREATE TABLE gone(number INTEGER PRIMARY KEY);
CREATE TABLE sources(path TEXT PRIMARY KEY, fingerprint TEXT NOT NULL);
CREATE TABLE size(texts INTEGER NOT NULL);
CREATE TEMP TABLE known(key TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
"""


def index_texts(paths: Iterable[str | Path], output: str | Path, progress: Phases = SILENT) -> int:
    """Index MEDLINE files, text files, or folders of both; returns how many texts there are.

    Files are read in order: of an article that comes again the last version counts, and deletions delete.
    """
    sources = [Path(path) for path in paths]
    if is_there(Path(output)) and not is_index(Path(output)):
        raise OntomaskError(
            f"{output} is there already, and no index", remedy="remove it or choose another name"
        )
    _check_fts5()
    prints = {source: _fingerprint(source) for source in sources}
    files = list(dict.fromkeys(file for source in sources for file in text_files(source)))
    if not files:
        raise OntomaskError("no texts are in there", remedy="expected are .xml, .xml.gz and .txt files")
    with replacing(output) as staged:
        with closing(sqlite3.connect(staged, isolation_level=None)) as index:
            index.executescript(_SCHEMA.format(kind=_KIND, version=_VERSION))
            index.execute("BEGIN")
            total = _fill(index, files, progress)
            index.executemany(
                "INSERT OR REPLACE INTO sources VALUES (?, ?)",
                [(str(source.resolve()), prints[source]) for source in sources],
            )
            index.execute("INSERT INTO size VALUES (?)", (total,))
            index.execute("INSERT INTO texts(texts) VALUES ('optimize')")
            index.execute("COMMIT")
        for source in sources:
            if _fingerprint(source) != prints[source]:
                raise OntomaskError("changed while it was read", file=str(source), remedy="index it again")
    return total


def _fill(index: sqlite3.Connection, files: Sequence[Path], progress: Phases) -> int:
    """Put all texts into the index; returns how many are left when later versions and deletions are done."""
    number, batch = 0, list[tuple[int, str, str, str]]()
    for done, file in enumerate(files):
        progress.tell("indexing", done / len(files))
        for text in read_texts([file]):
            index.execute("INSERT INTO gone SELECT number FROM known WHERE key = ?", (text.key,))
            if isinstance(text, Deletion):
                index.execute("DELETE FROM known WHERE key = ?", (text.key,))
                continue
            number += 1
            index.execute("INSERT OR REPLACE INTO known VALUES (?, ?)", (text.key, number))
            batch.append((number, *text[1:]))
            if len(batch) == _BATCH:
                _insert(index, batch)
        _insert(index, batch)
    (left,) = index.execute("SELECT count(*) FROM known").fetchone()
    return int(left)


def _insert(index: sqlite3.Connection, batch: list[tuple[int, str, str, str]]) -> None:
    index.executemany("INSERT INTO texts(rowid, title, abstract, marks) VALUES (?, ?, ?, ?)", batch)
    batch.clear()


class Collection(SearchedTexts):
    """An index that `index_texts` wrote, open to be searched.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for i, text in enumerate(["Angina in old age.", "Old age.", "Chest pain: angina?", "Chess."]):
    ...         _ = Path(folder, f"{i}.txt").write_text(text)
    ...     index_texts([folder], Path(folder, "index"))
    ...     with Collection(Path(folder, "index")) as texts:
    ...         texts.counts("old age", "angina")
    4
    Counts(a=2, b=2, both=1, total=4)
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self.path = Path(path)
        _check_fts5()
        if not is_index(self.path):
            raise OntologyError(
                "not an index of texts", file=str(path), remedy="`ontomask literature index` writes one"
            )
        # Nobody writes to an index: one that is made anew takes the place of the old file.
        self._index = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        version = self._value("PRAGMA user_version")
        if version != _VERSION:
            self._index.close()
            raise OntologyError(f"an index of version {version}", file=str(path), remedy="index it again")
        self.total = self._value("SELECT texts FROM size")
        self._has_gone = bool(self._value("SELECT count(*) FROM gone"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._index.close()

    def found(self, terms: Sequence[str], filter: str | None) -> int:
        parts = [_any_of(phrases_of(term)) for term in terms]
        parts += [f"({index_query(filter)})"] if filter else []
        if not parts:
            return self.total
        left = " AND rowid NOT IN (SELECT number FROM gone)" if self._has_gone else ""
        return self._value(f"SELECT count(*) FROM texts WHERE texts MATCH ?{left}", " AND ".join(parts))

    def changed_sources(self) -> list[Path]:
        """Files and folders that have changed since they were indexed; one that is gone has not."""
        try:
            known = self._index.execute("SELECT path, fingerprint FROM sources ORDER BY path").fetchall()
            changed = [Path(path) for path, before in known if _has_changed(Path(path), before)]
        except (sqlite3.Error, TypeError):
            raise self._damaged() from None
        return changed

    def _value(self, question: str, *given: str) -> int:
        try:
            (found,) = self._index.execute(question, given).fetchone()
            return int(found)
        except (sqlite3.Error, TypeError, ValueError):
            raise self._damaged() from None

    def _damaged(self) -> OntologyError:
        return OntologyError("the index is damaged", file=str(self.path), remedy="index the texts again")


def is_index(path: Path) -> bool:
    """Whether a file says of itself that it is an index of texts."""
    try:
        with regular(path).open("rb") as file:
            header = file.read(72)
    except OSError:
        return False
    return header.startswith(b"SQLite format 3\0") and header[68:72] == _KIND.to_bytes(4, "big")


def _any_of(phrases: Sequence[str]) -> str:
    """A query for texts with any of the phrases, in the title or in the abstract."""
    quoted = (f'"{phrase}"' for phrase in phrases)
    return f"({{title abstract}} : ({' OR '.join(quoted)}))"


def _has_changed(source: Path, fingerprint: str) -> bool:
    return is_there(source) and _fingerprint(source) != fingerprint


def _fingerprint(source: Path) -> str:
    """What changes when a file of the source does: names, sizes and times."""
    seen = sha256()
    for file in text_files(source):
        try:
            facts = file.stat()
        except OSError as error:
            raise OntologyError(f"cannot be read ({error.strerror})", file=str(file)) from None
        seen.update(f"{file.relative_to(source)}\n{facts.st_size}\n{facts.st_mtime_ns}\n".encode())
    return seen.hexdigest()


def _check_fts5() -> None:
    with closing(sqlite3.connect(":memory:")) as trial:
        try:
            trial.execute("CREATE VIRTUAL TABLE trial USING fts5(word)")
        except sqlite3.Error:
            raise OntomaskError(
                "this Python's SQLite cannot search texts (FTS5)", remedy="use one from python.org or Debian"
            ) from None
