"""The sections of a plan: frozen settings that report all their faults together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from ontomask.measures import MEASURES
from ontomask.measures.base import Convention
from ontomask.plan.marked_yaml import Fault, KeyPath
from ontomask.plan.messages import explain, plan_error, unknown_key
from ontomask.plan.values import (
    Name,
    Number,
    Text,
    Texts,
    Truth,
    Whole,
    as_truth,
    known_encoding,
    known_measure,
    one_character,
    positive_k,
    ranked,
)

Role = Literal["identifier", "quasi-identifier", "confidential", "other"]
Kind = Literal["nominal", "numeric", "ordinal"]
Senses = Literal["coherent", "first", "explicit"]
MethodName = Literal[
    "recoding", "mdav", "s-mdav", "mdav-equality", "mdav-lcs", "sa-mdav", "resampling", "suppression"
]
Setting = Literal["semantic", "equality-mode", "wup-mode", "wup-lcs"]
Missing = Literal["own-class", "suppress-row", "error"]
Unmapped = Literal["error", "root", "own-leaf", "suppress"]

# How far apart values are (measure, convention, ic, combine, scale) is every method's: losses count by it.
_METHODS_WITH: dict[str, tuple[MethodName, ...]] = {
    "weighted": ("recoding", "sa-mdav", "resampling"),
    "static": ("sa-mdav",),
    "centroid": ("mdav", "s-mdav", "mdav-lcs", "sa-mdav", "resampling"),
    "h1": ("recoding",),
    "h2": ("recoding",),
    "distributional": ("recoding",),
    "setting": ("resampling",),
    "blank": ("suppression",),
}
_MEASURES_WITH = {
    key: tuple(name for name, kind in MEASURES.items() if hasattr(kind, key)) for key in ("convention", "ic")
}
_NOMINAL_ONLY = ("ontology", "under", "mapping", "senses")


class Part(BaseModel):
    """A frozen mapping of settings that reports all its faults together, as a PlanError."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    def __init__(self, /, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except ValidationError as error:
            raise plan_error(faults_of(error), "", {}) from None

    # Parts inside a plan are built without this __init__, so that their faults reach the plan's report.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Build from a dict; `PlanError` if anything in it is wrong."""
        try:
            return super().model_validate(obj, **options)
        except ValidationError as error:
            raise plan_error(faults_of(error), "", {}) from None

    @classmethod
    def stray(cls, key: str, settings: Mapping[str, Any]) -> str | None:
        """Why `key` has no place beside the other settings; None if it has."""
        return None

    @classmethod
    def conflicts(cls, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """(key, what is wrong) for settings that do not go together; they may be of the wrong type."""
        return iter(())

    @model_validator(mode="wrap")
    @classmethod
    def _gather(cls, given: Any, build: ModelWrapValidatorHandler[Self]) -> Self:
        """A key without a value counts as not given; faults of all sorts are raised together."""
        faults: list[tuple[KeyPath, str, Any]] = []
        if given is None:
            given = {}
        if isinstance(given, dict):
            given = {k: v for k, v in given.items() if v is not None or k not in cls.model_fields}
            settings = {key: info.get_default() for key, info in cls.model_fields.items()} | given
            for key in given:
                if key not in cls.model_fields:
                    faults.append(((key,), unknown_key(key, cls.model_fields), given[key]))
                elif reason := cls.stray(key, settings):
                    faults.append(((key,), reason, given[key]))
            faults += [((key,), text, settings[key]) for key, text in cls.conflicts(settings)]
        try:
            part = build(given)
        except ValidationError as error:
            details = [one for one in error.errors() if one["type"] != "extra_forbidden"]
            faults += [(one["loc"], explain(one), one["input"]) for one in details]
        if faults:
            raise ValidationError.from_exception_data(
                cls.__name__,
                [
                    InitErrorDetails(
                        type=PydanticCustomError("plan", "{text}", {"text": text}), loc=path, input=value
                    )
                    for path, text, value in faults
                ],
            )
        return part

    @model_serializer(mode="wrap")
    def _settings_that_apply(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = dump(self)
        settings = {key: getattr(self, key) for key in type(self).model_fields}
        return {k: v for k, v in written.items() if v is not None and not self.stray(k, settings)}


class TableSettings(Part):
    """How the table is to be read; what is None is found out."""

    separator: Annotated[Text, AfterValidator(one_character)] | None = None
    encoding: Annotated[Name, AfterValidator(known_encoding)] = "utf-8"
    na_values: Texts = ("", "NA", "?")
    sheet: Name | None = None
    """Sheet of a workbook."""
    table: Name | None = None
    """Table of a database file."""
    engine: Literal["auto", "memory", "duckdb"] | None = None
    """What reads and writes it; None: found out from its kind and size."""


class AttributePlan(Part):
    """What a column is.

    >>> AttributePlan(role="quasi-identifier", ontology="wordnet").kind
    'nominal'
    """

    role: Role = "other"
    kind: Kind = "nominal"
    ontology: Name | None = None
    """Name of an ontology, or a path relative to the plan file."""
    under: Name | None = None
    """Only senses below this concept count."""
    mapping: Name | None = None
    """CSV of `value,concept`, relative to the plan file."""
    senses: Senses = "coherent"
    weight: Annotated[Number, Field(gt=0)] = 1.0
    order: Annotated[Texts, AfterValidator(ranked)] | None = None
    """The values of an ordinal column, lowest first."""

    @classmethod
    def stray(cls, key: str, settings: Mapping[str, Any]) -> str | None:
        role, kind = settings["role"], settings["kind"]
        if key != "role" and role == "other":
            if not settings.keys() <= cls.model_fields.keys():
                return None  # one of the unknown keys may be the role, misspelt
            return "without a role the column is left as it is; add role: quasi-identifier, or remove this"
        if key != "role" and role == "identifier":
            return "identifiers are dropped, so this has no effect; remove it"
        if key == "weight" and role == "confidential":
            return "only a quasi-identifier has a weight"
        if key in _NOMINAL_ONLY and kind in ("numeric", "ordinal"):
            return f"only kind: nominal has this, not {kind}"
        if key == "order" and kind in ("nominal", "numeric"):
            return f"only kind: ordinal has this, not {kind}"
        return None

    @classmethod
    def conflicts(cls, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        masked = settings["role"] in ("quasi-identifier", "confidential")
        if masked and settings["kind"] == "ordinal" and settings["order"] is None:
            yield "order", "kind: ordinal needs its values, lowest first, such as order: [low, mid, high]"


class Privacy(Part):
    """How well people hide: each shares their quasi-identifiers with k - 1 others at least."""

    k: Annotated[Whole, AfterValidator(positive_k)] = 5


class MethodPlan(Part):
    """How the table is masked. Options that are None are left to the method.

    >>> MethodPlan(name="recoding", static=True)
    Traceback (most recent call last):
    ontomask.errors.PlanError: static: an option of sa-mdav, not of recoding; remove it or change the method
    """

    name: MethodName = "sa-mdav"
    measure: Annotated[Name, AfterValidator(known_measure)] = "logsc"
    convention: Convention | None = None
    """How path, lch and wup count links."""
    ic: Name | None = None
    """Information content of resnik, lin and jcn: `seco`, `sanchez`, or a count file beside the plan."""
    combine: Literal["mean", "euclidean"] | None = None
    scale: Literal["range", "zscore"] | None = None
    weighted: Truth | None = None
    """Distances count the records of the compared tuple."""
    static: Truth = False
    """Distance to a cluster's first tuple instead of to its moving centroid."""
    centroid: Literal["mean", "median"] | None = None
    """What stands for a group's numbers."""
    h1: Truth = True
    h2: Truth = True
    distributional: Truth = False
    setting: Setting = "semantic"
    blank: Truth = False
    """Empty the suppressed rows instead of dropping them."""

    @classmethod
    def stray(cls, key: str, settings: Mapping[str, Any]) -> str | None:
        name, owners = settings["name"], _METHODS_WITH.get(key, get_args(MethodName))
        if name in get_args(MethodName) and name not in owners:
            return f"an option of {', '.join(owners)}, not of {name}; remove it or change the method"
        chosen, measures = settings["measure"], _MEASURES_WITH.get(key, tuple(MEASURES))
        if chosen in tuple(MEASURES) and chosen not in measures:
            return f"an option of {', '.join(measures)}, not of {chosen}; remove it or change the measure"
        return None

    @classmethod
    def conflicts(cls, settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        if as_truth(settings["distributional"]) is True and as_truth(settings["h2"]) is False:
            yield "h2", "h2: false picks at random, distributional: true by counts; choose one"


def faults_of(error: ValidationError) -> list[Fault]:
    return [
        Fault(0, tuple(step for step in one["loc"] if step != "[key]"), explain(one))
        for one in error.errors()
    ]
