"""Scenario -> WrittenScript: the toy scripts and the library, for who infers from stories."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from scenarist.corpora.toy_scripts import ToyScripts
from scenarist.learning.library.evidence import library_scripts
from scenarist.script import WrittenScript


@cache
def scripts_by_scenario() -> Mapping[str, WrittenScript]:
    """All scripts that are carried, by scenario."""
    toys = {script.scenario: script for script in ToyScripts()}
    return toys | {name: known.script for name, known in library_scripts().items()}
