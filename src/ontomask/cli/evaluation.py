"""`ontomask evaluate` and `ontomask compare`: what was lost, what is at risk, which method does best."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ontomask.cli.asking import PlanPath, SetKeys, TablePath, asked_plan
from ontomask.cli.printing import AsJson, bar, print_json, print_table, warn
from ontomask.errors import OntomaskError

_SHOWN = {
    "n": "records",
    "suppressed": "suppressed records",
    "k": "smallest class (k)",
    "classes": "classes",
    "information_loss": "information loss L (%)",
    "semantic_loss": "semantic loss (0..1)",
    "kl_divergence": "KL divergence",
    "discernibility": "discernibility",
    "average_class_size": "average class size / k",
    "linkage_before": "found before masking (%)",
    "srl": "found by meaning, SRL (%)",
    "mrl": "found by equality, MRL (%)",
    "rl": "found from the masked side, RL (%)",
    "srl_blind": "found by a blind guess (%)",
    "score": "score (L + SRL) / 2",
    "lkc_k": "smallest class to who knows L values",
}


def evaluate_command(
    original: Annotated[Path, typer.Argument(help="The table before masking.")],
    masked: Annotated[Path, typer.Argument(help="The table after masking, by any tool.")],
    plan: PlanPath,
    key: Annotated[str | None, typer.Option(help="Column that matches rows; else row order.")] = None,
    known: Annotated[list[str] | None, typer.Option(help="Attribute the intruder knows.")] = None,
    attacker_ontology: Annotated[str | None, typer.Option(help="Ontology the intruder has.")] = None,
    attacker_measure: Annotated[str | None, typer.Option(help="Measure the intruder uses.")] = None,
    known_values: Annotated[int | None, typer.Option(help="L of LKC-privacy.")] = None,
    settings: SetKeys = None,
    as_json: AsJson = False,
) -> None:
    """Figures of a masked table beside its original: loss, risk, privacy models."""
    from ontomask.assessment import evaluate

    with bar({"evaluating": 1.0}) as progress:
        progress.tell("evaluating")
        found = evaluate(
            original,
            masked,
            asked_plan(plan, {}, None, {}, settings),
            key=key,
            known=known,
            attacker_ontology=attacker_ontology,
            attacker_measure=attacker_measure,
            known_values=known_values,
        )
    if as_json:
        return print_json(found)
    shown = [(text, _figure(found[name])) for name, text in _SHOWN.items() if name in found]
    shown += [(name, _figure(v)) for name, v in found.items() if "." in name and not isinstance(v, list)]
    return print_table((), shown)


def compare_command(
    table: TablePath,
    plan: PlanPath,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for table, JSON and report.")],
    methods: Annotated[str, typer.Option(help="Comma-separated.")] = (
        "sa-mdav,recoding,s-mdav,resampling,suppression"
    ),
    k: Annotated[str, typer.Option("--k", "-k", help="Comma-separated.")] = "2,3,5,10,20",
    settings: SetKeys = None,
    internal: Annotated[bool, typer.Option(help="Report for internal use: shows rare values.")] = False,
    as_json: AsJson = False,
) -> None:
    """Methods x k on one table: all figures as CSV and JSON, and a report with map and curves."""
    from ontomask.assessment import compare_methods
    from ontomask.files import replacing
    from ontomask.pipeline import prepare, released
    from ontomask.report import write_report

    asked, names, ks = asked_plan(plan, {}, None, {}, settings), methods.split(","), _whole_numbers(k)
    runs = {f"{name}, k = {size}": 5.0 for name in names for size in ks}
    with bar({"reading": 2.0, "linking": 2.0} | runs | {"writing": 5.0}) as progress:
        prepared = prepare(table, asked, progress)
        rows = compare_methods(prepared, asked, names, ks, progress=progress)
        progress.tell("writing")
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OntomaskError(f"cannot make the folder {output}: {error.strerror}") from None
        with replacing(output / "figures.json") as temporary:
            temporary.write_text(json.dumps(rows, indent=2))
        plain = [{name: v for name, v in row.items() if not isinstance(v, (list, dict))} for row in rows]
        fields = list(dict.fromkeys(name for row in plain for name in row))
        with replacing(output / "figures.csv") as temporary, temporary.open("w", newline="") as file:
            writer = csv.DictWriter(file, fields, lineterminator="\n")
            writer.writeheader()
            writer.writerows(plain)
        report = output / "report.html"
        write_report(report, released(prepared, asked), comparison=rows, internal=internal)
    if as_json:
        return print_json(rows)
    shown = ("method", "k_asked", "k", "information_loss", "srl", "mrl", "rl", "score", "seconds")
    print_table(shown, [tuple(_figure(row[name]) for name in shown) for row in rows])
    made = {(row["method"], row["k_asked"]) for row in rows}
    for name, size in ((name, size) for name in names for size in ks if (name, size) not in made):
        warn(f"note: {name} would release no row at k = {size}")
    return warn(f"wrote {output / 'figures.csv'}, {output / 'figures.json'} and {report}")


def _whole_numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise OntomaskError(
            f"--k takes whole numbers with commas between them, such as 2,5,10; not {text!r}"
        ) from None


def _figure(value: Any) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, float):
        return f"{value:,.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
