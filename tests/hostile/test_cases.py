"""The quick part of the generated cases, and that all that is registered is generated and judged."""

from __future__ import annotations

from pathlib import Path

import pytest

import ontomask as om
from hostile import cases, judge
from hostile.cases import Case, Column, case
from hostile.run_cases import run_cases
from hostile.running import workplace
from hostile.sources import WRITERS, delimited, put
from ontomask.columns import READERS
from ontomask.methods import METHODS
from ontomask.privacy import REQUIREMENTS

_CHUNK = 25


@pytest.mark.parametrize("first", range(0, 8 * _CHUNK, _CHUNK))
def test_every_case_is_released_as_it_must_be_or_refused(first: int) -> None:
    tally = run_cases(range(first, first + _CHUNK))
    repeat = "; `python -m tests.hostile --case SEED` repeats one"
    assert not tally.failures, "\n".join([f"{len(tally.failures)} of {_CHUNK}{repeat}", *tally.failures[:8]])
    assert tally.released > _CHUNK // 4


def test_every_kind_requirement_and_way_in_is_generated_and_judged() -> None:
    assert {*READERS} <= {*cases.KINDS} and {*READERS} <= {*judge.CHECKS}
    assert {*REQUIREMENTS} <= {*cases.REQUIREMENT_VALUES} and {*REQUIREMENTS} <= {*judge.REQUIREMENTS}
    assert {*cases.SOURCES[0]} <= {*WRITERS}


def test_the_first_cases_meet_every_method_kind_and_format() -> None:
    some = [case(seed) for seed in range(1500)]
    assert {one.plan["method"]["name"] for one in some} == {*METHODS}
    assert {c.kind for one in some for c in one.columns if c.role == "quasi-identifier"} == {*READERS}
    assert len({c.settings.get("several") for one in some for c in one.columns}) > 4
    assert {one.source for one in some} == {*cases.SOURCES[0]}
    assert {one.target for one in some} == {*cases.TARGETS[0]}


def test_a_case_is_the_same_for_ever() -> None:
    assert case(7) == case(7) != case(8)


# ---------------------------------------------------------------------- the judge itself


def _plain_case() -> Case:
    jobs = ["cat", "cat", "dog", "dog", "cat", "a person's own text"]
    columns = (
        Column("id", "identifier", "nominal", [f"{cases.token_of(0)}{i}" for i in range(6)]),
        Column(
            "job",
            "quasi-identifier",
            "nominal",
            list(jobs),
            {"ontology": "o.yaml"},
            frozenset({"cat", "dog"}),
        ),
        Column("age", "quasi-identifier", "numeric", ["1", "2", "3", "4", "5", "6"]),
        Column("ill", "confidential", "nominal", ["a", "b", "a", "b", "a", "b"]),
    )
    plan = {"method": {"name": "mdav"}, "privacy": {"k": 3}, "table": {}, "attributes": {}}
    dialect = {
        "separator": ",",
        "encoding": "utf-8",
        "newline": "\n",
        "quotes": "needed",
        "last newline": True,
    }
    return Case(0, columns, plan, {}, ".csv", ".csv", "api", dialect)


GOOD = "job,age,ill\ncat,2,a\ncat,2,b\ncat,2,a\ndog,5,b\ndog,5,a\ndog,5,b\n"
BROKEN = {
    "below a requirement": GOOD.replace("dog,5,b\n", "dog,4,b\n", 1),
    "rows lost": GOOD.replace("dog,5,a\n", ""),
    "header": GOOD.replace("age", "years"),
    "cells": GOOD.replace("dog,5,a", "dog,5,c"),
    "identifier": GOOD.replace("cat,", f"{cases.token_of(0)}3,"),
    "rare text": GOOD.replace("dog", "a person's own text"),
    "number": GOOD.replace(",5,", ",inf,"),
    "partial file": GOOD[:-4],
    "manifest": GOOD,
}


def _judged(text: str, *, manifest: str | None = None, method: str = "mdav") -> set[str]:
    import json

    one = _plain_case()
    one.plan["method"]["name"] = method
    with workplace() as folder:
        source, release = folder / "in.csv", folder / "out.csv"
        source.write_bytes(delimited(one))
        release.write_text(text)
        said = {"output": {"sha256": judge.digest(release)}, "figures": {"k_asked": 3, "suppressed": 0}}
        (folder / "out.manifest.json").write_text(manifest or json.dumps(said))
        return {rule for rule, _ in judge.judge(one, folder, source, release)}


def test_the_judge_finds_nothing_in_a_good_release() -> None:
    assert _judged(GOOD) == set()


@pytest.mark.parametrize("rule", [*BROKEN])
def test_the_judge_finds_what_is_broken(rule: str) -> None:
    manifest = (
        '{"output": {"sha256": "0"}, "figures": {"k_asked": 3, "loss": NaN}}' if rule == "manifest" else None
    )
    assert rule in _judged(BROKEN[rule], manifest=manifest)


GENERALISED = "job,age,ill\n" + "".join(f"*,{'1-3' if i < 3 else '4-6'},{'ab'[i % 2]}\n" for i in range(6))


@pytest.mark.parametrize(
    ("text", "is_untrue"),
    [
        (GENERALISED, False),
        (GENERALISED.replace("4-6", "1-3"), True),
        (GENERALISED.replace("4-6", "4-<6"), True),
    ],
)
def test_the_judge_finds_values_that_are_not_true(text: str, is_untrue: bool) -> None:
    found = _judged(text, method="datafly")
    assert found == ({"untrue"} if is_untrue else set())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_judge_reads_quotes_as_the_standard_library_does(separator: str) -> None:
    import csv
    import io

    text = f'a{separator}"b ""c"" {separator}\nd"{separator}\r\n{separator}{separator}""\r\n'
    assert judge.parse(text, separator) == list(
        csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    )


def test_what_is_put_is_what_the_product_reads(tmp_path: Path) -> None:
    one = next(c for c in map(case, range(500)) if c.source == ".csv" and c.dialect["encoding"] == "utf-8")
    source = put(one, tmp_path)
    profile = om.init(source)
    assert [column.name for column in profile.columns] == [column.name for column in one.columns]
