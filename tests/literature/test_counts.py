"""MIM spelt out, terms, tables of counts and their faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.errors import OntologyError, OntomaskError
from ontomask.literature import FILTERS, Counts, CountTable, mim, mim_of, open_literature
from ontomask.literature.counts import phrases_of
from ontomask.literature.filters import index_query, mark_of, pubmed_query

HEADER = "a,b,count_a,count_b,count_both,total\n"


def test_mim_is_the_formula() -> None:
    assert mim(Counts(a=30, b=40, both=24, total=200)) == (24 / 200) / ((30 / 200) * (40 / 200))
    assert mim(Counts(a=30, b=40, both=6, total=200)) == pytest.approx(1)  # independent
    assert mim(Counts(a=5, b=5, both=5, total=200)) == 200 / 5  # always together
    assert mim(Counts(a=30, b=40, both=0, total=200)) == 0
    assert mim(Counts(a=0, b=0, both=0, total=0)) == 0


@given(st.lists(st.sampled_from(["", "a", "b", "ab"]), min_size=1))
def test_mim_of_texts_counted_one_by_one(texts: list[str]) -> None:
    n = len(texts)
    with_a, with_b = sum("a" in text for text in texts), sum("b" in text for text in texts)
    both = texts.count("ab")
    found = mim(Counts(with_a, with_b, both, n))
    if not both:
        assert found == 0
    else:
        assert found == pytest.approx((both / n) / (with_a / n * with_b / n))
        assert 1 / n <= found <= n  # all texts have both ... one text has both, and no other either


@pytest.mark.parametrize("counts", [(5, 9, 6, 10), (5, 11, 3, 10), (11, 5, 3, 10), (5, 5, -1, 10)])
def test_counts_that_cannot_be(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(OntomaskError, match="counts that cannot be"):
        Counts(*counts)


def test_wordings_of_a_term() -> None:
    assert phrases_of(" Heart-Disease|  cardiac_disease ") == ["Heart Disease", "cardiac disease"]
    assert phrases_of('a" OR *[b]') == ["a OR b"]  # nothing steers a query
    assert phrases_of("Parkinson's") == ["Parkinson's"]
    assert phrases_of("cafe\u0301") == ["café"]
    for empty in ("", " | ", "heart|", '"*"'):
        with pytest.raises(OntomaskError, match="has no word to search for"):
            phrases_of(empty)


def test_filters_in_both_languages() -> None:
    assert list(FILTERS) == ["therapy", "diagnosis", "etiology", "prognosis"]
    assert pubmed_query("therapy").startswith("(clinical[Title/Abstract] AND trial[Title/Abstract]) OR (")
    assert index_query("therapy").split(" OR ")[:3] == [
        '({title abstract} : "clinical" AND {title abstract} : "trial")',
        '(marks : "headingclinicaltrialsastopic")',
        '(marks : "typeclinicaltrial")',
    ]
    assert '(marks : "headingdiagnostic"*)' in index_query("diagnosis")
    for name, lines in FILTERS.items():
        assert len(index_query(name).split(" OR ")) == len(lines)
    assert mark_of("heading", "Follow-Up Studies") == "headingfollowupstudies"


def test_a_table_of_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(f'{HEADER}age,"Heart disease",50,20,15,100\n\nsex,heart-disease,10,20,0,100\n')
    table = open_literature(str(path))
    assert isinstance(table, CountTable)
    assert table.counts("heart_disease", "AGE") == Counts(20, 50, 15, 100)  # in either order
    scores = mim_of({"age": "age", "gender": "sex"}, "heart disease", table)
    assert scores == {"age": pytest.approx((15 / 100) / (0.5 * 0.2)), "gender": 0}
    with pytest.raises(OntologyError, match="has no term 'agge'; did you mean 'age'"):
        table.counts("agge", "heart disease")
    with pytest.raises(OntologyError, match="no line for 'age' and 'sex'"):
        table.counts("age", "sex")
    with pytest.raises(OntomaskError, match="cannot be filtered"):
        table.counts("age", "heart disease", "therapy")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a,b,count_a,count_b,total\n", "line 1: has no column 'count_both'"),
        (f"{HEADER}age,sex,1,2,1\n", "line 2: 5 cells, not 6"),
        (f"{HEADER}age,sex,1,2,1,9\nage,job,1,x,1,9\n", "line 3: column 'count_b': 'x' is not a count"),
        (f"{HEADER}age,sex,1,2,1,-9\n", "line 2: column 'total': '-9' is not a count"),
        (f"{HEADER}age,sex,1,2,2,9\n", "line 2: counts that cannot be"),
        (f"{HEADER}age,,1,2,1,9\n", "line 2: the term '' has no word"),
        (f"{HEADER}age,sex,1,2,1,9\nSex,AGE,1,2,1,9\n", "line 3: 'Sex' and 'AGE' stand in line 2, too"),
        (f'{HEADER}age,"sex,1,2,1,9\n', "the quoting is broken"),
        (" \n", "the file is empty"),
    ],
)
def test_faults_of_a_table(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(content)
    with pytest.raises(OntologyError, match=rf"counts\.csv.*{told}"):
        open_literature(str(path))


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"none\.csv: cannot be read"):
        open_literature(str(tmp_path / "none.csv"))
