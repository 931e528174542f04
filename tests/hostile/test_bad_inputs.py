"""The quick part of the bad inputs: some of every class."""

from __future__ import annotations

import pytest

from hostile.bad import GOOD, Bad, answer, write
from hostile.bad_inputs import all_bad_inputs

_ALL = all_bad_inputs()
_SOME = 6


def test_there_are_enough_of_them() -> None:
    assert len(_ALL) >= 400
    assert len({str(bad) for bad in _ALL}) == len(_ALL)


@pytest.mark.parametrize("kind", [*dict.fromkeys(bad.kind for bad in _ALL)])
def test_bad_inputs_are_answered(kind: str) -> None:
    of_kind = [bad for bad in _ALL if bad.kind == kind]
    failed = {str(bad): found for bad in of_kind[:: max(1, len(of_kind) // _SOME)] if (found := answer(bad))}
    assert not failed, "\n".join(f"{name}: {found}" for name, found in failed.items())


def test_a_good_input_is_no_bad_one() -> None:
    assert answer(Bad("good", "nothing wrong", None, GOOD, codes=(0,))) == []


def test_what_is_written_in_spite_of_a_fault_is_noticed() -> None:
    assert answer(Bad("good", "an output that is there", write("out.csv", "old"), GOOD, codes=(0,))) != []
