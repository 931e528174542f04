"""Methods beside each other over k: risk-utility map, curves, and the table of all their measures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ontomask.plan import Plan
from ontomask.report import charts, words
from ontomask.report.figures import single_numbers

_CURVES = (
    ("information_loss", "Information loss over k", "information loss, %"),
    ("srl", "Risk over k: people found by meaning (SRL)", "people found, %"),
    ("score", "Score over k (half loss, half risk)", "score"),
)
_TO_A_TABLE = 8


class Comparison:
    """What the template asks for; a row has `method`, `k` (None if it takes none) and figures."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], plan: Plan) -> None:
        self.rows = [(str(row["method"]), _asked(row), single_numbers(row)) for row in rows]
        self._without_k = dict.fromkeys(str(row["method"]) for row in rows if not row.get("gives_k", True))
        self.chosen = plan.method.name, plan.least_size if plan.method.own.has_groups else None
        self.methods = list(dict.fromkeys(method for method, _, _ in self.rows))

    def map(self, link: Callable[[str, str], charts.Link] | None = None) -> Markup:
        """The risk-utility map; `link` says where the point of a method and a label leads to."""
        series: dict[str, list[tuple[float, float, str]]] = {method: [] for method in self.methods}
        ringed = None
        for method, k, figures in self.rows:
            if "srl" in figures and "information_loss" in figures:
                point = figures["srl"], figures["information_loss"]
                series[method].append((*point, "no k" if k is None else f"{k}"))
                ringed = point if (method, k) == self.chosen else ringed
        return Markup(
            charts.scatter(
                series,
                title="Risk-utility map",
                desc="Risk (SRL) and information loss of each method and k: "
                + "; ".join(
                    f"{m} {label if label == 'no k' else f'k {label}'}: "
                    f"risk {words.percent(x)}, loss {words.percent(y)}"
                    for m, points in series.items()
                    for x, y, label in points
                ),
                x_title="risk: people found by meaning (SRL), %",
                y_title="information loss, %",
                chosen=ringed,
                limit=100,
                link=link,
            )
        )

    def curves(self) -> list[tuple[str, Markup]]:
        """Title and chart per measure over k; a method that takes no k is a level line."""
        found = []
        sizes = [k for _, k, _ in self.rows if k is not None]
        for key, title, y_title in _CURVES if sizes else ():
            series: dict[str, list[tuple[float, float]]] = defaultdict(list)
            told: dict[str, list[str]] = defaultdict(list)
            for method, k, figures in self.rows:
                if key in figures:
                    over = sorted({min(sizes), max(sizes)}) if k is None else [k]
                    series[method] += [(size, figures[key]) for size in over]
                    told[method].append(f"{'no k' if k is None else f'k {k:g}'} {words.number(figures[key])}")
            if series:
                desc = "; ".join(f"{method}: " + ", ".join(points) for method, points in told.items())
                chart = charts.lines(series, title=title, desc=desc, x_title="k", y_title=y_title, limit=100)
                found.append((title, Markup(chart)))
        return found

    def tables(self) -> list[list[str]]:
        """Measures that differ between rows, a few to a table so that they fit on paper."""
        differing = [key for key in self._measures() if not self._is_constant(key)]
        return [differing[i : i + _TO_A_TABLE] for i in range(0, len(differing), _TO_A_TABLE)]

    def constants(self) -> list[str]:
        """Measures that are the same in all rows, with their value."""
        same = [key for key in self._measures() if self._is_constant(key)]
        return [f"{self.name(key)} {words.number(self.rows[0][2][key])}" for key in same]

    def name(self, key: str) -> str:
        """The name of a measure for people."""
        declared = words.titled_figures().get(key)
        return declared.title if declared else key

    def _measures(self) -> list[str]:
        present = {key for _, _, figures in self.rows for key in figures if "." not in key}
        known = [key for key in words.titled_figures() if key in present]
        rest = present - {*known, "smallest_class"}
        return known + sorted(key for key in rest if not key.endswith("_blind"))  # all blind guesses are one

    def _is_constant(self, key: str) -> bool:
        return len({figures.get(key) for _, _, figures in self.rows}) == 1

    def k_told(self, method: str, k: int | None) -> str:
        """k of a row: what was asked for, or that there is none."""
        if method not in self._without_k:
            return f"{k}"
        return "none" if k is None else f"none, groups of {k}"

    def not_k_anonymous(self) -> list[str]:
        """Methods that give no k, and methods and k whose smallest class is below k."""
        below = [
            f"{method} with k = {k}"
            for method, k, figures in self.rows
            if k is not None and method not in self._without_k and figures.get("smallest_class", k) < k
        ]
        return [*(f"{method}, which gives none, whatever k is" for method in self._without_k), *below]


def _asked(row: Mapping[str, Any]) -> int | None:
    """The k that was asked for, or that groups were only formed by."""
    k = row.get("k") if row["k_asked"] is None else row["k_asked"]
    return None if k is None else int(k)
