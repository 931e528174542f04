"""Two small samples to try things on: invented people, no real ones.

`survey.csv` has the shape of a published survey of park visitors (Martinez 2013, ch. 4); `patients.csv` is a
small hospital table. Each lies beside its plan and the mapping that the plan names. `make_samples.py` made
the tables.
"""

from __future__ import annotations

from pathlib import Path

from ontomask.errors import OntomaskError

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The files that are here: tables (.csv), their plans (.yaml) and mappings.

    >>> names()
    ['patients.csv', 'patients.yaml', 'patients_mapping.csv', 'survey.csv', 'survey.yaml',
     'survey_mapping.csv']
    """
    return sorted(file.name for file in _FOLDER.iterdir() if file.suffix in (".csv", ".yaml"))


def path(name: str) -> Path:
    """Where a sample lies.

    >>> path("survey.csv").name
    'survey.csv'
    """
    if name not in names():
        raise OntomaskError(f"no sample {name!r}: there are {', '.join(names())}")
    return _FOLDER / name
