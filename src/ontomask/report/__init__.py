"""Release -> one HTML page for those who decide on it: opens offline, prints, light and dark.

It tells no identifier, no combination of original values, and no original value that fewer than k people
have, unless it is asked for as a report for internal use.
"""

from __future__ import annotations

from ontomask.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]
