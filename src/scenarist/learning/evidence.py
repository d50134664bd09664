"""Two events -> sentences in which one entity took part in both: the way back from a number to the text.

Reads the chains and sentences that `learn` kept. Without pyarrow, or for a model learned from ready chains, there are none.
"""

from __future__ import annotations

from pathlib import Path


class Sentences:
    """The sentences of a learned folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def together(self, event: str, other: str, most: int = 2) -> list[str]:
        """Up to ``most`` pairs of sentences (one where both events are in it) in which a chain has both events."""
        shards = sorted((self.folder / "sentences").glob("*.parquet"))
        if not shards:
            return []
        try:
            import pyarrow.parquet as pq
        except ModuleNotFoundError:
            return []
        found: list[str] = []
        for shard in shards:
            chains = pq.read_table(self.folder / "chains" / shard.name, columns=["document", "events", "sentences"])
            wanted: list[tuple[str, int, int]] = []
            for row in chains.to_pylist():
                events = row["events"]
                if event in events and other in events:
                    places = (events.index(other), events.index(event))
                    wanted.append((row["document"], *(row["sentences"][at] for at in places)))
            if wanted:
                documents = [name for name, _, _ in wanted]
                rows = pq.read_table(shard, filters=[("document", "in", documents)]).to_pylist()
                lines = {(row["document"], row["sentence"]): row["text"] for row in rows}
                for name, first, second in wanted:
                    parts = [lines[name, at] for at in dict.fromkeys(sorted((first, second))) if (name, at) in lines]
                    if parts:
                        found.append(f"{name}: " + " ... ".join(parts))
                    if len(found) >= most:
                        return found
        return found
