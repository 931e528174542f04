"""`ontomask evaluate` and `ontomask compare`: what was lost, what is at risk, which method does best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.asking import (
    EngineName,
    KeyFile,
    Master,
    PlanPath,
    SetKeys,
    TablePlace,
    asked_place,
    asked_plan,
    of_engine,
)
from ontomask.cli.printing import AsJson, print_json, print_table, print_text, say, warn
from ontomask.cli.waiting import bar
from ontomask.days import day_told
from ontomask.errors import OntomaskError
from ontomask.printable import some_of

if TYPE_CHECKING:
    from ontomask.assessment import Trees
    from ontomask.plan import Plan
    from ontomask.tables.address import Place

_SHOWN = {
    "n": "records",
    "suppressed": "suppressed records",
    "k_reached": "smallest class (k)",
    "classes": "classes",
    "information_loss": "information loss L (%)",
    "semantic_loss": "semantic loss (0..1)",
    "granularity": "granularity, 1 - NCP (0..1)",
    "lower_bound": "least possible L, proven (%)",
    "granularity_bound": "greatest granularity, proven",
    "gap": "loss above the least, at most (%)",
    "gen_iloss": "GenILoss (0..1)",
    "prec": "precision, Prec (0..1)",
    "query_error": "error of counts (%)",
    "query_error_median": "error of counts, median (%)",
    "kl_divergence": "KL divergence",
    "discernibility": "discernibility",
    "average_class_size": "average class size / k",
    "linkage_before": "found before masking (%)",
    "srl": "found by meaning, SRL (%)",
    "mrl": "found by equality, MRL (%)",
    "rl": "found from the masked side, RL (%)",
    "srl_blind": "found by a blind guess (%)",
    "score": "score of L and SRL",
    "lkc_k": "smallest class to who knows L values",
    "k_map": "people of the population, k-map",
    "individual_risk_max_before": "highest individual risk before (%)",
    "individual_risk_max": "highest individual risk (%)",
    "individual_risk_mean_before": "mean individual risk before (%)",
    "individual_risk_mean": "mean individual risk (%)",
    "reidentifications": "people found, expected",
    "population_uniques_before": "unique in the population before (%)",
    "population_uniques": "unique in the population (%)",
    "special_uniques_before": "singled out by few columns before (%)",
    "special_uniques": "singled out by few columns (%)",
    "suda_max": "highest SUDA score",
    "dis_suda_mean_before": "mean DIS-SUDA before (%)",
    "dis_suda_mean": "mean DIS-SUDA (%)",
    "joint_people": "people in both releases",
    "other_k": "smallest class of the other release",
    "joint_k": "smallest class of both together",
    "joint_singled_out": "singled out by both together (%)",
    "joint_below_k": "fewer than k by both together (%)",
    "partition_distance": "distance of the clusters (0..1)",
    "cluster_adjusted_rand": "adjusted Rand index of clusters",
    "accuracy_original": "accuracy of a tree, original (%)",
    "accuracy_masked": "accuracy of a tree, masked (%)",
    "accuracy_blind": "accuracy of a blind guess (%)",
}
_OF_K = ("average_class_size", "joint_below_k")  # a multiple of k, or below it


def evaluate_command(
    original: Annotated[Any, typer.Argument(parser=asked_place, help="The table before masking.")],
    masked: Annotated[Any, typer.Argument(parser=asked_place, help="The table after masking, by any tool.")],
    plan: PlanPath,
    key: Annotated[str | None, typer.Option(help="Column that matches rows; else row order.")] = None,
    known: Annotated[list[str] | None, typer.Option(help="Attribute the intruder knows.")] = None,
    attacker_ontology: Annotated[str | None, typer.Option(help="Ontology the intruder has.")] = None,
    attacker_measure: Annotated[str | None, typer.Option(help="Measure the intruder uses.")] = None,
    known_values: Annotated[int | None, typer.Option(help="L of LKC-privacy.")] = None,
    population: Annotated[
        Any, typer.Option(parser=asked_place, help="Table of all people it is drawn from.")
    ] = None,
    weights: Annotated[str | None, typer.Option(help="Column with the sampling weights.")] = None,
    fraction: Annotated[
        float | None, typer.Option(help="Part of the population in the table, such as 0.05.")
    ] = None,
    suda: Annotated[
        int | None, typer.Option(help="Score people whom at most so many columns single out.")
    ] = None,
    other: Annotated[
        Any,
        typer.Option(
            "--with", parser=asked_place, help="Another release of the same people: what both tell."
        ),
    ] = None,
    other_columns: Annotated[
        list[str] | None,
        typer.Option("--with-column", help="Quasi-identifier of the other release; else those of the plan."),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Weight of the loss in the score.")] = 0.5,
    bound: Annotated[bool, typer.Option(help="Prove how far the loss is from the least possible.")] = False,
    clusters: Annotated[bool, typer.Option(help="Compare semantic clusters too.")] = False,
    target: Annotated[str | None, typer.Option(help="Column that decision trees predict.")] = None,
    rules: Annotated[
        bool, typer.Option(help="Print the decision trees of --target, with values of both tables.")
    ] = False,
    engine: EngineName = None,
    master: Master = None,
    settings: SetKeys = None,
    key_file: KeyFile = None,
    as_json: AsJson = False,
) -> None:
    """Figures of a masked table beside its original: loss, risk, privacy models."""
    from ontomask.assessment import compare_trees, evaluate

    if rules and target is None:
        raise OntomaskError("--rules are those of a --target", remedy="name the column to be predicted")
    asked = _as_released(asked_plan(plan, {}, None, of_engine(engine, master), settings, key_file), masked)
    with bar({"evaluating": 1.0}) as progress:
        progress.tell("evaluating")
        found = evaluate(
            original,
            masked,
            asked,
            key=key,
            known=known,
            attacker_ontology=attacker_ontology,
            attacker_measure=attacker_measure,
            known_values=known_values,
            population=population,
            weights=weights,
            sampling_fraction=fraction,
            suda=suda,
            other=other,
            other_columns=other_columns,
            alpha=alpha,
            bound=bound,
            clusters=clusters,
            target=target,
        )
        trees = compare_trees(original, masked, asked, target, key=key) if rules and target else None
    has_k = asked.method.own.gives_k
    if not has_k:
        warn(f"note: {asked.promised}: of the size of classes nothing was asked")
    if as_json:
        return print_json(found | (trees.as_dict() if trees else {}))
    shown = [
        (text, _figure(found[name]))
        for name, text in _SHOWN.items()
        if name in found and (has_k or name not in _OF_K)
    ]
    dates = [name for name, one in asked.attributes.items() if one.kind == "date"]
    days = {f"mean{when}.{name}" for name in dates for when in ("", "_masked")}
    for name, value in found.items():
        if "." in name and not isinstance(value, list):
            shown.append((name, day_told(value) if name in days and value is not None else _figure(value)))
    print_table((), shown)
    return _print_trees(trees) if trees else None


def _print_trees(trees: Trees) -> None:
    """Which attributes the trees use, as in tables 4.2 to 4.19 of Loh 2012, and the trees."""
    say()
    print_table(
        ("attribute", "tree before", "tree after", "told apart"),
        [
            (name, *("x" if name in names else "" for names in (trees.before, trees.after, trees.left)))
            for name in trees.attributes
        ],
    )
    for title, text in (("before", trees.original), ("after", trees.masked)):
        say()
        say(f"Tree {title} masking:")
        print_text(f"{text}\n")


def _as_released(plan: Plan, masked: Place) -> Plan:
    """The plan with the columns truthful that the manifest beside the masked table says were released so."""
    from ontomask.outputs import Outputs, released_columns

    released = released_columns(masked)
    told = [
        name
        for name in plan.with_role("quasi-identifier")
        if released.get(name) == "truthful" and not plan.is_truthful(name)
    ]
    if not told:
        return plan
    warn(f"truthful, as {Outputs(masked).manifest} says: {some_of(told)}")
    return plan.replace(attributes={name: {"release": "truthful"} for name in told})


def compare_command(
    table: TablePlace,
    plan: PlanPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for table, JSON and report.")],
    methods: Annotated[
        str | None, typer.Option(help="Comma-separated.", show_default="five usual ones")
    ] = None,
    k: Annotated[
        str | None, typer.Option("--k", "-k", help="Comma-separated.", show_default="from 2 to 20")
    ] = None,
    settings: SetKeys = None,
    internal: Annotated[bool, typer.Option(help="Report for internal use: shows rare values.")] = False,
    as_json: AsJson = False,
) -> None:
    """Methods x k on one table: all figures as CSV and JSON, and a report with map and curves."""
    from ontomask.assessment.comparison import USUAL_K, USUAL_METHODS, compare, phases_of, sizes_in
    from ontomask.report import render_report

    asked, ks = asked_plan(plan, {}, None, {}, settings), USUAL_K if k is None else sizes_in(k)
    names = [name.strip() for name in methods.split(",")] if methods is not None else USUAL_METHODS
    with bar(phases_of(names, ks) | {"writing": 5.0}) as progress:
        found = compare(table, asked, names, ks, progress=progress)
        progress.tell("writing")
        page = render_report(found.release, comparison=found.rows, internal=internal)
        *written, last = found.write(output, also={"report.html": page})
    if as_json:
        return print_json(found.rows)
    shown = ("method", "k_asked", "k_reached", "information_loss", "srl", "mrl", "rl", "score", "seconds")
    print_table(shown, [(row["method"], _k_told(row), *_figures(row, shown[2:])) for row in found.rows])
    for name in dict.fromkeys(row["method"] for row in found.rows if not row["gives_k"]):
        warn(f"note: {name} gives no k-anonymity: of its rows k_reached is what came about, by chance")
    for name, size in found.left_out:
        warn(f"note: {name} would release no row at k = {size}")
    return warn(f"wrote {', '.join(map(str, written))} and {last}")


def _k_told(row: Mapping[str, Any]) -> str:
    """The k that was asked for; of a method that gives none, that."""
    if row["gives_k"]:
        return _figure(row["k_asked"])
    return "none" if row["k"] is None else f"none, groups of {row['k']:,}"


def _figures(row: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [_figure(row[name]) for name in names]


def _figure(value: Any) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, float):
        return f"{value:,.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
