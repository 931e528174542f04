"""One number for a release: what was lost and what is at risk, weighed against each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontomask.evaluation.subject import Family, Figure, Subject

ALPHAS = tuple(step / 10 for step in range(11))


def score(information_loss: float, risk: float, alpha: float = 0.5) -> float:
    """``alpha L + (1 - alpha) DR``, both in percent: the lower, the better the release balances the two.

    >>> score(20.0, 10.0)
    15.0
    """
    return alpha * information_loss + (1 - alpha) * risk


def score_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """The score at the subject's alpha, and its curve over alpha 0, 0.1, ... 1."""
    loss, risk = found["information_loss"], found["srl"]
    return {
        "score": score(loss, risk, subject.alpha),
        "score_curve": [score(loss, risk, alpha) for alpha in ALPHAS],
    }


SCORE = Family(
    score_figures,
    (
        Figure("score", "Score", "", "alpha loss + (1 - alpha) risk; alpha is a half unless said otherwise"),
        Figure("score_curve"),
    ),
)
