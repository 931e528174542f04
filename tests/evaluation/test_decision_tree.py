"""Trees against a slow twin that is written from the formulas, and what they must do on small tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import log2, nan, sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.assessment import compare_trees
from ontomask.errors import OntomaskError
from ontomask.evaluation.decision_tree import DecisionTree, Feature, TreeOptions, accuracy, folds_of
from test_docs import run_ontomask

Row = tuple[tuple[float | str | None, ...], str, int]  # values, class, records
Z = 0.6744897501960817  # a quarter of a normal distribution lies above


# ---------------------------------------------------------------------- the twin


def entropy(rows: Sequence[Row]) -> float:
    of_class = Counter[str]()
    for _, kind, times in rows:
        of_class[kind] += times
    n = sum(of_class.values())
    return -sum(c / n * log2(c / n) for c in of_class.values() if c)


def size(rows: Sequence[Row]) -> int:
    return sum(times for _, _, times in rows)


class Split:
    """A way to split rows: by word, or by number in two, with those that have none."""

    def __init__(self, j: int, rows: Sequence[Row], bound: float | None) -> None:
        self.j, self.bound = j, bound
        self.parts: dict[object, list[Row]] = {}
        self.missing: list[Row] = []
        for row in rows:
            value = row[0][j]
            if bound is None:
                self.parts.setdefault(value, []).append(row)
            elif value is None:
                self.missing.append(row)
            else:
                self.parts.setdefault(float(value) > bound, []).append(row)
        n = size(rows)
        known = [row for part in self.parts.values() for row in part]
        rest = sum(size(part) / size(known) * entropy(part) for part in self.parts.values())
        self.gain = size(known) / n * (entropy(known) - rest)
        every = [*self.parts.values(), *([self.missing] if self.missing else [])]
        self.information = -sum(size(part) / n * log2(size(part) / n) for part in every)

    def is_allowed(self, least_leaf: int) -> bool:
        return sum(size(part) >= least_leaf for part in self.parts.values()) >= 2


def best_split(rows: Sequence[Row], is_number: Sequence[bool], options: TreeOptions) -> Split | None:
    splits: list[Split] = []
    for j, numeric in enumerate(is_number):
        numbers = sorted({float(row[0][j]) for row in rows if row[0][j] is not None}) if numeric else []
        bounds = numbers[:-1] if numeric else [None]
        own = [split for bound in bounds if (split := Split(j, rows, bound)).is_allowed(options.least_leaf)]
        best = None
        for split in own:
            if best is None or split.gain > best.gain + 1e-9:
                best = split
        splits += [best] if best is not None and best.gain > 1e-9 else []
    usual = sum(split.gain for split in splits) / len(splits) if splits else 0
    found, score = None, 0.0
    for split in splits:
        mine = split.gain
        if options.criterion == "ratio":
            mine = split.gain / split.information if split.gain >= usual - 1e-9 else 0
        if mine > score + 1e-9:
            found, score = split, mine
    return found if found is not None and found.gain >= options.least_gain - 1e-9 else None


def expected_errors(rows: Sequence[Row], kinds: Sequence[str]) -> float:
    n = size(rows)
    f = 1 - max(sum(t for _, kind, t in rows if kind == one) for one in kinds) / n
    return n * (f + Z**2 / (2 * n) + Z * sqrt(f / n - f**2 / n + Z**2 / (4 * n**2))) / (1 + Z**2 / n)


def twin(
    rows: list[Row],
    names: Sequence[str],
    is_number: Sequence[bool],
    kinds: Sequence[str],
    options: TreeOptions,
) -> list[str]:
    """The lines of the tree."""
    lines, _ = _twin(rows, names, is_number, kinds, options, 0)
    return lines


def _twin(rows, names, is_number, kinds, options, depth):  # type: ignore[no-untyped-def]
    counts = [sum(t for _, kind, t in rows if kind == one) for one in kinds]
    of_each = ", ".join(f"{kind}={n}" for kind, n in zip(kinds, counts, strict=True))
    told = f": {kinds[counts.index(max(counts))]} ({of_each})"
    alone = expected_errors(rows, kinds)
    split = None
    if depth < options.deepest and size(rows) >= 2 * options.least_leaf:
        split = best_split(rows, is_number, options)
    if split is None:
        return ([f"all{told}"] if depth == 0 else [told]), alone
    if split.missing:
        usual = max(split.parts, key=lambda side: (size(split.parts[side]), not side))
        split.parts[usual] += split.missing
    lines, below = [], 0.0
    for side in sorted(split.parts, key=lambda value: (value is not None, value)):
        inside, errors = _twin(split.parts[side], names, is_number, kinds, options, depth + 1)
        below += errors
        sign = ("> " if side else "<= ") if split.bound is not None else "= "
        shown = f"{split.bound:g}" if split.bound is not None else "(none)" if side is None else side
        first = f"{names[split.j]} {sign}{shown}"
        if len(inside) == 1:
            lines.append("| " * depth + first + inside[0])
        else:
            lines += ["| " * depth + first, *inside]
    if options.confidence < 1 and alone <= below + 1e-9:
        return ([f"all{told}"] if depth == 0 else [told]), alone
    return lines, below


def grown(
    rows: Sequence[Row], is_number: Sequence[bool], options: TreeOptions
) -> tuple[DecisionTree, list[list[str]], list[str]]:
    """The tree of the same rows, and what its codes are called."""
    features, called = [], []
    for j, numeric in enumerate(is_number):
        own = [row[0][j] for row in rows]
        if numeric:
            numbers = np.array([nan if value is None else float(value) for value in own])
            one = Feature.of_numbers(f"a{j}", np.arange(len(rows)), numbers)
            called.append([f"{numbers[v]:g}" for v in one.values])
        else:
            words = sorted(set(own), key=lambda value: (value is not None, value))
            one = Feature.of_words(f"a{j}", np.array([words.index(value) for value in own]))
            called.append(["(none)" if words[v] is None else str(words[v]) for v in one.values])
        features.append(one)
    kinds = sorted({kind for _, kind, _ in rows})
    y = np.array([kinds.index(kind) for _, kind, _ in rows])
    times = np.array([t for _, _, t in rows], np.int64)
    return DecisionTree(features, y, times, options), called, kinds


ROWS = st.lists(
    st.tuples(
        st.tuples(
            st.sampled_from(["p", "q", "r", None]),
            st.sampled_from([1.0, 2.0, 2.5, 7.0, None]),
            st.sampled_from(["u", "v"]),
            st.integers(0, 3).map(float),
        ),
        st.sampled_from(["ill", "well", "worse"]),
        st.integers(1, 4),
    ),
    min_size=2,
    max_size=25,
)
OPTIONS = st.builds(
    TreeOptions,
    criterion=st.sampled_from(["gain", "ratio"]),
    least_gain=st.sampled_from([0.0, 0.05, 0.3]),
    least_leaf=st.sampled_from([1, 2, 5]),
    deepest=st.sampled_from([1, 3, 20]),
    confidence=st.sampled_from([0.25, 1.0]),
)


@settings(max_examples=60)
@given(ROWS, OPTIONS)
def test_a_tree_is_that_of_its_slow_twin(rows: list[Row], options: TreeOptions) -> None:
    is_number = (False, True, False, True)
    tree, called, kinds = grown(rows, is_number, options)
    expected = twin(rows, [f"a{j}" for j in range(4)], is_number, kinds, options)
    assert tree.text(called, kinds).splitlines() == expected
    # and what it was grown from comes to the leaves that it told of
    told = [int(one) for line in expected for one in re.findall(r"=(\d+)[,)]", line)]
    leaves = np.array(told).reshape(-1, len(kinds))
    right = sum(counts.max() for counts in leaves)
    assert tree.right(np.array([times for _, _, times in rows], np.int64)) == right


# ---------------------------------------------------------------------- by hand

#  weather of Quinlan 1986, table 1: outlook has the greatest gain, 0.246 bits
WEATHER = """sunny hot high no N|sunny hot high yes N|overcast hot high no P|rain mild high no P
rain cool normal no P|rain cool normal yes N|overcast cool normal yes P|sunny mild high no N
sunny cool normal no P|rain mild normal no P|sunny mild normal yes P|overcast mild high yes P
overcast hot normal no P|rain mild high yes N"""


def weather() -> list[Row]:
    cells = [line.split() for line in WEATHER.replace("\n", "|").split("|")]
    return [(tuple(row[:4]), row[4], 1) for row in cells]


@pytest.mark.parametrize("criterion", ["gain", "ratio"])
def test_the_tree_of_quinlan_1986(criterion: str) -> None:
    options = TreeOptions(criterion, 0.0, 1, 20, 1.0)  # type: ignore[arg-type]
    tree, called, kinds = grown(weather(), [False] * 4, options)
    assert (
        tree.text(called, kinds)
        == """a0 = overcast: P (N=0, P=4)
