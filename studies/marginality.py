"""Marginality microaggregation against the classic one (Domingo-Ferrer, Sanchez & Rufian-Torrell 2013)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

import ontomask as om
from clinical_data import DIGESTIVE, NEOPLASMS, Ward, need_icd9cm, stays, taxonomy_of
from common import Page, Sample, at_k
from ontomask.attributes import Nominal
from ontomask.distribution import Scaling
from ontomask.evaluation import ReleaseView
from ontomask.methods import Method
from ontomask.methods.marginality_mdav import MarginalityMdav
from ontomask.methods.mdav import SMdav
from ontomask.methods.recoding import Recoding
from ontomask.methods.sa_mdav import SaMdav
from ontomask.pipeline import prepare

K = tuple(range(2, 21, 2))
FEW_K = (4, 20)  # where 143,472 records of four attributes are masked
ALONE_K = {"neoplasms": K, "digestive": (4, 10, 20)}
SEEDS = 2
NUMBERS = ("age", "stay", "charge")
COLUMNS = (*NUMBERS, "diagnosis")
VERSIONS = ("classic", "marginality")
BALANCED = "balanced scaling"
Curve = dict[int, float]
Errors = dict[str, dict[str, Curve]]  # by version and column

# SSE as printed, k = 2, 4 .. 20: tables 2 to 5.
PUBLISHED_MIXED: dict[str, dict[str, dict[str, tuple[float, ...]]]] = {
    "neoplasms": {
        "classic": {
            "age": (11430, 32740, 49978, 62009, 73136, 98734, 104671, 107409, 114864, 129845),
            "stay": (7664, 19154, 41234, 52172, 55748, 68512, 78060, 87869, 97136, 107016),
            "diagnosis": (7589, 12121, 13722, 14517, 14989, 15308, 15550, 15757, 15896, 15981),
        },
        "marginality": {
            "age": (11436, 32746, 49882, 61925, 73254, 98800, 104605, 107461, 114793, 129770),
            "stay": (7662, 19155, 41231, 52175, 55756, 68506, 78073, 87855, 97142, 106938),
            "diagnosis": (7515, 10892, 11852, 12373, 12670, 12927, 13064, 13193, 13281, 13345),
        },
    },
    "digestive": {
        "classic": {
            "diagnosis": (51556, 88047, 101141, 107804, 111781, 114321, 116240, 117663, 118805, 119688)
        },
        "marginality": {"diagnosis": (51556, 77478, 85827, 89896, 92616, 94442, 95873, 96894, 97642, 98321)},
    },
}
PUBLISHED_ALONE: dict[str, dict[str, tuple[float, ...]]] = {
    "neoplasms": {
        "classic": (242, 858, 1465, 2018, 2710, 3154, 3822, 4012, 4570, 4846),
        "marginality": (150, 280, 435, 545, 667, 785, 904, 1015, 1136, 1185),
    },
    "digestive": {
        "classic": (103, 310, 512, 701, 912, 1042, 1197, 1490, 1642, 1789),
        "marginality": (103, 206, 323, 439, 560, 621, 708, 851, 945, 1038),
    },
}
WARDS = {"neoplasms": NEOPLASMS, "digestive": DIGESTIVE}
# What a reading does with ties, and with the records of a group.
RECORDS, TUPLES, SYNTHETIC = (
    "ties between records at random",
    "ties between codes at random",
    "synthetic values, ties between records at random",
)


def main() -> None:
    """Tables 2 to 5, published beside measured."""
    need_icd9cm()
    page = Page(
        "marginality",
        "Marginality microaggregation",
        "Published on Californian discharges (age, days of stay, charge, principal diagnosis) over the part "
        "of ICD-9-CM that covers their diagnoses; measured on invented discharges of that shape, with the "
        "chapter as the root of the taxonomy. In the invented ones a diagnosis tells nothing of age, stay or "
        "charge. So orderings and shapes compare, figures do not. Both versions are MDAV by the S-distance; "
        "the classic one has words equal or not, in the distance and in the variance that it is divided by, "
        "and the mode as their mean (section 3.3). SSE of words is by logsc for both. As published, the "
        "variance of words is a sum over all records, so that words hardly count; `balanced`, the default of "
        "this software, divides it by n - 1.",
        reading=RECORDS,
        controls=frozenset({BALANCED}),
    )
    saved: dict[str, Curve] = {}
    for name, ks in (("neoplasms", K), ("digestive", FEW_K)):
        sample = sample_of(WARDS[name], COLUMNS)
        page.text(f"## {name.capitalize()}: numbers and the diagnosis\n\n{described(sample)}")
        errors = mixed(page, name, sample, ks)
        saved = alone(page, name, errors["marginality"]["diagnosis"], saved)
    page.reading = RECORDS
    page.write()


def sample_of(ward: Ward, columns: Sequence[str]) -> Sample:
    """Columns of the invented discharges; means are not rounded, and the chapter is the root of its codes."""
    plan = om.Plan.from_options(
        [f"{name}:{'icd9cm' if name == 'diagnosis' else 'numeric'}" for name in columns]
    )
    table: pa.Table = stays(ward).select(list(columns))
    sample = Sample.of(prepare(table, plan))
    *numbers, words = sample.attributes
    assert isinstance(words, Nominal)
    codes = [words.ontology.ids[c] for c in words.concepts.tolist()]
    tree = taxonomy_of(ward, codes)
    below = Nominal(words.name, 1.0, -1, tree, om.measure("logsc"), tree.concepts(codes))
    return Sample(sample.tuples, [*(replace(one, decimals=None) for one in numbers), below])  # type: ignore[call-arg]


def described(sample: Sample) -> str:
    """How large it is."""
    words = sample.attributes[-1]
    assert isinstance(words, Nominal)
    return (
        f"{sample.tuples.n:,} records, {len(sample.tuples):,} of them distinct; {words.size} codes in a "
        f"taxonomy of {len(words.ontology)} categories."
    )


def squared_errors(view: ReleaseView) -> dict[str, float]:
    """``SSE(X_l) = sum_j dist(x_jl, x'_jl)^2``: numbers in their own unit, words by their measure."""
    pairs, found = view.pairs, {}
    for j, attribute in enumerate(view.attributes):
        unit = 1.0 if attribute.line is None else attribute.line.unit
        away = unit * attribute.distance(view.tuples.codes[pairs.original, j], pairs.values_of_pairs[:, j])
        found[attribute.name] = float(pairs.counts @ away**2)
    return found


def mixed(page: Page, name: str, sample: Sample, ks: Sequence[int]) -> Errors:
    """Table 2 or 3: both versions by both scalings; returns the errors by the published one."""
    found: dict[str, Errors] = {}
    scalings: tuple[Scaling, ...] = ("published", "balanced")
    for scaling in scalings:
        found[scaling] = {version: {column: {} for column in COLUMNS} for version in VERSIONS}
        for version in VERSIONS:
            method = MarginalityMdav(scaling=scaling, classic=version == "classic")
            for k in ks:
                for column, error in squared_errors(sample.masked(method, k)).items():
                    found[scaling][version][column][k] = error
    for column in COLUMNS:
        rows: list[list[object]] = []
        for version in VERSIONS:
            printed = PUBLISHED_MIXED[name][version].get(column)
            if printed:
                rows.append([f"{version}, as printed", *(f"{printed[k // 2 - 1]:,}" for k in ks)])
        for scaling in scalings:
            for version in VERSIONS:
                errors = found[scaling][version][column]
                rows.append([f"{version}, {scaling}", *(_figure(errors[k]) for k in ks)])
        page.text(f"SSE of {column}:")
        page.table(["k", *map(str, ks)], rows)
    page.drawing(
        f"{name}_mixed",
        {f"{v}, {s}": found[s][v]["diagnosis"] for s in scalings for v in VERSIONS},
        f"SSE of the diagnosis over k, {name}, masked with three numbers",
        "SSE",
    )
    judge_mixed(page, name, found["published"], ks, mean_square(sample) * 19 / 20)
    tell_price(page, name, found, ks)
    return found["published"]


def judge_mixed(page: Page, name: str, errors: Errors, ks: Sequence[int], any_code: float) -> None:
    """What the text says of tables 2 and 3; `any_code` is what one of 20 codes taken at random would cost."""
    classic, marginal = errors["classic"], errors["marginality"]
    page.reading = RECORDS
    apart = max(abs(marginal[c][k] / classic[c][k] - 1) for c in NUMBERS for k in ks)
    page.verdict(
        f"{name}: the errors of numbers are almost the same in both versions (within 1 %)",
        apart < 0.01,
        f"at most {apart:.2%} apart",
    )
    page.verdict(
        f"{name}: marginality has the lower error of the diagnosis from k = 4 on",
        *at_k([k for k in ks if k >= 4], lambda k: marginal["diagnosis"][k] < classic["diagnosis"][k]),
    )
    saved = savings(classic["diagnosis"], marginal["diagnosis"])
    first, last = {"neoplasms": (0.10, 0.16), "digestive": (0.12, 0.18)}[name]
    page.verdict(
        f"{name}: the saving grows with k, from about {first:.0%} at k = 4 to about {last:.0%} at k = 20",
        saved[20] > saved[4] and abs(saved[4] - first) < 0.03 and abs(saved[20] - last) < 0.03,
        f"{saved[4]:.1%} at k = 4, {saved[20]:.1%} at k = 20",
    )
    printed = PUBLISHED_MIXED[name]
    off = max(abs(marginal["diagnosis"][k] / printed["marginality"]["diagnosis"][k // 2 - 1] - 1) for k in ks)
    n = WARDS[name].records
    page.text(
        f"The errors of marginality are those that are printed, within {off:.1%}. It is the mode that does "
        f"better here: at k = 20 it costs {classic['diagnosis'][20] / n:.2f} for a record (any code of the "
        f"group about {any_code:.2f}), as printed {printed['classic']['diagnosis'][-1] / n:.2f}. So two "
        "records of the published data lie farther apart than two of the invented ones, and more is gained "
        "by choosing well."
    )


def tell_price(page: Page, name: str, found: Mapping[str, Errors], ks: Sequence[int]) -> None:
    """What `balanced` gains in the diagnosis and loses in numbers, beside `published`."""
    before, after = found["published"]["marginality"], found["balanced"]["marginality"]
    gain = {k: 1 - after["diagnosis"][k] / before["diagnosis"][k] for k in ks}
    price = {c: {k: after[c][k] / before[c][k] for k in ks} for c in NUMBERS}
    rows = [["less SSE of diagnosis", *(f"{gain[k]:.0%}" for k in ks)]]
    rows += [[f"SSE of {c}, times", *(f"{price[c][k]:.1f}" for k in ks)] for c in NUMBERS]
    page.text("Marginality, `balanced` beside `published`:")
    page.table(["k", *map(str, ks)], rows)
    page.reading = BALANCED
    plain = found["balanced"]["classic"]["diagnosis"]
    saved = savings(plain, after["diagnosis"])
    page.text(
        f"With words that count, meaning saves {min(saved.values()):.0%} to {max(saved.values()):.0%} of the "
        "classic error of the diagnosis."
    )
    page.judge(
        f"{name}: marginality has the lower error of the diagnosis from k = 4 on",
        all(saved[k] > 0 for k in ks if k >= 4),
    )
    page.reading = RECORDS


def alone(page: Page, name: str, in_mixed: Curve, of_others: Mapping[str, Curve]) -> dict[str, Curve]:
    """Table 4 or 5: the diagnosis is all there is. Returns what is saved in each reading."""
    sample, ks = sample_of(WARDS[name], ("diagnosis",)), ALONE_K[name]
    counts = sample.tuples.counts
    page.text(
        f"## {name.capitalize()}: the diagnosis alone\n\n{len(counts)} codes, {(counts == 1).sum()} of "
        "them unique, as published. Distances tie all the time: without meaning all but that of equal codes, "
        "with it those of siblings. Ties fall at random: between records, as where a program goes through "
        "them, or between codes, so that records of one code stay together. The paper generates synthetic "
        "values for the records of a group (algorithm 1), and speaks of averages where it evaluates: to "
        "count errors of the synthetic ones is a third reading. Both scalings give the same order of "
        "distances. Other methods of this software stand below."
    )
    readings: dict[str, dict[str, Curve]] = {
        RECORDS: curves(sample, ks, as_records=True),
        TUPLES: curves(sample, ks, as_records=False),
        SYNTHETIC: curves(sample, ks, as_records=True, is_synthetic=True),
    }
    printed = {v: dict(zip(K, row, strict=True)) for v, row in PUBLISHED_ALONE[name].items()}
    rows: list[list[object]] = [[f"{v}, as printed", *(f"{printed[v][k]:,}" for k in ks)] for v in VERSIONS]
    for reading, found in readings.items():
        rows += [[f"{v}, {reading}", *(_figure(found[v][k]) for k in ks)] for v in VERSIONS]
    others: dict[str, Method] = {"S-MDAV": SMdav(), "SA-MDAV": SaMdav(), "recoding": Recoding()}
    for label, method in others.items():
        rows.append([f"{label}, {TUPLES}", *(_figure(mean_error(sample, method, k)) for k in ks)])
    rows.append(
        ["computed: the last group of every code filled up", *(_figure(filled_up(sample, k)) for k in ks)]
    )
    page.table(["k", *map(str, ks)], rows)
    page.drawing(
        f"{name}_alone",
        {f"{v}, {reading}": found[v] for reading, found in readings.items() for v in VERSIONS},
        f"SSE of the diagnosis over k, {name}, masked alone",
        "SSE",
    )
    published = savings(printed["classic"], printed["marginality"])
    table = [["as printed", *(f"{published[k]:.0%}" for k in ks)]]
    saved = {reading: savings(found["classic"], found["marginality"]) for reading, found in readings.items()}
    for reading, row in saved.items():
        table.append([reading, *(f"{row[k]:.0%}" for k in ks)])
        page.reading = reading
        judge_alone(page, name, row, readings[reading]["marginality"], in_mixed)
        if of_others:
            less = row[20] < of_others[reading][20]
            page.judge(f"{name} alone: less is saved than of neoplasms at k = 20", less)
    whole, measured = filled_up(sample, 20), readings[RECORDS]["classic"][20]
    page.text(
        "The last line is what the classic version would lose if every code ended in a group of its own that "
        "others, at the mean distance of two records, fill up. At k = 20 the printed one loses "
        f"{printed['classic'][20] / whole:.0%} of that, this one {measured / whole:.0%} with ties between "
        "records: a rare code that fills up the group of another needs none of its own, and "
        "which code does so is left to ties.\n\nWhat marginality saves of the classic SSE:"
    )
    page.table(["k", *map(str, ks)], table)
    for claim in [claim for claim in page.claims if claim.startswith(f"{name} alone")]:
        found_in = [reading for reading, holds in page.claims[claim].items() if holds]
        said = "reproduced" if found_in else "not reproduced"
        page.text(f"**{said}**: {claim}" + (f" — {'; '.join(found_in)}" if found_in else ""))
    page.reading = RECORDS
    return saved


def judge_alone(page: Page, name: str, saved: Curve, marginal: Curve, in_mixed: Curve) -> None:
    """What the text says of tables 4 and 5."""
    from_k = {"neoplasms": 2, "digestive": 4}[name]
    page.judge(
        f"{name} alone: marginality loses less than the classic version from k = {from_k} on",
        all(saved[k] > 0 for k in saved if k >= from_k),
    )
    if name == "neoplasms":
        page.judge("neoplasms alone: at least 38 % are saved at k = 2", saved[2] >= 0.38)
        page.judge("neoplasms alone: at least 75 % are saved at k = 10", saved[10] >= 0.75)
        page.judge("neoplasms alone: more than 75 % are saved at k = 20", saved[20] > 0.75)
    else:
        page.judge("digestive alone: at least 33 % are saved at k = 4", saved[4] >= 0.33)
        page.judge("digestive alone: at least 42 % are saved at k = 20", saved[20] >= 0.42)
    page.judge(
        f"{name} alone: the error of the diagnosis is lower than beside numbers",
        all(marginal[k] < error for k, error in in_mixed.items() if k in marginal),
    )


def curves(
    sample: Sample, ks: Sequence[int], *, as_records: bool, is_synthetic: bool = False
) -> dict[str, Curve]:
    """SSE of both versions over k."""
    kind = "synthetic" if is_synthetic else "centroid"
    return {
        version: {
            k: mean_error(
                sample, MarginalityMdav(classic=version == "classic", replacement=kind), k, as_records
            )
            for k in ks
        }
        for version in VERSIONS
    }


def mean_error(sample: Sample, method: Method, k: int, as_records: bool = False) -> float:
    """SSE of the only column, mean over random orders."""
    orders: Iterable[Sample] = (
        sample.as_records(seed) if as_records else sample.shuffled(seed) for seed in range(SEEDS)
    )
    found = [squared_errors(one.masked(method, k, seed)) for seed, one in enumerate(orders)]
    return float(np.mean([list(one.values()) for one in found]))


def filled_up(sample: Sample, k: int) -> float:
    """SSE if the records that every code lacks to a multiple of k came from other codes."""
    return float((-sample.tuples.counts % k).sum() * mean_square(sample))


def mean_square(sample: Sample) -> float:
    """Mean squared distance of two records whose codes differ."""
    words, codes = sample.attributes[-1], sample.tuples.codes[:, -1]
    counts = np.bincount(codes, sample.tuples.counts)
    every = np.arange(len(counts), dtype=np.int32)
    squares = words.distance_table(every, words.own[every]) ** 2
    return float(counts @ squares @ counts / (counts.sum() ** 2 - (counts**2).sum()))


def savings(classic: Curve, marginal: Curve) -> Curve:
    """Share of the classic error that is saved."""
    return {k: 1 - marginal[k] / classic[k] for k in classic}


def _figure(x: float) -> str:
    return f"{x:.3g}" if x >= 1e6 else f"{x:,.0f}"


if __name__ == "__main__":
    main()
