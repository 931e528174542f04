"""Anonymising for a purpose (Loh 2012, chapter 4): which attributes are left, with constraints and without.

`python studies/purpose.py` writes docs/studies/purpose.md. UCI Cleveland has the published attributes, types,
relations and MIM scores; for CHD_DB there are invented patients of its shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from common import Page
from ontomask.hierarchies.intervals import RangeSet
from purpose_data import (
    AGES,
    CHOLESTEROL,
    LS,
    ROOTS,
    Outcome,
    Setting,
    Subject,
    chd_like,
    cleveland,
    concepts_of,
)

READINGS = {
    "left is what the tree splits by": "in_tree",
    "left is what the release tells apart": "told_apart",
}
SIMILAR = 3.0
"""Percent by which an accuracy may be lower and still be called similar; ours."""

CLEVELAND = [
    (score, constraint)
    for score in ("infogain", "mim")
    for constraint in ("none", "sign or symptom", "diagnostic procedure", "result of", "diagnoses")
]
CHD = [
    *(("infogain", c) for c in ("none", "finding", "clinical attribute", "associated with", "result of")),
    *(("mim", c) for c in ("none", "finding")),
]
# Counted in tables 4.5 to 4.9 and 4.17, and 4.10 to 4.14 and 4.19: left without the constraint, left with it.
PUBLISHED = {
    ("Cleveland", "infogain", "sign or symptom"): (6, 11),
    ("Cleveland", "infogain", "diagnostic procedure"): (16, 16),
    ("Cleveland", "infogain", "result of"): (6, 16),
    ("Cleveland", "infogain", "diagnoses"): (22, 22),
    ("Cleveland", "mim", "result of"): (None, 18),
    ("CHD_DB", "infogain", "finding"): (22, 36),
    ("CHD_DB", "infogain", "clinical attribute"): (36, 35),
    ("CHD_DB", "infogain", "associated with"): (73, 70),
    ("CHD_DB", "infogain", "result of"): (51, 50),
    ("CHD_DB", "mim", "finding"): (None, 38),
}

Found = Mapping[Setting, Outcome]


def main() -> None:
    """The whole page."""
    page = Page(
        "purpose",
        "Anonymising for a purpose",
        "Loh 2012, *Ontology-based constrained anonymization for domain-driven data mining outsourcing*, "
        "chapter 4: top-down specialisation for LKC-privacy, by InfoGain or by MIM, with constraints that "
        "put attributes of a semantic type, or with a relation to heart disease, before others. Types, "
        "relations and MIM scores are those printed (tables 6.5, 6.6, 4.18 and 4.20); C is 1. Trees split by "
        "information gain; a released range is a word to them, as in figure 6.4, and a number of the "
        "original is a number.\n\n"
        "In the tables `X` is an attribute that the tree of a release splits by, `o` one that the release "
        "tells apart but the tree does not need; the attributes that a constraint puts first have a `*`.",
    )
    one = cleveland()
    page.text(
        "## Cleveland\n\n"
        f"{len(one.y)} records; accuracy by ten-fold cross-validation, mean of {len(one.folds)} ways to deal "
        "out the records. Chest pain has the two levels of figure 3.7; numbers are split as it goes."
    )
    found = told(page, one, CLEVELAND)
    survived(page, "Cleveland", one, found, CLEVELAND)
    accuracies(page, one, found, CLEVELAND)
    judge_cleveland(page, one, found)
    many = chd_like()
    page.text(
        "## CHD_DB\n\n"
        f"{len(many.y):,} invented patients (`benchmarks/chd.py`) with the attributes of table 6.3: what is "
        "left depends on how much each attribute tells of the disease, and that is invented, so orderings "
        "compare, figures do not. Each half is predicted by trees of the other, which are not pruned: leaves "
        "of one class stand side by side in table 4.1(c). Most patients are well and little is told of who "
        "is not, so that no tree does much better than a blind guess: accuracy says little here."
    )
    found = told(page, many, CHD)
    survived(page, "CHD_DB", many, found, CHD)
    accuracies(page, many, found, CHD)
    judge_chd(page, many, found)
    page.text(
        "## Ranges and concepts\n\n"
        "Table 4.1: numbers that are split where it tells most, beside hierarchies whose ranges lie within "
        "the concepts of the UMLS (age: *Adult* 19 to 44, *Middle Aged* 45 to 64, ...; cholesterol: *normal* "
        "below 240, *high*). *In one concept*: the values of the release, and the rules of its tree that ask "
        "for the attribute, whose range does not reach into a second concept. The print shows one K of each "
        "table; here it is every K, since cholesterol was seen to keep within concepts by chance at K = 20."
    )
    for subject, name, concepts, constraint in (
        (one, "age", AGES, "organism attribute"),
        (many, "cholesterol", CHOLESTEROL, "finding"),
    ):
        settings = [Setting("infogain", c, 2, K) for c in ("none", constraint) for K in subject.ks]
        ranges(page, subject, name, concepts, settings)
    page.write()


def told(page: Page, subject: Subject, asked: Iterable[tuple[str, str]]) -> dict[Setting, Outcome]:
    """Every release of a table, with what is left of each."""
    original = subject.original().outcome()
    found = {}
    for score, constraint in asked:
        first = subject.prioritised(constraint)
        names = [f"{name}*" if name in first else name for name in subject.attributes]
        rows = [["original", "", *marks(subject, original), f"{original.accuracy:.1f}"]]
        for setting in subject.settings(score, constraint):
            found[setting] = outcome = subject.released(setting).outcome()
            rows.append(row_of(subject, setting, outcome))
        page.text(f"### By {score}, {described(constraint)}")
        page.table(["L", "K", *names, "accuracy"], rows)
    return found


def row_of(subject: Subject, setting: Setting, outcome: Outcome) -> list[str]:
    """A release as a line of its table."""
    return [str(setting.L), str(setting.K), *marks(subject, outcome), f"{outcome.accuracy:.1f}"]


def described(constraint: str) -> str:
    """A constraint in words."""
    return "unconstrained" if constraint == "none" else f"constrained to *{constraint}*"


def marks(subject: Subject, outcome: Outcome) -> list[str]:
    """What is left of each attribute."""
    return [
        "X" if name in outcome.in_tree else "o" if name in outcome.told_apart else ""
        for name in subject.attributes
    ]


def times_left(
    subject: Subject, found: Found, setting_of: tuple[str, str], names: Iterable[str], kind: str
) -> int:
    """How often attributes are left, over all L and K."""
    wanted = frozenset(names)
    return sum(len(wanted & getattr(found[one], kind)) for one in subject.settings(*setting_of))


def survived(page: Page, data: str, subject: Subject, found: Found, asked: Sequence[tuple[str, str]]) -> None:
    """How often the prioritised attributes are left, with the constraint and without."""
    rows = []
    totals = {kind: [0, 0] for kind in READINGS.values()}
    for score, constraint in asked:
        if constraint == "none":
            continue
        names = subject.prioritised(constraint)
        of = len(names) * len(subject.ks) * len(LS)
        row: list[object] = [score, constraint, of]
        for kind in READINGS.values():
            pair = [times_left(subject, found, (score, which), names, kind) for which in ("none", constraint)]
            totals[kind] = [a + b for a, b in zip(totals[kind], pair, strict=True)]
            row += pair
        published = PUBLISHED.get((data, score, constraint), (None, None))
        rows.append([*row, *("" if one is None else one for one in published)])
    of_all = sum(int(str(row[2])) for row in rows)
    rows.append(["all", "", of_all, *(n for pair in totals.values() for n in pair), "", ""])
    page.text(
        "### How often the prioritised attributes are left\n\n"
        "Each attribute counts once for each L and K. *Published* is counted in the printed tables, which "
        "show what is in the tree."
    )
    page.table(
        [
            "score",
            "constraint",
            "of",
            "in the tree without",
            "with",
            "told apart without",
            "with",
            "published without",
            "with",
        ],
        rows,
    )
    for reading, kind in READINGS.items():
        page.reading = reading
        without, with_it = totals[kind]
        page.judge(
            f"{data}: the prioritised attributes are left more often with constraints", with_it > without
        )


def accuracies(page: Page, subject: Subject, found: Found, asked: Iterable[tuple[str, str]]) -> None:
    """Accuracy of every release beside the baseline."""
    levels = [f"{one.L}/{one.K}" for one in subject.settings("infogain", "none")]
    rows = [
        [score, constraint, *(f"{found[one].accuracy:.1f}" for one in subject.settings(score, constraint))]
        for score, constraint in asked
    ]
    baseline = subject.original().outcome().accuracy
    page.text(
        f"### Accuracy\n\nOf trees of the original {baseline:.1f} %, of a blind guess {subject.blind:.1f} %; "
        "of releases, for each L/K:"
    )
    page.table(["score", "constraint", *levels], rows)


def judge_cleveland(page: Page, subject: Subject, found: Found) -> None:
    """What is claimed of Cleveland."""
    baseline = subject.original().outcome().accuracy
    plain = list(subject.settings("infogain", "none"))
    for reading, kind in READINGS.items():
        page.reading = reading

        def left(score: str, constraint: str, L: int, K: int, kind: str = kind) -> frozenset[str]:
            return getattr(found[Setting(score, constraint, L, K)], kind)

        def at_all(score: str, constraint: str) -> list[frozenset[str]]:
            return [left(*one) for one in subject.settings(score, constraint)]

        def by_level(one: Setting) -> int:
            return len(left(*one))

        page.judge(
            "unconstrained, no more attributes are left as L or K rises (table 4.5)",
            all(by_level(a) >= by_level(b) for a in plain for b in plain if a.L <= b.L and a.K <= b.K),
        )
        page.judge(
            "unconstrained, L = 4 and L = 6 leave the same attributes (table 4.5)",
            all(left("infogain", "none", 4, K) == left("infogain", "none", 6, K) for K in subject.ks),
        )
        page.judge(
            "unconstrained, angina and the thallium test alone are left at L = 4 and 6, K = 6 (table 4.5)",
            all(left("infogain", "none", L, 6) == {"angina", "thal"} for L in (4, 6)),
        )
        page.judge(
            "*sign or symptom* leaves chest pain at every L and K; unconstrained it is never left at L = 4 "
            "and 6 (table 4.6)",
            all("chest_pain" in one for one in at_all("infogain", "sign or symptom"))
            and not any("chest_pain" in left("infogain", "none", L, K) for L in (4, 6) for K in subject.ks),
        )
        for constraint, table in (("diagnostic procedure", "4.7"), ("diagnoses", "4.9")):
            first = subject.prioritised(constraint)
            page.judge(
                f"*{constraint}* leaves those of its attributes that are left unconstrained (table {table})",
                all(
                    a & first == b & first
                    for a, b in zip(at_all("infogain", constraint), at_all("infogain", "none"), strict=True)
                ),
            )
        page.judge(
            "*result of* leaves age, sex and heart rate at most L and K (table 4.8)",
            sum({"age", "sex", "heart_rate"} <= one for one in at_all("infogain", "result of")) > 4,
        )
        page.judge(
            "by MIM, *result of* leaves age and heart rate everywhere, sex nowhere (table 4.17)",
            all({"age", "heart_rate"} <= one and "sex" not in one for one in at_all("mim", "result of")),
        )
        for score in ("infogain", "mim"):
            page.judge(
                f"by {score}, accuracy is similar to the baseline or above (figure 4.2)",
                all(found[one].accuracy >= baseline - SIMILAR for one in subject.settings(score, "none")),
            )
        lower = [found[one._replace(score="mim")].accuracy < found[one].accuracy for one in plain]
        page.judge(
            "in most cases MIM is less accurate than InfoGain (figure 4.2)", sum(lower) > len(lower) / 2
        )


def judge_chd(page: Page, subject: Subject, found: Found) -> None:
    """What is claimed of CHD_DB."""
    for reading, kind in READINGS.items():
        page.reading = reading

        def everywhere(names: set[str], score: str, constraint: str, kind: str = kind) -> bool:
            return all(names <= getattr(found[one], kind) for one in subject.settings(score, constraint))

        page.judge(
            "CHD_DB: unconstrained, cholesterol, pressures, hypertrophy and smoking are left (table 4.10)",
            everywhere(
                {"cholesterol", "systolic", "diastolic", "hypertrophy", "smoking"}, "infogain", "none"
            ),
        )
        for score, table in (("infogain", "4.11"), ("mim", "4.19")):
            page.judge(
                f"CHD_DB: by {score}, *finding* leaves education and smoking everywhere (table {table})",
                everywhere({"education", "smoking"}, score, "finding"),
            )


def ranges(page: Page, subject: Subject, name: str, concepts: RangeSet, settings: Sequence[Setting]) -> None:
    """Ranges that are found as it goes beside those of concepts."""
    rows = []
    counts: dict[str, list[int]] = {"dynamic": [0, 0], "ontology": [0, 0]}
    for setting in settings:
        for kind, files in (("dynamic", {}), ("ontology", {name: f"{name}.dgh"})):
            made = subject.released(setting, files)
            values = [text for text in made.values(name) if text not in ROOTS]
            inside = [text for text in values if len(concepts_of(text, concepts)) == 1]
            rules = made.rules_on(name)
            within = [rule for rule in rules if in_one_concept(rule, name, concepts)]
            counts[kind] = [a + len(b) for a, b in zip(counts[kind], (inside, values), strict=True)]
            rows.append(
                [
                    described(setting.constraint),
                    setting.K,
                    kind,
                    ", ".join(values) if len(values) <= 12 else f"{len(values)} ranges",
                    f"{len(inside)} of {len(values)}" if values else "",
                    f"{len(within)} of {len(rules)}" if rules else "",
                    f"{made.outcome().accuracy:.1f}",
                ]
            )
    page.text(f"### {name.capitalize()}, L = {settings[0].L}")
    page.table(["", "K", "ranges", "values", "in one concept", "rules in one concept", "accuracy"], rows)
    (inside_dynamic, dynamic), (inside_ontology, ontology) = counts["dynamic"], counts["ontology"]
    for reading in READINGS:
        page.reading = reading
        page.judge(
            f"ranges of {name} by the ontology lie in one concept each, dynamic ones not always (table 4.1)",
            0 < inside_ontology == ontology and inside_dynamic < dynamic,
        )


def in_one_concept(rule: str, name: str, concepts: RangeSet) -> bool:
    """Whether the range that a rule asks for does not reach into a second concept."""
    conditions, _, _ = rule.rpartition(": ")
    (text,) = (
        part.partition(" = ")[2] for part in conditions.split(" and ") if part.startswith(f"{name} = ")
    )
    return len(concepts_of(text, concepts)) == 1


if __name__ == "__main__":
    main()
