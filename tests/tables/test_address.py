"""Where a table stands: paths, URLs of databases, and what must not stand in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontomask.errors import TableError
from ontomask.tables.address import Address, place_of


@pytest.mark.parametrize(
    ("url", "server", "schema", "table"),
    [
        ("postgresql://ana@db/clinic?table=people", "postgresql://ana@db/clinic", None, "people"),
        ("postgres://ana@db/clinic?table=people", "postgresql://ana@db/clinic", None, "people"),
        ("postgresql:///clinic?table=w.people", "postgresql:///clinic", "w", "people"),
        (
            "postgresql://ana@/clinic?host=%2Frun%2Fpg&port=5433&table=people",
            "postgresql://ana@/clinic?host=%2Frun%2Fpg&port=5433",
            None,
            "people",
        ),
        ("postgresql:///c?table=My%20%22people%22", "postgresql:///c", None, 'My "people"'),
    ],
)
def test_urls(url: str, server: str, schema: str | None, table: str) -> None:
    place = place_of(url)
    assert isinstance(place, Address)
    assert (place.server, place.schema, place.table) == (server, schema, table)
    assert place_of(place.url) == place == place_of(place)


def test_the_table_may_be_named_apart() -> None:
    place = place_of("postgresql:///clinic", "people")
    assert isinstance(place, Address) and place.table == "people"


def test_paths_stay_paths() -> None:
    for text in ("people.csv", "a:b.csv", "data/*.parquet", "c:/x.csv", "x://y"):
        if text != "x://y":
            assert place_of(text) == Path(text)
    with pytest.raises(TableError, match="x:// is not known"):
        place_of("x://y")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ana:s3cret@db/clinic?table=people",
        "postgresql://ana:@db/clinic?table=people",
        "postgresql://ana@db/clinic?table=people&password=s3cret",
        "postgresql://ana@db/clinic?sslpassword=s3cret&table=people",
    ],
)
def test_a_password_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(TableError, match="password must not stand in a URL") as told:
        place_of(url)
    assert "s3cret" not in str(told.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ana@db/clinic",
        "postgresql://ana@db/clinic?table=",
        "postgresql://ana@db/clinic?table=a&table=b",
        "postgresql://ana@db/clinic?table",
        "postgresql://[ana/clinic?table=a",
    ],
)
def test_a_url_that_names_no_table(url: str) -> None:
    with pytest.raises(TableError, match=r"as in postgresql://user@host/database\?table=schema.name"):
        place_of(url)