a0 = rain
| a3 = no: P (N=0, P=3)
| a3 = yes: N (N=2, P=0)
a0 = sunny
| a2 = high: N (N=3, P=0)
| a2 = normal: P (N=0, P=2)"""
    )
    assert tree.used == [0, 2, 3]
    assert tree.rules(called, kinds)[1] == "a0 = rain and a3 = no: P (N=0, P=3)"
    assert Split(0, weather(), None).gain == pytest.approx(0.246, abs=1e-3)


def test_prediction_of_what_was_never_seen() -> None:
    words = Feature.of_words("word", np.array([0, 0, 1, 1, 2]))
    number = Feature.of_numbers("x", np.arange(5), np.array([1.0, 1.0, 1.0, 9.0, nan]))
    y, times = np.array([0, 0, 1, 0, 1]), np.array([3, 3, 4, 2, 0])
    tree = DecisionTree([words, number], y, times, TreeOptions(least_leaf=1, confidence=1))
    assert tree.predicted().tolist() == [0, 0, 1, 0, 0]  # word 2 has no branch: what most records have
    by_number = DecisionTree([number], np.array([1, 1, 1, 0, 0]), times, TreeOptions(confidence=1))
    assert by_number.predicted().tolist() == [1, 1, 1, 0, 1]  # no number: the branch of most records


def test_pruning_cuts_what_is_chance() -> None:
    noise = Feature.of_words("noise", np.array([0, 1, 0, 1]))
    y, times = np.array([0, 0, 1, 1]), np.array([30, 28, 2, 3])
    assert DecisionTree([noise], y, times, TreeOptions(least_gain=0, confidence=1)).used == [0]
    assert DecisionTree([noise], y, times, TreeOptions(least_gain=0)).used == []


def test_ties_fall_to_the_first_attribute_and_the_lowest_bound() -> None:
    twice = [Feature.of_words(name, np.array([0, 1])) for name in ("first", "second")]
    assert DecisionTree(twice, np.array([0, 1]), np.array([5, 5])).used == [0]
    middle = Feature.of_numbers("x", np.arange(3), np.array([1.0, 2.0, 3.0]))
    tree = DecisionTree(
        [middle], np.array([0, 1, 0]), np.array([4, 4, 4]), TreeOptions(deepest=1, confidence=1)
    )
    assert tree.text([["1", "2", "3"]], ["n", "y"]).startswith("x <= 1:")


CLEVELAND = {  # Loh 2012, table 4.18: InfoGain of the first split, and where numbers are split
    "thal": (0.210233, None), "vessels": (0.184635, None), "angina": (0.132295, None),
    "heart_rate": (0.131957, 148), "st_depression": (0.123189, 1.8), "slope": (0.108775, None),
    "age": (0.0631621, 55), "sex": (0.057874, None), "cholesterol": (0.0170486, 274),
    "blood_pressure": (0.0163683, 108), "blood_sugar": (0.0000072, None),
}  # fmt: skip


@pytest.mark.parametrize("name", CLEVELAND)
def test_first_split_of_cleveland(data: Callable[[str], Path], name: str) -> None:
    names, *cells = (line.split(",") for line in data("heart/cleveland.csv").read_text().splitlines())
    rows = [row for row in cells if "?" not in row]  # the 297 that are complete
    numbers = np.array([float(row[names.index(name)]) for row in rows])
    y, ones = np.array([int(float(row[-1]) > 0) for row in rows]), np.ones(len(rows), np.int64)
    published, boundary = CLEVELAND[name]
    feature = Feature.of_words(name, np.unique(numbers, return_inverse=True)[1])
    if boundary is not None:
        feature = Feature.of_numbers(name, np.arange(len(rows)), numbers)
    nodes = DecisionTree([feature], y, ones, TreeOptions(least_gain=0, deepest=1, confidence=1)).nodes

    def bits(counts: np.ndarray) -> float:
        return -sum(c / counts.sum() * log2(c / counts.sum()) for c in counts.tolist() if c)

    rest = sum(part.sum() / len(rows) * bits(part) for part in nodes.counts[1:])
    assert bits(nodes.counts[0]) - rest == pytest.approx(published, rel=1e-5, abs=5e-8)
    if boundary is not None:
        below = numbers[feature.values[nodes.bound[0]]]
        assert numbers[numbers > below].min() == boundary


# ---------------------------------------------------------------------- folds


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9)), min_size=2, max_size=12), st.integers(2, 5))
def test_folds_have_every_record_once_and_as_many_of_each_class(
    entries: list[tuple[int, int]], folds: int
) -> None:
    y, times = (np.array(column) for column in zip(*entries, strict=True))
    if folds > times.sum():
        return
    table = folds_of(y, times, folds, np.random.default_rng(0))
    assert table.sum(axis=1).tolist() == times.tolist()
    for kind in np.unique(y):
        of_fold = table[y == kind].sum(axis=0)
        assert of_fold.max() - of_fold.min() <= 1
    assert (table == folds_of(y, times, folds, np.random.default_rng(0))).all()


def test_accuracy_is_counted_on_records_that_were_held_out() -> None:
    own = Feature.of_words("id", np.arange(40))  # tells every record apart, and nothing of the others
    y = np.arange(40) % 2
    in_fold = folds_of(y, np.ones(40, np.int64), 10, np.random.default_rng(0))
    assert accuracy([own], y, in_fold, TreeOptions(confidence=1, least_leaf=1)) == 50
    with pytest.raises(OntomaskError, match="folds cannot be made"):
        folds_of(y, np.ones(40, np.int64), 41, np.random.default_rng(0))


# ---------------------------------------------------------------------- of a release

PEOPLE = {
    "age": [30, 31, 32, 33, 60, 61, 62, 63] * 5,
    "pet": ["dog", "cat", "dog", "cat", "cow", "ewe", "cow", "ewe"] * 5,
    "ill": ["no", "no", "no", "no", "yes", "no", "yes", "no"] * 5,
}
RELEASED = PEOPLE | {
    "age": ["30-33"] * 4 + ["60-63"] * 4,
    "pet": ["carnivore"] * 4 + ["cow", "ewe"] * 2,
}
RELEASED["age"] *= 5
RELEASED["pet"] *= 5
PLAN = om.Plan.from_options(["age:numeric", "pet:wordnet"], k=2).replace(release="truthful")


def test_trees_of_a_release_in_words() -> None:
    found = compare_trees(pa.table(PEOPLE), pa.table(RELEASED), PLAN, "ill")
    assert (
        found.masked
        == """pet = carnivore: no (no=20, yes=0)
