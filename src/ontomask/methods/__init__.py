"""Masking methods by name; each is one file that reads like the algorithm of its paper."""

from __future__ import annotations

from ontomask.methods.base import SUPPRESSED, Masking, Method
from ontomask.methods.mdav import Mdav, MdavEquality, MdavLcs, SMdav
from ontomask.methods.recoding import Recoding
from ontomask.methods.resampling import (
    Resampling,
    ResamplingEqualityMode,
    ResamplingWupLcs,
    ResamplingWupMode,
)
from ontomask.methods.sa_mdav import SaMdav
from ontomask.methods.suppression import Suppression

__all__ = ["METHODS", "RESAMPLING_SETTINGS", "SUPPRESSED", "Masking", "Method"]

METHODS: dict[str, type[Method]] = {
    kind.name: kind
    for kind in (SaMdav, Recoding, SMdav, Mdav, MdavEquality, MdavLcs, Resampling, Suppression)
}

RESAMPLING_SETTINGS: dict[str, type[Resampling]] = {
    "semantic": Resampling,
    "equality-mode": ResamplingEqualityMode,
    "wup-mode": ResamplingWupMode,
    "wup-lcs": ResamplingWupLcs,
}
