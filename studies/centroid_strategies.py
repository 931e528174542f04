"""Five ways to choose a centroid, on a whole table and per Ward cluster (Martinez 2013, ch. 4.3.5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import ontomask as om
from common import Page, Sample, adult, survey
from ontomask.attributes import Tuples
from ontomask.evaluation.ward import best_cut, cut, dendrogram
from ontomask.operators import CentroidStrategy
from ontomask.report.charts import grouped_bars

CLUSTERS = 7
SPECIFIC = "survey, specific answers only"
# Name on the page: strategy, measure that the centroid is built by. MFC is the most frequent record.
BUILT: dict[str, tuple[CentroidStrategy, str]] = {
    "MFC": ("mode-record", "logsc"),
    "LCSC": ("lcs", "logsc"),
    "CC": ("consensus", "logsc"),
    "SC path": ("semantic", "path"),
    "SC wup": ("semantic", "wup"),
    "SC logsc": ("semantic", "logsc"),
}
STRATEGIES = ("RC", "MFC", "LCSC", "CC", "SC path", "SC wup", "SC logsc")
NEAR = 1e-6  # sums of grid distances


@dataclass(frozen=True)
class Outcome:
    """Summed distance (logsc, mean over attributes) of all records to each strategy's centroid."""

    totals: dict[str, float]
    labels: dict[str, str]
    best_record: float
    """What the best record of the data itself would give."""


def main() -> None:
    """Compare the strategies in both scenarios."""
    page = Page(
        "centroid_strategies",
        "Centroid strategies",
        "What stands for a set of records best? RC a random record (here its expected sum, where the "
        "publication shows one draw), MFC the most frequent record, LCSC the least common subsumer, CC the "
        "record of least confusion, SC the semantic centroid, built by path, wup or logsc. Summed logsc "
        "distance of all records to the centroid: the lower, the better. Published on 975 park visitors "
        "(figures 10 and 11, drawn, without numbers); measured on a generated survey of that shape, and on "
        "Adult, which the publication does not look at: what holds there is shown, but not counted.",
        controls=frozenset({"Adult", SPECIFIC}),
    )
    visitors, people = Sample.of(survey()), Sample.of(adult())
    specific, general = without_general_answers(visitors)
    whole_table(page, "survey", visitors)
    per_cluster(page, "survey", visitors)
    page.text(
        f"The best concept is itself an answer in every cluster: {' and '.join(general)} are answers, and "
        "they are the subsumers of other answers. To see whether that is the reason, the same without the "
        f"{visitors.tuples.n - specific.tuples.n} visitors who gave one of them:"
    )
    per_cluster(page, SPECIFIC, specific, is_control=True)
    whole_table(page, "Adult", people)
    per_cluster(page, "Adult", people)
    page.text(
        "Confusion counts only the links down to the value that is replaced, and these differ: in cluster 5 "
        "putting *cleaner* for the 1,687 American operators costs two links each, *operator* for the 1,189 "
        "cleaners three, so that CC gives up the majority."
    )
    page.write()