pet = cow: yes (no=0, yes=10)
pet = ewe: no (no=10, yes=0)"""
    )
    assert set(found.rules_original) == {
        "pet = cat: no (no=10, yes=0)",
        "pet = cow: yes (no=0, yes=10)",
        "pet = dog: no (no=10, yes=0)",
        "pet = ewe: no (no=10, yes=0)",
    }
    assert (found.before, found.after, found.left) == (["pet"], ["pet"], ["age", "pet"])
    figures = om.evaluate(pa.table(PEOPLE), pa.table(RELEASED), PLAN, target="ill")
    assert (figures["accuracy_original"], figures["accuracy_masked"]) == (100, 100)
    assert figures["attributes_left"] == ["age", "pet"]


def test_what_is_generalised_to_the_root_is_not_left() -> None:
    rooted = RELEASED | {"pet": ["animal"] * 40}
    found = compare_trees(pa.table(PEOPLE), pa.table(rooted), PLAN, "ill")
    assert (found.after, found.left) == (["age"], ["age"])
    assert found.masked.splitlines()[0] == "age <= 30-33: no (no=20, yes=0)"


def test_rules_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, table in (("people", PEOPLE), ("release", RELEASED)):
        rows = zip(*table.values(), strict=True)
        Path(f"{name}.csv").write_text("age,pet,ill\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows))
    Path("plan.yaml").write_text(
        "attributes:\n  age: {role: quasi-identifier, kind: numeric}\n  pet: {role: quasi-identifier}\n"
        "others: keep\nrelease: truthful\nprivacy: {k: 2}\n"
    )
    asked = ["evaluate", "people.csv", "release.csv", "--plan", "plan.yaml"]
    code, said = run_ontomask([*asked, "--target", "ill", "--rules"])
    assert code == 0, said
    shown = said[said.index("attribute ") :].splitlines()
    assert [line.split() for line in shown[1:3]] == [["age", "x"], ["pet", "x", "x", "x"]]
    assert "Tree after masking:" in shown and "pet = cow: yes (no=0, yes=10)" in shown
    code, said = run_ontomask([*asked, "--rules"])
    assert code == 2 and "--rules are those of a --target" in said
