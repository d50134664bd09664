"""Stories of a scenario that a user adds -> its Script, kept in the home folder: what `read` and `show` know of it.

Learned as the carried scripts are (`scripts.py`), but without annotators: only the three signs of Regneri et al. (2010) say
which phrases are one event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scenarist.inventory import user_file, user_files
from scenarist.learning.scripts import carried, read, script, write
from scenarist.registry import make
from scenarist.script import Script

SUFFIX = ".jsonl.gz"


def learn_user_script(name: str, texts: Iterable[str]) -> Script:
    """Read the stories, learn their script and keep it."""
    stories = list(make("reader", "default")(texts))
    evidence = f"{len(stories)} stories of yours"
    learned = script(name, stories, evidence)
    write(user_file(name, SUFFIX), [learned], evidence)
    return learned


def user_scripts() -> dict[str, Script]:
    """The scripts of all scenarios that were added here."""
    paths = (file.path for file in user_files() if file.path.name.endswith(SUFFIX))
    return {name: learned for path in paths for name, learned in read(path).items()}


def known_scripts() -> Mapping[str, Script]:
    """The knowledge in use (`scripts.carried`), and what was learned from the user's own stories."""
    return {**carried(), **user_scripts()}
