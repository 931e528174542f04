"""Cross-maps: CSV and RF2 map reference sets, both ways, whole and damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontomask.errors import LinkingError
from ontomask.linking.crossmap import read_crossmap

SIMPLE = ["id", "effectiveTime", "active", "moduleId", "refsetId", "referencedComponentId", "mapTarget"]
EXTENDED = [
    *SIMPLE[:6], "mapGroup", "mapPriority", "mapRule", "mapAdvice", "mapTarget", "correlationId",
    "mapCategoryId",
]  # fmt: skip
KNEE, HAND, FEVER = "1003005", "1004005", "1005005"


def write(path: Path, *rows: list[str]) -> Path:
    path.write_bytes("".join("\t".join(row) + "\r\n" for row in rows).encode())
    return path


def simple(member: str, concept: str, target: str, active: str = "1", refset: str = "900001") -> list[str]:
    return [member, "20240101", active, "9", refset, concept, target]


def extended(member: str, concept: str, group: str, priority: str, target: str) -> list[str]:
    return [*simple(member, concept, "")[:6], group, priority, "TRUE", f"ALWAYS {target}", target, "4", "5"]


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text(
        'from,to,comment\n"M25,5",7001,"a, b"\nR50,7003,\n\n"M25,5",7002,x\nR50,7003,twice', "utf-8"
    )
    assert read_crossmap(path) == {"M25,5": ["7001", "7002"], "R50": ["7003"]}
    assert read_crossmap(path, inverted=True) == {"7001": ["M25,5"], "7002": ["M25,5"], "7003": ["R50"]}


def test_csv_with_columns_swapped_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_bytes("\ufeffTo,From\r\n7001,M25\r\n".encode())
    assert read_crossmap(path) == {"M25": ["7001"]}


def test_simple_map(tmp_path: Path) -> None:
    path = write(
        tmp_path / "der2_sRefset_SimpleMapSnapshot_INT_20240101.txt",
        SIMPLE,
        simple("a", KNEE, "M25"),
        simple("b", HAND, "M25"),
        simple("c", FEVER, "R51", active="0"),
        simple("d", FEVER, "R50"),
    )
    assert read_crossmap(path) == {KNEE: ["M25"], HAND: ["M25"], FEVER: ["R50"]}
    assert read_crossmap(path, inverted=True) == {"M25": [KNEE, HAND], "R50": [FEVER]}


def test_extended_map_goes_by_group_and_priority(tmp_path: Path) -> None:
    path = write(
        tmp_path / "der2_iisssccRefset_ExtendedMapSnapshot_INT_20240101.txt",
        EXTENDED,
        extended("a", KNEE, "2", "1", "Z10"),
        extended("b", KNEE, "1", "10", "M99"),
        extended("c", KNEE, "1", "2", "M25"),
        extended("d", HAND, "1", "1", "M99"),
        extended("e", FEVER, "1", "1", ""),  # cannot be mapped
    )
    assert read_crossmap(path) == {KNEE: ["M25", "M99", "Z10"], HAND: ["M99"]}
    assert read_crossmap(path, inverted=True) == {"Z10": [KNEE], "M99": [HAND, KNEE], "M25": [KNEE]}


def test_several_maps_in_one_file(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.txt", SIMPLE, simple("a", KNEE, "M25"), simple("b", KNEE, "X1", refset="900002")
    )
    with pytest.raises(LinkingError, match=r"line 3: several maps in one file \(900001, 900002\)"):
        read_crossmap(path)
    assert read_crossmap(path, refset="900002") == {KNEE: ["X1"]}
    with pytest.raises(LinkingError, match="no map 7; it has 900001, 900002"):
        read_crossmap(path, refset="7")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"code,concept\nM25,7001\n", "line 1: no columns 'from' and 'to'"),
        (b"from,to\n", "no mapping in it"),
        (b"from,to\nM25,7001\nR50\n", "line 3: 1 columns where the header has 2"),
        (b"from,to\nM25,\n", "line 2: an empty code"),
        (b"from,to\nM\xe9,7001\n", "line 2: not UTF-8"),
        (b'from,to\nM25,"70', "line 2: damaged CSV"),
    ],
)
def test_damaged_csv(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "map.csv"
    path.write_bytes(content)
    with pytest.raises(LinkingError, match=message):
        read_crossmap(path)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([SIMPLE, simple("a", KNEE, "M25")[:-1]], "line 2: 6 columns where the header has 7"),
        ([SIMPLE[:-1], simple("a", KNEE, "")[:-1]], "line 1: no column 'mapTarget'"),
        ([SIMPLE, simple("a", KNEE, "M25"), simple("a", KNEE, "M26")], "line 3: the member a is there twice"),
        ([EXTENDED, extended("a", KNEE, "one", "1", "M25")], "line 2: mapGroup and mapPriority are numbers"),
        ([SIMPLE, simple("a", KNEE, "M25", active="0")], "no mapping in it"),
    ],
)
def test_damaged_rf2(tmp_path: Path, rows: list[list[str]], message: str) -> None:
    with pytest.raises(LinkingError, match=message):
        read_crossmap(write(tmp_path / "map.txt", *rows))


def test_rf2_cut_short(tmp_path: Path) -> None:
    path = write(tmp_path / "map.txt", SIMPLE, simple("a", KNEE, "M25.5"))
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(LinkingError, match="line 2: the last line has no line end: the file is cut short"):
        read_crossmap(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(LinkingError, match=r"none\.csv: cannot be read \(No such file"):
        read_crossmap(tmp_path / "none.csv")
