"""Annealing: groups of nearest tuples, improved by a local search for the least loss that it finds.

After Kirkpatrick, Gelatt & Vecchi (1983) for the search and Domingo-Ferrer & Mateo-Sanz (2002) for groups of
at least k. What is made least is the loss that is reported: the SSE of spec 6.1, with the centroid that is
best over all attributes at once, or the semantic loss; NCP where columns are truthful. Large tables are
searched in blocks of neighbouring groups, several times, and cut differently each time. Integers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Points, Space
from ontomask.attributes._kernels import group_centroids
from ontomask.errors import NothingLeftError
from ontomask.machine import cores
from ontomask.methods._annealing_kernels import Schedule, Told, annealed, gathered
from ontomask.methods._fitting import Columns
from ontomask.methods._groups import Placed, search_for
from ontomask.methods._neighbours import (
    Nearest,
    Records,
    among,
    look_around,
    nobody_near,
    remember,
    tree_order,
)
from ontomask.methods.base import Masking, Microaggregation
from ontomask.methods.points import best_points, cost_of
from ontomask.methods.records import Cost, can_be_laid_out, laid_out, taken
from ontomask.methods.sa_mdav import SaMdav
from ontomask.methods.task import Entries, Task
from ontomask.options import option


class Effort(NamedTuple):
    """How long to search."""

    looks: int  # at members of groups, for each tuple
    rounds: int  # over blocks, each cut anew


_EFFORTS = {"quick": Effort(350, 4), "normal": Effort(1500, 8), "thorough": Effort(15000, 16)}
_MANY, _TIMES = 20_000, 10  # tuples below which there are more looks, and how many times as many at most
_LONE = 40  # tuples that are looked at as often as large tables are; of fewer there is less to find
_FEW, _STARTS = 4000, 4  # tuples that are searched several times, and how often
_HOTTEST, _HOT, _WARM, _COLD = 2.0, 0.5, 0.03, 0.03  # times the mean cost of a tuple that may move
_COLDEST = 0.003  # so too, where tuples may be split: a part of one costs less
_WHOLE, _BLOCK = 16384, 65536  # tuples that are searched at once in any case, and at most
_LAST_LOOKS = 100  # for each tuple, where the search is to end
_COMPARED = 5000  # tuples up to which SA-MDAV is tried too: it takes a fraction of a second
_NEIGHBOURS, _MORE, _MOST = 16, 24, 40  # of each tuple; where groups are large; where tuples are few
_TREES, _LATER_TREES = 3, 2
_LEAF, _LARGE_LEAF = 64, 512  # tuples that are compared with each other; where they are few
_CLOSE = 4  # neighbours that tell how isolated a tuple is
_LAST_LEAF = 8  # tuples that an order of near ones leaves as they come


@dataclass(frozen=True)
class Annealing(Microaggregation):
    """Groups of the least loss that a local search finds."""

    name: ClassVar[str] = "annealing"
    words: ClassVar[str] = (
        "People with the most similar values were put together in groups of at least {k}, which were then "
        "changed in many small steps, as long as less had to be changed in what the records mean; everybody "
        "in a group was given the same values (local search by simulated annealing)."
    )
    has_own_words: ClassVar[bool] = True
    compiled: ClassVar[str] = "_annealing_kernels"
    effort: Literal["quick", "normal", "thorough"] = option(
        "normal", "how long to search for groups that lose less"
    )
    objective: Literal["sse", "semantic-loss"] = option(
        "sse", "which loss is made least: squared distances of records, or distances; NCP of what is truthful"
    )
    split: bool = option(False, "let equal records go into different groups where that loses less")

    def searches(self, task: Task) -> bool:
        return True

    def masking(self, task: Task) -> Masking:
        """The best of what is found; SA-MDAV is one of the ways, where it takes no longer than the search."""
        ways = [super().masking]
        if len(task.tuples) <= _COMPARED:
            ways.append(SaMdav(blank=self.blank).masking)
        found, refused = [], None
        for way in ways:
            try:
                found.append(way(task))
            except NothingLeftError as error:  # limits may be met by other groups
                refused = refused or error
        if refused and not found:
            raise refused
        return min(found, key=lambda masking: self.loss(task, masking))

    def cost(self, task: Task) -> Cost:
        """What a record costs."""
        return cost_of(task, is_squared=self.objective == "sse")

    def loss(self, task: Task, masking: Masking) -> float:
        """What is made least, of the values that are written; a record that is left out costs most."""
        cost, kept = self.cost(task), masking.groups >= 0
        codes = task.tuples.codes[task.tuples.tuple_of_cell[masking.cells[kept]]]
        total, most = np.zeros(len(codes)), 0.0
        for j, attribute in enumerate(masking.attributes):
            values, weight = masking.values[masking.groups[kept], j], cost.weights[j]
            if attribute.is_truthful:
                total += weight * attribute.generalization(codes[:, j], values).ncp
                most += weight
            else:
                total += weight * attribute.distance(codes[:, j], values) ** cost.power
                most += weight * attribute.maximum**cost.power
        if cost.is_squared:
            total, most = total**2, most**2
        return float(masking.counts[kept] @ total + masking.counts[~kept].sum() * most)

    def partition(self, space: Space, ids: Int64, k: int, task: Task) -> tuple[Entries, Points]:
        if not can_be_laid_out(space):
            return SaMdav().partition(space, ids, k, task)
        landscape = Landscape(
            *laid_out(space, np.arange(len(space.counts)), self.cost(task), task.limits),
            nobody_near(len(space.counts), _neighbours(len(ids), k)),
            space.counts.astype(np.float64),
            float(k),
            self.split,
        )
        placed = landscape.searched(ids, _EFFORTS[self.effort], task)
        entries = Entries.summed(placed.tuples, placed.groups, placed.counts.astype(np.int64))
        return entries, self.points_of(task, space, entries, int(placed.groups.max()) + 1)

    def points_of(self, task: Task, space: Space, entries: Entries, n_groups: int) -> Points:
        """The words of each group that cost least, and the mean of its numbers: so a column keeps its mean.

        The point that costs least (`centroid: joint`) is near the median of skewed numbers, as costs are sums
        of distances. It stands also where a mean might be farther than the plan lets a record move.
        """
        points = best_points(self.cost(task), task, space, entries, n_groups)
        facts = space.attributes
        has_mean = ~facts["is_nominal"] & ~facts["is_covered"] & np.isinf(task.limits)
        if task.is_joint or not has_mean.any():
            return points
        means = group_centroids(space, *entries, n_groups)
        numbers, ends = (
            np.where(has_mean, mean, least) for mean, least in zip(means[1:], points[1:], strict=True)
        )
        return Points(points.candidates, numbers, ends)


class _Block(NamedTuple):
    """Tuples that are searched at once; near ones are beside one another."""

    ids: Int64
    records: Records
    near: Int32  # by their places in the block
    placed: Placed  # so too
    heat: Float64


class _Stage(NamedTuple):
    """Blocks are searched from each of some temperatures, of which the best is taken, down to another."""

    landscape: Landscape
    hot: list[float]
    cold: float
    share: float  # of all looks
    is_last: bool


class _Crew(NamedTuple):
    """Who searches blocks at once, for what, and how long in all."""

    pool: ThreadPoolExecutor
    task: Task
    looks: int
    credit: float  # records that are done after each stage

    def hurried(self, looks: int) -> _Crew:
        """The same for so many looks, and nobody says stop."""
        return self._replace(task=replace(self.task, stop=np.zeros(1, np.int64)), looks=looks, credit=0.0)


class Landscape(NamedTuple):
    """Where groups of at least k records are searched for."""

    records: Records
    columns: Columns
    nearest: Nearest
    counts: Float64  # per tuple
    k: float
    may_split: bool

    def searched(self, ids: Int64, effort: Effort, task: Task) -> Placed:
        """Groups of the tuples `ids`, after as many looks at members as the effort asks for.

        What blocks do depends on their number and on the seed alone, not on the cores that they run on. Where
        the task says stop, groups only cool down.
        """
        stages = self.stages(len(ids), effort.rounds)
        credit = float(self.counts[ids].sum()) / len(stages)
        with ThreadPoolExecutor(task.cores or cores()) as pool:
            crew = _Crew(pool, task, _looks(effort, len(ids)), credit)
            try:
                placed, loss = self.improved(crew, self.cut(ids, _state(task)), stages[0], 0.0)
                mean = loss / max(int((self.counts[ids] < self.k).sum()), 1)
                for stage in stages[1:]:
                    if not task.stop[0]:
                        placed, _ = self.improved(crew, self.blocks(placed, _state(task)), stage, mean)
                if task.stop[0]:
                    at_once = crew.hurried(_LAST_LOOKS * len(ids))
                    last = _Stage(self, [_COLD], _COLD, 1.0, True)
                    placed, _ = self.improved(at_once, self.blocks(placed, _state(task)), last, mean)
            except BaseException:
                task.stop[0] = True
                pool.shutdown(cancel_futures=True)
                raise
        return placed

    def improved(
        self, crew: _Crew, cut: Sequence[Placed], stage: _Stage, mean: float
    ) -> tuple[Placed, float]:
        """Better groups of all blocks, and what they cost before; of several searches the best."""
        task = crew.task
        blocks = list(crew.pool.map(self.surveyed, cut, [_state(task) for _ in cut]))
        entries, jobs = sum(len(block.placed.tuples) for block in blocks), []
        for hot in stage.hot:
            for block in blocks:
                share = len(block.placed.tuples) / entries
                looks = int(crew.looks * stage.share * share)
                schedule = Schedule(looks, hot, stage.cold, mean, stage.is_last)
                credit = int(crew.credit * share / len(stage.hot))
                told = Told(task.done, credit, task.loss, mean == 0.0, task.stop)
                jobs.append(
                    crew.pool.submit(stage.landscape.searched_in, block, schedule, _state(task), told)
                )
        found = [job.result() for job in jobs]
        if len(stage.hot) > 1:
            found = [min(found, key=lambda one: float(one[1].min()))]
        return _joined([block for block, _ in found]), sum(float(losses[0]) for _, losses in found)

    def stages(self, size: int, rounds: int) -> list[_Stage]:
        """The stages of a search among so many tuples: one, or a few over blocks, which get cooler.

        A small table is searched several times, and the best is taken. Where tuples may be split, groups of
        whole ones are the beginning.
        """
        n, starts = (1, _STARTS) if size <= _FEW else (1 if size <= _WHOLE else rounds, 1)
        temperatures = np.geomspace(_HOT, _COLD, n + 1).tolist()
        whole = self._replace(may_split=False)
        found = [
            _Stage(whole, [hot] * starts, cold, 1 / n, cold == temperatures[-1])
            for hot, cold in pairwise(temperatures)
        ]
        if self.may_split:
            warm = np.geomspace(_WARM, _HOTTEST, starts).tolist()
            found += [_Stage(self, warm, _COLDEST, 1 / n, turn == n - 1) for turn in range(n)]
        return found

    def surveyed(self, block: Placed, state: np.ndarray) -> _Block:
        """The tuples of a block with their neighbours, which get better known; and in groups."""
        ids, is_first = np.unique(block.tuples), not len(block.groups)
        ids = ids[tree_order(taken(self.records, ids), len(ids), _LAST_LEAF, True, state)[0]]
        place = np.full(len(self.counts), -1, np.int64)
        place[ids] = np.arange(len(ids))
        records, counts, nearest = taken(self.records, ids), self.counts[ids], among(self.nearest, ids, place)
        trees, leaf = _TREES if is_first else _LATER_TREES, _LARGE_LEAF if len(self.counts) <= _FEW else _LEAF
        look_around(records, nearest, trees, leaf, state)
        remember(self.nearest, ids, nearest)
        apart = isolation(nearest)
        if is_first:
            groups = gathered(counts, nearest.records, np.argsort(-apart, kind="stable"), self.k)
            placed = Placed(np.arange(len(ids)), groups, counts)
        else:
            order = np.argsort(place[block.tuples], kind="stable")
            placed = Placed(place[block.tuples][order], block.groups[order], block.counts[order])
        return _Block(ids, records, nearest.records, placed, heat_of(apart))

    def searched_in(
        self, block: _Block, schedule: Schedule, state: np.ndarray, told: Told
    ) -> tuple[Placed, Float64]:
        """Better groups of the tuples of a block, and how the loss fell."""
        search = search_for(
            block.records,
            self.columns,
            block.near,
            block.placed,
            self.k,
            may_split=self.may_split,
            heat=block.heat,
        )
        found, losses = annealed(search, block.placed, schedule, state, told)
        return found._replace(tuples=block.ids[found.tuples]), losses

    def cut(self, ids: Int64, state: np.ndarray) -> list[Placed]:
        """Tuples in blocks of near ones, in no group yet."""
        order, ends = tree_order(taken(self.records, ids), len(ids), _block(len(ids)), True, state)
        nowhere, none = np.zeros(0, np.int64), np.zeros(0)
        return [Placed(block, nowhere, none) for block in np.split(ids[order], ends[:-1])]

    def blocks(self, placed: Placed, state: np.ndarray) -> list[Placed]:
        """Whole groups in blocks of near ones; a group is where its first tuple is."""
        order = np.argsort(placed.groups, kind="stable")
        starts = np.flatnonzero(np.diff(placed.groups[order], prepend=-1))
        first, sizes = placed.tuples[order[starts]], np.diff(np.append(starts, len(order)))
        leaf = -(-_block(len(order)) * len(first) // len(order))
        by_place, ends = tree_order(taken(self.records, first), len(first), leaf, True, state)
        found = []
        for groups in np.split(by_place, ends[:-1]):
            number = np.repeat(np.arange(len(groups)), sizes[groups])
            within = np.arange(len(number)) - np.repeat(
                np.cumsum(sizes[groups]) - sizes[groups], sizes[groups]
            )
            entries = order[starts[groups][number] + within]
            found.append(Placed(placed.tuples[entries], number, placed.counts[entries]))
        return found


def isolation(nearest: Nearest) -> Float64:
    """How far each record is from its nearest ones."""
    apart = nearest.apart[:, :_CLOSE]
    return np.where(np.isfinite(apart), apart, 0.0).sum(axis=1)


def heat_of(apart: Float64) -> Float64:
    """The temperature of each tuple, times that of the search: 1 on the average.

    It grows with the root of how isolated a tuple is: what hardly moves a few outliers would scatter all
    others.
    """
    mean = float(np.sqrt(apart).mean())
    return np.sqrt(apart) / mean if mean > 0 else np.ones(len(apart))


def _looks(effort: Effort, size: int) -> int:
    """How many members are looked at among so many tuples: more for each where these are few."""
    return int(size * effort.looks * min(np.clip(_MANY / size, 1, _TIMES), size / _LONE))


def _block(size: int) -> int:
    """How many of so many tuples are searched at once: all, or a half, as long as they are not too many."""
    return size if size <= _WHOLE else min(-(-size // 2), _BLOCK)


def _neighbours(size: int, k: int) -> int:
    """How many neighbours of each of so many tuples are kept: enough of them to make a group."""
    return _MOST if size <= _FEW else _NEIGHBOURS if k < _NEIGHBOURS else _MORE


def _joined(blocks: Sequence[Placed]) -> Placed:
    """The groups of all blocks, numbered one after the other."""
    groups, n_groups = [], 0
    for block in blocks:
        groups.append(np.unique(block.groups, return_inverse=True)[1] + n_groups)
        n_groups = int(groups[-1].max()) + 1
    return Placed(
        np.concatenate([block.tuples for block in blocks]),
        np.concatenate(groups),
        np.concatenate([block.counts for block in blocks]),
    )


def _state(task: Task) -> np.ndarray:
    return task.rng.integers(1, 2**63, 1, np.uint64)
