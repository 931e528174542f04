"""Delimited text as bytes: where rows and fields begin, which fields are equal, and rows put together anew.

RFC 4180 quoting: a field that starts with `"` ends at the next `"` that is not doubled. A row ends at LF, CR
LF or CR outside quotes. Only row starts are kept; fields are found again by walking the row, which costs
less than storing them. Knows bytes only: no text, no column names.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.compiled import kernel

QUOTE, LF, CR = 34, 10, 13
WHOLE, RAGGED, UNTERMINATED, AFTER_QUOTE = 0, 1, 2, 3
KEPT, DROPPED = -1, -2


@kernel
def field_end(data: Any, at: Any, end: Any, separator: Any) -> Any:
    """One past the field that starts at `at`; -1 if its quote never closes, -2 if text follows the quote."""
    if at < end and data[at] == QUOTE:
        at += 1
        while at < end:
            if data[at] == QUOTE:
                at += 1
                if at == end or data[at] == separator or data[at] == LF or data[at] == CR:
                    return at
                if data[at] != QUOTE:
                    return -2
            at += 1
        return -1
    while at < end and data[at] != separator and data[at] != LF and data[at] != CR:
        at += 1
    return at


@kernel
def next_row(data: Any, at: Any, end: Any) -> Any:
    """Past the line end at `at`."""
    if at + 1 < end and data[at] == CR and data[at + 1] == LF:
        return at + 2
    return min(at + 1, end)


@kernel
def scan(data: Any, at: Any, end: Any, separator: Any, limit: Any) -> Any:
    """Row starts (header first, one past the last row at the end) of at most `limit` rows.

    Blank lines after the last row are left out unless there is one column, where they are empty values.
    Returns starts, columns, what is wrong, where (a row or a field), and how many fields were found there.
    """
    starts = np.empty(1024, np.int64)
    n = columns = 0
    while at < end and n < limit:
        start, found = at, 0
        while True:
            stop = field_end(data, at, end, separator)
            if stop < 0:
                return starts[:n], columns, UNTERMINATED if stop == -1 else AFTER_QUOTE, at, found
            found += 1
            if stop == end or data[stop] != separator:
                break
            at = stop + 1
        at = next_row(data, stop, end)
        if n == 0:
            columns = found
        elif found != columns:
            rest = start
            while rest < end and (data[rest] == LF or data[rest] == CR):
                rest += 1
            if rest == end:
                at = start
                break
            return starts[:n], columns, RAGGED, start, found
        if n + 1 == len(starts):
            longer = np.empty(2 * len(starts), np.int64)
            for i in range(n):  # a slice assignment takes seconds to compile
                longer[i] = starts[i]
            starts = longer
        starts[n] = start
        n += 1
    starts[n] = at
    return starts[: n + 1], columns, WHOLE, at, 0


@kernel
def spans(data: Any, starts: Any, stops: Any, separator: Any, slots: Any, n_slots: Any) -> Any:
    """Start and end of the fields of some columns (`slots[column]`, or -1), one line of the result each."""
    n = len(starts)
    begins = np.empty((n_slots, n), np.int64)
    ends = np.empty((n_slots, n), np.int64)
    for row in range(n):
        at, end = starts[row], stops[row]
        for column in range(len(slots)):
            stop = field_end(data, at, end, separator)
            if slots[column] >= 0:
                begins[slots[column], row] = at
                ends[slots[column], row] = stop
            at = stop + 1
    return begins, ends


@kernel
def encode(
    data: Any,
    begins: Any,
    ends: Any,
    table: Any,
    hashes: Any,
    first_begins: Any,
    first_ends: Any,
    size: Any,
    codes: Any,
) -> Any:
    """Number equal fields alike, in order of appearance; `table` is an open hash of what was seen before."""
    mask = np.uint64(len(table) - 1)
    for row in range(len(begins)):
        begin, end = begins[row], ends[row]
        value = np.uint64(14695981039346656037)
        for at in range(begin, end):
            value = (value ^ np.uint64(data[at])) * np.uint64(1099511628211)
        value ^= value >> np.uint64(32)
        slot = value & mask
        while True:
            code = table[slot]
            if code < 0:
                code = size
                table[slot] = code
                hashes[code], first_begins[code], first_ends[code] = value, begin, end
                size += 1
                break
            first = first_begins[code]
            if hashes[code] == value and first_ends[code] - first == end - begin:
                same = True
                for i in range(end - begin):
                    if data[first + i] != data[begin + i]:
                        same = False
                        break
                if same:
                    break
            slot = (slot + np.uint64(1)) & mask
        codes[row] = code
    return size


@kernel
def rehash(hashes: Any, size: Any, table: Any) -> Any:
    """Enter what was seen into a larger, empty `table`."""
    mask = np.uint64(len(table) - 1)
    for code in range(size):
        slot = hashes[code] & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = code


@kernel
def gather(data: Any, begins: Any, ends: Any) -> Any:
    """Some fields one after the other, each with a zero byte after it (a file has none)."""
    out = np.zeros((ends - begins).sum() + len(begins), np.uint8)
    size = 0
    for field in range(len(begins)):
        for at in range(begins[field], ends[field]):
            out[size] = data[at]
            size += 1
        size += 1
    return out


@kernel
def splice(
    data: Any,
    starts: Any,
    separator: Any,
    action: Any,
    codes: Any,
    text_starts: Any,
    texts: Any,
    keep: Any,
    out: Any,
) -> Any:
    """Rows with some fields replaced or left out; all other bytes, line ends too, as they were.

    `action[column]` is KEPT, DROPPED or the number of the column's first text; `codes` counts on from there.
    """
    n_out = 0
    for column in range(len(action)):
        n_out += action[column] != DROPPED
    blank_matters = n_out == 1 and (len(action) > 1 or action[0] != KEPT)
    size = 0
    for row in range(len(starts) - 1):
        if not keep[row]:
            continue
        at, end = starts[row], starts[row + 1]
        stop, written, row_size = at, 0, size
        for column in range(len(action)):
            stop = field_end(data, at, end, separator)
            if action[column] != DROPPED:
                if written:
                    out[size] = separator
                    size += 1
                written += 1
                if action[column] == KEPT:
                    for i in range(at, stop):
                        out[size] = data[i]
                        size += 1
                else:
                    text = action[column] + codes[row]
                    for i in range(text_starts[text], text_starts[text + 1]):
                        out[size] = texts[i]
                        size += 1
            at = stop + 1
        if blank_matters and size == row_size:  # a lone empty field would read as a blank line
            out[size] = out[size + 1] = QUOTE
            size += 2
        for i in range(stop, end):
            out[size] = data[i]
            size += 1
    return size
