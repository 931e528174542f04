"""Compiling ahead masks a toy with every method."""

from __future__ import annotations

import pytest

from ontomask import warmup
from ontomask.methods import METHODS


@pytest.mark.parametrize("method", METHODS)
def test_every_method_masks_the_toy(method: str) -> None:
    warmup.mask_a_toy(method)


def test_it_runs_in_a_process_of_its_own() -> None:
    compiling = warmup.start("suppression")
    assert compiling is None or compiling.wait() == 0
