"""Hostile tests: what must hold whatever table, plan, file, signal or neighbour a run meets.

`python -m tests.hostile` runs the long part and prints one table; `test_*.py` run a quick part of the same.
"""
