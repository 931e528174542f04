"""`ontomask describe`: what the words and numbers of a table are like, before anything is masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ontomask.cli.asking import EngineName, Master, PlanPath, SetKeys, TablePlace, asked_plan, of_engine
from ontomask.cli.printing import AsJson, print_json, print_table, say, warn
from ontomask.cli.waiting import bar

if TYPE_CHECKING:
    from ontomask.plan import Plan
    from ontomask.stats import ColumnDescription


_LOOPS = "_kernels.shared_subsumers"  # by which words are compared


def describe_command(
    table: TablePlace,
    plan: PlanPath,
    scaling: Annotated[
        str, typer.Option(help="Of words: balanced (mean distances) or published (sums, which grow with n).")
    ] = "balanced",
    internal: Annotated[bool, typer.Option(help="For internal use: shows rare values.")] = False,
    engine: EngineName = None,
    master: Master = None,
    settings: SetKeys = None,
    as_json: AsJson = False,
) -> None:
    """Mean, variance, spread and covariances of words and numbers: the columns that a plan explains."""
    from ontomask.stats import describe
    from ontomask.stats.tables import explained_columns

    asked = asked_plan(plan, {}, None, of_engine(engine, master), settings)
    with_words = any(asked.attributes[name].kind == "nominal" for name in explained_columns(asked))
    with bar({"describing": 1.0}, compiles=_LOOPS if with_words else "") as progress:
        progress.tell("describing")
        found = describe(table, asked, scaling=scaling, internal=internal)  # type: ignore[arg-type]
    if as_json:
        return print_json(found.as_dict())
    shares = [f"{100 * one.share:g} %" for one in next((c.spread for c in found.columns if c.spread), ())]
    print_table(
        ("column", "kind", "rows", "missing", "values", "mean", "variance", *shares),
        [
            (
                one.name,
                one.kind,
                f"{one.n:,}",
                f"{one.missing:,}",
                f"{one.distinct:,}",
                _mean(one),
                _figure(one.variance),
                *(_places(one) or ["–"] * len(shares)),
            )
            for one in found.columns
        ],
    )
    if found.pairs:
        say()
        print_table(
            ("columns", "rows", "covariance", "correlation", "if unrelated"),
            [(f"{one.first}, {one.second}", f"{one.n:,}", *map(_figure, one[3:])) for one in found.pairs],
        )
    if found.least > 1:
        warn(
            f"note: no value of fewer than {found.least} rows{_by_unit(asked)} is told, a quantile or radius "
            f"is the mean of the {found.least} rows around it, and nothing is told of two columns if 1 to "
            f"{found.least - 1} rows have just one of them; --internal shows them as they are"
        )
    return None


def _by_unit(plan: Plan) -> str:
    return f", of {plan.least_told} people at least," if plan.privacy.unit else ""


def _mean(column: ColumnDescription) -> str:
    """The mean, and of words how far from the others it is."""
    if column.number is None:
        return "–"
    value = "(rare)" if column.mean is None else _value(column.mean)
    return f"{value} ({_figure(column.number)})" if column.kind == "nominal" else value


def _places(column: ColumnDescription) -> list[str]:
    """Quantiles of numbers; of words radii round the mean, and values there."""
    if column.kind != "nominal":
        return [_value(one.values[0]) if one.values else "(rare)" for one in column.spread]
    return [
        f"{_figure(one.at)}: {', '.join(map(_value, one.values))}" if one.values else _figure(one.at)
        for one in column.spread
    ]


def _value(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.4f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else f"{value:.6g}"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