def whole_table(page: Page, name: str, sample: Sample) -> None:
    """Scenario 1: all records, as pairs and column by column."""
    page.reading = name
    page.text(f"## {name}: the whole table")
    columns = {"both": sample} | {a.name: column_of(sample, j) for j, a in enumerate(sample.attributes)}
    found = {label: outcome(part) for label, part in columns.items()}
    strategies = STRATEGIES
    page.table(
        ["", *strategies],
        [[label, *[f"{row.totals[s]:.1f}" for s in strategies]] for label, row in found.items()],
    )
    page.table(
        ["centroid", *STRATEGIES[1:]],
        [[label, *[row.labels[s] for s in STRATEGIES[1:]]] for label, row in found.items()],
    )
    page.figure(
        name.lower(),
        grouped_bars(
            strategies,
            {label: [row.totals[s] for s in strategies] for label, row in found.items()},
            title=f"{name}: summed distance to the centroid",
            desc="; ".join(
                f"{label}: " + ", ".join(f"{s} {row.totals[s]:.0f}" for s in strategies)
                for label, row in found.items()
            ),
        ),
        f"{name}: summed distance to the centroid of the whole table",
    )
    totals = found["both"].totals
    best = min(totals.values())
    page.verdict(
        "whole table: SC improves on RC, MFC, LCSC and CC",
        all(totals["SC logsc"] < totals[s] - NEAR for s in ("RC", "MFC", "LCSC", "CC")),
        equal_to(totals, "SC logsc", ("MFC", "CC")),
    )
    page.verdict(
        "whole table: SC built by logsc and by wup are equal, by path slightly worse",
        abs(totals["SC logsc"] - totals["SC wup"]) < NEAR and totals["SC path"] > best + NEAR,
        f"above the best: wup {totals['SC wup'] - best:.1f}, path {totals['SC path'] - best:.1f}",
    )
    page.verdict("whole table: LCSC is the worst", totals["LCSC"] == max(totals.values()))
    if name == "survey":
        root = [a.ontology.labels[0] for a in sample.attributes]
        page.verdict("whole table: the LCS is the root", found["both"].labels["LCSC"] == ", ".join(root))
    page.verdict(
        "whole table: CC lies between LCSC and SC",
        totals["SC logsc"] < totals["CC"] < totals["LCSC"],
    )
    page.verdict(
        "whole table: MFC and RC do reasonably well: both nearer to SC than to LCSC",
        all(totals[s] - best < totals["LCSC"] - totals[s] for s in ("MFC", "RC")),
        f"of the way from SC to LCSC: MFC {share(totals, 'MFC'):.0%}, RC {share(totals, 'RC'):.0%}",
    )


def per_cluster(page: Page, name: str, sample: Sample, is_control: bool = False) -> None:
    """Scenario 2: the clusters of semantic Ward; a control looks at the last claim alone."""
    page.reading = name
    merges = dendrogram(sample.tuples, sample.attributes)
    labels = cut(merges, CLUSTERS)
    natural = int(best_cut(merges, sample.tuples, sample.attributes).max()) + 1
    page.text(
        f"## {name}: per Ward cluster\n\n{CLUSTERS} clusters as published (Calinski-Harabasz would cut here "
        f"into {natural}). *Dominant* is the share of the most frequent record in its cluster."
    )
    rows, found, dominant = [], [], []
    for number in range(CLUSTERS):
        inside = np.flatnonzero(labels == number)
        part = Sample(
            Tuples(sample.tuples.codes[inside], sample.tuples.counts[inside]), list(sample.attributes)
        )
        found.append(outcome(part))
        dominant.append(part.tuples.counts.max() / part.tuples.n)
        rows.append(
            [number + 1, part.tuples.n, len(inside), f"{dominant[-1]:.0%}"]
            + [f"{x:.1f}" for x in found[-1].totals.values()]
        )
    sums = {s: sum(one.totals[s] for one in found) for s in found[0].totals}
    rows.append(["all", sample.tuples.n, len(labels), "", *[f"{x:.1f}" for x in sums.values()]])
    page.table(["cluster", "records", "tuples", "dominant", *sums], rows)
    if not is_control:
        general_claims(page, found, sums, dominant)
    if name != "Adult":  # the last claim is on open answers
        spread_clusters(page, found)


def general_claims(page: Page, found: list[Outcome], sums: dict[str, float], dominant: list[float]) -> None:
    """The claims on all clusters."""
    worse = [i + 1 for i, one in enumerate(found) if one.totals["SC logsc"] > min(one.totals.values()) + NEAR]
    page.verdict(
        "per cluster: SC is best in every cluster and in sum",
        not worse and sums["SC logsc"] <= min(sums.values()) + NEAR,
        f"not in clusters {worse}" if worse else "",
    )
    spared = [i + 1 for i, one in enumerate(found) if one.totals["LCSC"] < max(one.totals.values())]
    page.verdict(
        "per cluster: LCSC is the worst in every cluster",
        not spared,
        "; ".join(f"cluster {i}: {ranking(found[i - 1].totals)}" for i in spared),
    )
    page.verdict("per cluster: LCSC is the worst in sum", sums["LCSC"] == max(sums.values()), ranking(sums))
    tight = [i for i, share in enumerate(dominant) if share >= 0.5]
    same = [i for i in tight if all(equal(found[i].totals, s) for s in ("MFC", "CC"))]
    page.verdict(
        "per cluster: where one record dominates (half of the cluster), MFC and CC find the optimum too",
        bool(tight) and same == tight,
        f"{len(same)} of {len(tight)} such clusters",
    )


