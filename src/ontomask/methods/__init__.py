"""Masking methods by name; each is one file that reads like the algorithm of its paper.

A new one is a file with a `Method` that declares its options and its words, and a line in the register below.
"""

from __future__ import annotations

from ontomask.methods.annealing import Annealing
from ontomask.methods.auto import Auto
from ontomask.methods.base import Masking, Method, Microaggregation
from ontomask.methods.best_first import BestFirst
from ontomask.methods.datafly import Datafly
from ontomask.methods.incognito import Incognito
from ontomask.methods.k_ward import KWard
from ontomask.methods.marginality_mdav import MarginalityMdav
from ontomask.methods.mdav import Mdav, MdavEquality, MdavLcs, SMdav
from ontomask.methods.noise import Noise
from ontomask.methods.rank_swapping import RankSwapping
from ontomask.methods.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.sa_mdav import SaMdav
from ontomask.methods.suppression import Suppression
from ontomask.methods.t_first import TFirst
from ontomask.methods.task import SUPPRESSED, Task
from ontomask.methods.top_down import TopDown

__all__ = ["METHODS", "SUPPRESSED", "Masking", "Method", "Microaggregation", "Task"]

METHODS: dict[str, type[Method]] = {
    kind.name: kind
    for kind in (
        SaMdav,
        Annealing,
        Auto,
        Recoding,
        SMdav,
        TFirst,
        Mdav,
        MdavEquality,
        MdavLcs,
        MarginalityMdav,
        KWard,
        Resampling,
        RankSwapping,
        Noise,
        Suppression,
        Datafly,
        Incognito,
        BestFirst,
        TopDown,
    )
}
