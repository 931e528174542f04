"""Where a table stands: a file, or a table of a database, which a URL names.

    postgresql://user@host:port/database?table=schema.name&sslmode=require

A URL holds no password: it stands in commands, records and reports. Drivers find one in the environment
(`PGPASSWORD`) or in their own files (`~/.pgpass`, `pg_service.conf`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from ontomask.errors import TableError

POSTGRESQL = ("postgresql", "postgres")
_SECRETS = ("password", "sslpassword", "oauth_client_secret")
_PASSWORD = re.compile(r"(^|[\s?&])\w*password\s*=", re.IGNORECASE)
_URL = re.compile(r"\s*(?:jdbc:)?([a-z][a-z0-9+.-]*)(?:://|(?<=..):/)", re.IGNORECASE)
"""With one slash too, which may be missing by mistake; a drive has one letter."""


@dataclass(frozen=True)
class Address:
    """A table of a database.

    Attributes
    ----------
    server
        What the driver is given: the URL without the table.
    database
        The server and its database in few words, for messages.
    schema, table
        The names of the table; without a schema, the driver's search path finds it.
    """

    server: str
    database: str
    table: str
    schema: str | None = None

    @property
    def name(self) -> str:
        """Of the table, with that of its schema if there is one."""
        return self.table if self.schema is None else f"{self.schema}.{self.table}"

    @property
    def url(self) -> str:
        """As it is typed."""
        mark = "&" if "?" in self.server else "?"
        return f"{self.server}{mark}table={quote(self.name)}"

    def __str__(self) -> str:
        return f"{self.database}, table {self.name!r}"


Place = Path | Address


def place_of(text: str | Path | Address, table: str | None = None) -> Place:
    """A path, or the address that a URL is; `table` names the table where the URL does not.

    >>> str(place_of("postgresql://ana@db.example/clinic?table=wards.patients"))
    "postgresql://ana@db.example/clinic, table 'wards.patients'"
    >>> place_of("postgresql:///clinic?table=patients&sslmode=require").server
    'postgresql:///clinic?sslmode=require'
    >>> place_of("people.csv").name
    'people.csv'
    """
    if isinstance(text, Address):
        return text
    found = None if isinstance(text, Path) else _URL.match(text)
    if found is None:
        if isinstance(text, str) and _PASSWORD.search(text):
            raise _told_to_all()
        return Path(text)
    if found[1].lower() not in POSTGRESQL:
        raise TableError(f"{found[1]}:// is not known", remedy=f"give a path, or a URL {_REMEDY}")
    return _parsed(str(text), table)


def _parsed(url: str, table: str | None) -> Address:
    try:
        parts = urlsplit(url)
        given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        has_password = parts.password is not None or any(key.lower() in _SECRETS for key, _ in given)
    except ValueError:
        raise _malformed() from None
    if has_password:
        raise _told_to_all()
    if not url.strip().partition(":")[2].startswith("//"):
        raise _malformed()
    names = [value for key, value in given if key == "table"] or ([table] if table else [])
    if len(names) != 1 or not names[0]:
        raise TableError("the URL of a database must name one table", remedy=_REMEDY)
    others = urlencode([(key, value) for key, value in given if key != "table"], quote_via=quote)
    database = f"postgresql://{parts.netloc}{parts.path}"
    server = f"{database}?{others}" if others else database
    before, _, name = names[0].rpartition(".")
    return Address(server, unquote(database), name, before or None)


def _malformed() -> TableError:
    """It is not repeated, for a password may be in it."""
    return TableError("the URL of a database is malformed", remedy=_REMEDY)


def _told_to_all() -> TableError:
    return TableError(
        "a password must not stand in a URL, for commands and records are read by others",
        remedy="give it in PGPASSWORD or ~/.pgpass",
    )


_REMEDY = "as in postgresql://user@host/database?table=schema.name"
