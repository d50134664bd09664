"""The carried probes -> ProbeCase: hand-written cases of what scripts do in reading, one kind a file (`exams/probes.py` asks them)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scenarist.errors import BadInput
from scenarist.noun import Noun, read_jsonl
from scenarist.registry import suggest
from scenarist.store.home import resource

KINDS = ("goes-without-saying", "the-or-a", "tellable", "false-memory", "winograd")


class ProbeCase(Noun, frozen=True):
    """One case of a probe."""

    id: str
    scenario: str
    context: tuple[str, ...]
    """The sentences before."""
    texts: tuple[str, ...]
    """``goes-without-saying``: cause stated, cause negated, target; else two texts to choose from or to rate."""
    key: int = 0
    """Which of two texts is right (of those to be rated the first is the usual one)."""
    kind: str = ""


class Probes:
    """The cases of one probe, in the order of its file; ``split`` is not looked at: nothing is learned from them."""

    name = "probes"

    def __init__(self, split: str = "dev", kind: str = KINDS[0], target: str | Path = "") -> None:
        """``target``: a file of one's own cases."""
        if kind not in KINDS:
            raise suggest(kind, list(KINDS), "probe")
        self.split, self.kind = split, kind
        self.path = Path(target) if target else resource(f"probes/{kind}.jsonl")

    def __iter__(self) -> Iterator[ProbeCase]:
        if not self.path.is_file():
            raise BadInput(
                f"There is no file {self.path}. Expected a probe, one case a line, as in {resource('probes')}."
            )
        with self.path.open("rb") as handle:
            for number, case in enumerate(read_jsonl(handle, ProbeCase, str(self.path)), start=1):
                size = 3 if self.kind == "goes-without-saying" else 2
                if len(case.texts) != size or not 0 <= case.key < size:
                    where = f"{self.path}, case {number} ({case.id})"
                    raise BadInput(
                        f"{where}: expected {size} texts and a key among them, got {len(case.texts)} and {case.key}."
                    )
                yield case
