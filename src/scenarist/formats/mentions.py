"""Opening and closing brackets -> entities: what CoNLL coreference and GUM's Entity column have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scenarist.story import Entity, Mention, Token


class Brackets:
    """Collects the mentions of entities while the tokens of a document pass by."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[tuple[int, str]]] = {}
        """Entity -> where its open mentions began, with what the opening bracket says."""
        self.spans: dict[str, list[tuple[int, int, str]]] = {}
        """Entity -> its (first, last, attributes), in the order of closing."""

    def open(self, id: str, token: int, attributes: str = "") -> None:
        """A mention begins at this token."""
        self.waiting.setdefault(id, []).append((token, attributes))

    def close(self, id: str, token: int) -> bool:
        """The innermost open mention of an entity ends with this token; False where none is open."""
        waiting = self.waiting.get(id)
        if not waiting:
            return False
        first, attributes = waiting.pop()
        if token >= first:
            self.spans.setdefault(id, []).append((first, token + 1, attributes))
        return True

    def left_open(self) -> list[str]:
        """Entities with a mention that was never closed."""
        return [id for id, waiting in self.waiting.items() if waiting]

    def entities(self, tokens: Sequence[Token], kinds: Mapping[str, str] | None = None) -> tuple[Entity, ...]:
        """All entities in the order of their first mention, mentions in text order (longer first)."""
        entities = []
        for id, spans in self.spans.items():
            mentions = tuple(
                mention(tokens, first, last) for first, last, _ in sorted(spans, key=lambda span: (span[0], -span[1]))
            )
            entities.append(Entity(id, mentions, (kinds or {}).get(id, "")))
        return tuple(
            sorted(entities, key=lambda entity: (entity.mentions[0].start, -entity.mentions[0].stop, entity.id))
        )


def mention(tokens: Sequence[Token], first: int, last: int, head: int = -1, kind: str = "") -> Mention:
    """The mention of a token range; its head is the token whose head lies outside, where there is a parse."""
    if head < 0:
        outside = [
            index for index in range(first, last) if tokens[index].dep and not first <= tokens[index].head < last
        ]
        head = outside[0] if outside else -1
    return Mention(tokens[first].start, tokens[last - 1].stop, first, last, head, kind)