def spread_clusters(page: Page, found: list[Outcome]) -> None:
    """The claim on clusters without a dominant record."""
    loose = [i for i, one in enumerate(found) if not any(equal(one.totals, s) for s in ("MFC", "CC"))]
    above = [i for i in loose if found[i].best_record > found[i].totals["SC logsc"] + NEAR]
    where = " and ".join(f"{i + 1} ({found[i].labels['SC logsc']})" for i in above)
    page.verdict(
        "per cluster: in spread clusters only SC finds the optimum, by a concept that no record has",
        bool(above),
        f"SC alone is best in cluster {where}"
        if above
        else "MFC or CC, or both, reach the optimum in every cluster",
    )


def outcome(sample: Sample) -> Outcome:
    """Build every strategy's centroid and sum the distances to it."""
    tuples, attributes = sample.tuples, sample.attributes
    keys = [
        tuple(a.ontology.ids[a.concepts[c]] for a, c in zip(attributes, row, strict=True))
        for row in tuples.codes
    ]
    values = dict(zip(keys, tuples.counts.tolist(), strict=True))
    ontologies = [a.ontology for a in attributes]
    to_records = sum(
        a.measure.matrix(a.ontology, a.concepts, a.concepts)[np.ix_(codes, codes)]
        for a, codes in zip(attributes, tuples.codes.T, strict=True)
    ) / len(attributes)
    of_record = to_records @ tuples.counts
    totals, labels = {"RC": float(tuples.counts @ of_record / tuples.n)}, {}
    for name, (strategy, measure) in BUILT.items():
        made = om.centroid(values, ontology=ontologies, measure=measure, strategy=strategy)
        per_attribute = [
            a.measure.matrix(a.ontology, [c], a.concepts[tuples.codes[:, j]])[0]
            for j, (a, c) in enumerate(zip(attributes, made.concepts, strict=True))
        ]
        totals[name] = float(tuples.counts @ np.mean(per_attribute, axis=0))
        labels[name] = ", ".join(made.label)
    return Outcome({s: totals[s] for s in STRATEGIES}, labels, float(of_record.min()))


def column_of(sample: Sample, j: int) -> Sample:
    """One attribute alone."""
    codes, place = np.unique(sample.tuples.codes[:, j], return_inverse=True)
    counts = np.bincount(place, sample.tuples.counts).astype(np.int64)
    return Sample(Tuples(codes[:, None].astype(np.int32), counts), [sample.attributes[j]])


def without_general_answers(sample: Sample) -> tuple[Sample, list[str]]:
    """The records none of whose values subsumes another value of its column, and the values left out."""
    kept, names = np.ones(len(sample.tuples), bool), set()
    for j, a in enumerate(sample.attributes):
        is_general = np.bincount(a.up.take(a.own).values, minlength=a.n_replacements)[a.own] > 1
        names |= {a.ontology.labels[c] for c in a.concepts[is_general]}
        kept &= ~is_general[sample.tuples.codes[:, j]]
    return Sample(Tuples(sample.tuples.codes[kept], sample.tuples.counts[kept]), sample.attributes), sorted(
        names
    )


def equal(totals: dict[str, float], strategy: str) -> bool:
    """Whether a strategy is as good as SC."""
    return totals[strategy] <= totals["SC logsc"] + NEAR


def equal_to(totals: dict[str, float], first: str, others: tuple[str, ...]) -> str:
    """Which of the others reach the same sum."""
    same = [s for s in others if abs(totals[s] - totals[first]) < NEAR]
    return f"{' and '.join(same)} reach the same sum" if same else ""


def share(totals: dict[str, float], strategy: str) -> float:
    """How far a strategy lies on the way from SC to LCSC."""
    return (totals[strategy] - totals["SC logsc"]) / (totals["LCSC"] - totals["SC logsc"])


def ranking(totals: dict[str, float]) -> str:
    """Strategies from best to worst."""
    return ", ".join(f"{s} {totals[s]:.1f}" for s in sorted(totals, key=totals.__getitem__))


if __name__ == "__main__":
    main()
