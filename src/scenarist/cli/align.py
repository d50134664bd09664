"""`scenarist align`: which concrete phrases an abstract word stands for, and which abstract words call for a tool."""

from __future__ import annotations

from pathlib import Path

import typer

app = typer.Typer()


@app.command(
    epilog='Examples: scenarist align parmesan | scenarist align "cutting board" --from concrete | '
    "scenarist align whisk --sentences 2"
)
def align(
    phrase: str = typer.Argument(help="An abstract word (parmesan) or a concrete phrase (cutting board)."),
    side: str = typer.Option("both", "--from", help="Which side it is on: abstract, concrete or both."),
    limit: int = typer.Option(8, "--limit", "-n", min=1, help="Rows a side."),
    sentences: int = typer.Option(
        0, "--sentences", "-s", min=0, help="Show so many sentences behind each row (needs the corpus)."
    ),
    table: Path | None = typer.Option(None, help="Another table (made by training/kidscook/alignments.py)."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    seed: int = typer.Option(13, help="Not used: looking up is not random."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No notes."),
) -> None:
    """Look up which concrete phrase an abstract word stands for."""
    import difflib

    from scenarist.cli.console import console, json_out
    from scenarist.errors import BadInput
    from scenarist.learning.alignments import Entry, PhraseTable
    from scenarist.store.home import resource

    if side not in ("abstract", "concrete", "both"):
        raise BadInput(f"--from is abstract, concrete or both, not {side!r}.")
    asked = " ".join(phrase.lower().split())
    if not asked:
        raise BadInput('There is nothing to look up. Type for example: scenarist align "parmesan"')
    known = PhraseTable.load(table or resource("alignments/kidscook.jsonl"))
    found: dict[str, list[Entry]] = {}
    if side != "concrete":
        found["concrete"] = known.concrete(asked, limit)
    if side != "abstract":
        found["abstract"] = known.abstract(asked, limit)
    if not any(found.values()):
        words = sorted({entry.word for entry in known.entries} | {entry.phrase for entry in known.entries})
        near = difflib.get_close_matches(asked, words, n=3, cutoff=0.6)
        hint = f" Did you mean {', '.join(repr(one) for one in near)}?" if near else ""
        raise BadInput(f"The table has no alignment with {asked!r}.{hint}")
    behind = Sentences(sentences)
    if as_json:
        json_out({
            "asked": asked, "by": known.by,
            **{name: [{"word": e.word, "phrase": e.phrase, "count": e.count, "pmi": e.pmi, "found": [list(one) for one in e.found],
                       "sentences": behind.of(e)} for e in entries] for name, entries in found.items()},
        })  # fmt: skip
        return
    out = console()
    for name, entries in found.items():
        if not entries:
            continue
        out.print(
            f"{asked} -> what is said in detail" if name == "concrete" else f"{asked} <- what it is said for",
            style="bold",
        )
        for entry in entries:
            out.print(
                f"  {entry.phrase if name == 'concrete' else entry.word:<28} pmi {entry.pmi:5.2f}  {entry.count:4d} times"
            )
            for line in behind.of(entry):
                out.print(f"      {line}", style="dim")
    if not quiet:
        out.print(f"Alignments by {known.by}, natural-log PMI, discounted for rare pairs.", style="dim")


class Sentences:
    """The sentences behind a row, where the corpus is on the search path."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._pairs: dict[str, tuple[str, ...]] | None = None

    def of(self, entry: object) -> list[str]:
        """Up to ``most`` sentences, the phrase in brackets."""
        from scenarist.learning.alignments import Entry

        assert isinstance(entry, Entry)
        if not self.most:
            return []
        if self._pairs is None:
            from scenarist.corpora.kidscook import KidsCook

            self._pairs = {pair.id: pair.concrete for pair in KidsCook(split="train")}
        lines = []
        size = len(entry.phrase.split())
        for name, place in entry.found[: self.most]:
            words = self._pairs.get(name)
            if words is None:
                continue
            first = max((at + 1 for at in range(place) if words[at] == "."), default=0)
            last = next((at for at in range(place, len(words)) if words[at] == "."), len(words))
            said = [*words[first:place], f"[{' '.join(words[place : place + size])}]", *words[place + size : last]]
            lines.append(" ".join(said))
        return lines
