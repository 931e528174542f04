"""The page tells nothing that could point at somebody: a property over made-up tables and all methods."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask import datasets
from ontomask.pipeline import Release
from ontomask.plan import Plan
from ontomask.report import render_report
from report.html_of import Html

BRANCHES, LEAVES = 3, 4
JOBS = [f"job{b}x{i}q" for b in range(BRANCHES) for i in range(LEAVES)]
TOWNS = [f"town{b}x{i}q" for b in range(BRANCHES) for i in range(LEAVES)]
STEPS = ["stepAq", "stepBq", "stepCq", "stepDq"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hierarchies whose leaves no other text contains."""
    home = tmp_path_factory.mktemp("hierarchies")
    for kind in ("job", "town"):
        lines = [f"any {kind}:"]
        for b in range(BRANCHES):
            lines.append(f"  {kind} group {b}:")
            lines += [f"    {kind}{b}x{i}q: {{}}" for i in range(LEAVES)]
        (home / f"{kind}s.yaml").write_text("\n".join(lines) + "\n")
    return home


def made(rows: list[tuple[str, str, str, int]], k: int, method: str, folder: Path) -> Release:
    columns = dict(zip(("job", "town", "step", "age"), map(list, zip(*rows, strict=True)), strict=True))
    table = pa.table({"who": [f"ident{i:05}q" for i in range(len(rows))], **columns})
    qi: dict[str, Any] = {"role": "quasi-identifier"}
    attributes = {
        "who": {"role": "identifier"},
        "job": qi | {"ontology": "jobs.yaml"},
        "town": qi | {"ontology": "towns.yaml"},
        "step": qi | {"kind": "ordinal", "order": STEPS},
        "age": qi | {"kind": "numeric"},
    }
    asked = {"attributes": attributes, "privacy": {"k": k}, "method": {"name": method}}
    return om.anonymize(table, Plan.from_dict(asked, folder=folder))


def shown_values(text: str) -> set[str]:
    return set(re.findall(r"\b(?:job\dx\dq|town\dx\dq|step[A-D]q)\b", text))


# Few values are frequent, many are rare.
skewed = st.sampled_from([0] * 6 + [1] * 4 + [2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
rows = st.lists(
    st.tuples(
        skewed.map(JOBS.__getitem__),
        skewed.map(TOWNS.__getitem__),
        st.sampled_from(STEPS[:1] * 5 + STEPS),
        st.sampled_from([30] * 5 + [31, 35, 52, 7919]),
    ),
    min_size=12,
    max_size=60,
)
methods = st.sampled_from(["sa-mdav", "s-mdav", "mdav-lcs", "recoding", "resampling"])


@settings(max_examples=40)
@given(rows=rows, k=st.integers(2, 5), method=methods)
def test_no_value_of_fewer_than_k_people(
    rows: list[tuple[str, str, str, int]], k: int, method: str, folder: Path
) -> None:
    release = made(rows, k, method, folder)
    html = Html(render_report(release))
    assert not re.search(r"ident\d{5}q", html.source)
    # What the release itself says is no secret.
    public = shown_values(str(release.to_arrow().to_pydict()))
    counts = Counter(value for row in rows for value in row[:3])
    for value in shown_values(html.source) - public:
        assert counts[value] >= k, f"{value} of {counts[value]} people is told"
    if sum(row[3] == 7919 for row in rows) < k and "7919" not in str(release.to_arrow().to_pydict()):
        assert "7919" not in html.source and "7,919" not in html.source


@settings(max_examples=20)
@given(rows=rows, k=st.integers(2, 4), method=methods)
def test_no_combination_of_values(
    rows: list[tuple[str, str, str, int]], k: int, method: str, folder: Path
) -> None:
    for tag, text in Html(render_report(made(rows, k, method, folder))).blocks:
        kinds = {value[:3] for value in shown_values(text)}
        assert len(kinds) <= 1, f"<{tag}> tells of several columns: {text}"


@settings(max_examples=20)
@given(rows=rows, k=st.integers(3, 5))
def test_changes_are_of_at_least_k_people(
    rows: list[tuple[str, str, str, int]], k: int, folder: Path
) -> None:
    from ontomask.report.changes import Changes

    release = made(rows, k, "sa-mdav", folder)
    for j in range(len(release.columns)):
        changes = Changes.of(release, j)
        assert all(change.count >= k for change in changes.flows())
        assert all(hit.count >= k and (not hit.usual or hit.usual.count >= k) for hit in changes.worst_hit())
        assert sum(change.count for change in Changes.of(release, j, internal=True).flows()) == len(rows)


def test_rare_extremes_do_not_stretch_the_axis(folder: Path) -> None:
    people = [(JOBS[0], TOWNS[0], STEPS[0], age) for age in [30, 31, 32, 33, 34] * 4] + [
        (JOBS[0], TOWNS[0], STEPS[0], 7919)
    ]
    text = render_report(made(people, 3, "sa-mdav", folder))
    release = made(people, 3, "sa-mdav", folder).to_arrow().column("age").to_pylist()
    assert max(float(age) for age in release) < 7000
    assert not re.search(r"\b[78]\d{3}(–|</text>)", text)


def test_no_move_is_that_of_one_person(folder: Path) -> None:
    from ontomask.report.changes import Changes

    ages = [*range(30, 50), 7919]
    release = made([(JOBS[0], TOWNS[0], STEPS[0], age) for age in ages], 3, "sa-mdav", folder)
    after = [float(age) for age in release.to_arrow().column("age").to_pylist()]
    moves = sorted(abs(x - y) for x, y in zip(ages, after, strict=True))
    told = Changes.of(release, 3).typical_move()
    assert told == pytest.approx((sum(moves[9:12]) / 3, sum(moves[18:]) / 3))
    assert Changes.of(release, 3, internal=True).typical_move() == (moves[10], moves[19])


def test_internal_reports_say_so_and_tell_more(folder: Path) -> None:
    people = [(JOBS[0], TOWNS[0], STEPS[0], 30)] * 9 + [(JOBS[1], TOWNS[0], STEPS[0], 30)]
    release = made(people, 3, "sa-mdav", folder)
    closed, internal = render_report(release), render_report(release, internal=True)
    assert JOBS[1] not in closed and JOBS[1] in internal
    assert "Internal use only" in internal and "Internal use only" not in closed


def test_no_identifier_of_the_sample(release: Release) -> None:
    lines = datasets.path("patients.csv").read_text(encoding="utf-8").splitlines()[1:]
    page = render_report(release, internal=True)
    assert not [name for name in (line.split(",")[0] for line in lines) if name in page]
