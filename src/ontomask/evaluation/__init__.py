"""What was lost and what is still at risk: figures of a release, from integers and counts only."""

from __future__ import annotations

from ontomask.evaluation.loss import losses
from ontomask.evaluation.pairs import Pairs, ReleaseView

__all__ = ["Pairs", "ReleaseView", "losses"]
