"""The one family of errors that a user can cause and mend.

A message names the column, value, line or option at fault and what to do about it.
The command line prints it without a traceback; anything else that escapes is a bug.
"""

from __future__ import annotations


class OntomaskError(Exception):
    """Something the user can put right."""


class OntologyError(OntomaskError):
    """An ontology file is damaged, of an unknown kind, or lacks what was asked of it."""


class UnknownTermError(OntologyError):
    """A term, sense or id that the ontology does not have."""


class MeasureError(OntomaskError):
    """A measure that does not exist, or that this ontology cannot support."""


class LinkingError(OntomaskError):
    """A value that cannot be mapped to a concept, or a damaged mapping."""


class TableError(OntomaskError):
    """A table that cannot be read, lacks a column, or cannot be written."""


class PlanError(OntomaskError):
    """A plan with an unknown key, a wrong type, an impossible value, or a column that is not there."""


class NothingLeftError(OntomaskError):
    """A method that would release no row at all."""
