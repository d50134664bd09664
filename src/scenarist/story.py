"""The nouns of a text: Story and its layers.

Every layer points into ``Story.text`` by character offsets (half open, in Python's code points), so that any result can
be shown on the original. Layers may be empty: a loader fills what its corpus has, the reader fills the rest. Token
positions (``first``, ``last``, ``head``, ``token``) index ``Story.tokens``; a token range is half open as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from scenarist.noun import Noun, finite, ordered


class Token(Noun, frozen=True):
    """A word of the text with its parse; ``head`` is an index into ``Story.tokens``, -1 for a root or no parse."""

    start: int
    stop: int
    lemma: str = ""
    pos: str = ""
    """Universal part of speech."""
    tag: str = ""
    """Language-specific tag (Penn)."""
    feats: str = ""
    """Morphological features as in CoNLL-U, e.g. ``Number=Sing|Person=3``."""
    head: int = -1
    dep: str = ""
    """Universal dependency (v2) to the head, ``root`` for a root."""

    def __post_init__(self) -> None:
        ordered(self.start, self.stop, "token")


class Sentence(Noun, frozen=True):
    """A sentence as characters and, where the story is tokenised, as tokens ``first`` to ``last`` (half open)."""

    start: int
    stop: int
    first: int = 0
    last: int = 0

    def __post_init__(self) -> None:
        ordered(self.start, self.stop, "sentence")
        ordered(self.first, self.last, "sentence tokens")


class Mention(Noun, frozen=True):
    """One place in the text where an entity is spoken of."""

    start: int
    stop: int
    first: int = 0
    last: int = 0
    head: int = -1
    """Index of the head token, -1 where the story is not tokenised."""
    kind: str = ""
    """``name``, ``nominal``, ``pronoun`` or empty."""
    why: str = ""
    """Why the mention was linked to its entity (the rule or features that decided)."""

    def __post_init__(self) -> None:
        ordered(self.start, self.stop, "mention")


class Entity(Noun, frozen=True):
    """Somebody or something the story speaks of: its mentions in text order."""

    id: str
    mentions: tuple[Mention, ...] = ()
    kind: str = ""
    """person, place, time, object, animal, organisation, event, abstract, ... or empty."""
    name: str = ""
    """A short name to show to people."""
    gender: str = ""
    number: str = ""
    members: tuple[str, ...] = ()
    """Ids of the entities a plural is made of (split antecedents)."""
    label: str = ""
    """Participant label of an annotated corpus (InScript), or empty."""


class Role(Noun, frozen=True):
    """Who or what fills a role of an event."""

    name: str
    """``subj``, ``obj``, ``iobj``, or ``prep_at`` and the like (the surface role; see Event.passive)."""
    entity: str = ""
    """Entity id, empty where the filler is no entity of the story."""
    head: str = ""
    """Lemma of the head word."""
    token: int = -1

    def __str__(self) -> str:
        return f"{self.name}={self.head or self.entity}"


class Event(Noun, frozen=True):
    """Something that happens in the story; hashable, because it is counted."""

    predicate: str
    """Lemma with its particle (``pick_up``), or with its noun for light verbs (``take_shower``)."""
    roles: tuple[Role, ...] = ()
    token: int = -1
    """Place: index of the predicate's token."""
    start: int = 0
    stop: int = 0
    kind: str = "verb"
    """``verb``, ``copula``, ``adjective``, ``light`` or ``noun``."""
    form: str = ""
    """Surface form of the predicate."""
    realis: bool = True
    """Did it happen in the story?"""
    polarity: bool = True
    """False where negated."""
    modality: str = ""
    """``can``, ``want``, ``if`` ..., empty for plain assertion."""
    tense: str = ""
    passive: bool = False
    """Roles keep their surface names; views that want it turn passives round."""
    reporting: bool = False
    label: str = ""
    """Script event label of an annotated corpus (InScript), or empty."""

    def role(self, name: str) -> Role | None:
        """The first role of that name."""
        return next((role for role in self.roles if role.name == name), None)


class Link(Noun, frozen=True):
    """One event of a chain as it is counted: predicate and the role the chain's entity plays in it.

    ``args`` holds the multi-argument view (Pichotta and Mooney): entity variables of subject, object, preposition.

    >>> str(Link("arrest", "obj")), Link.parse("flee->subj")
    ('arrest:obj', Link(predicate='flee', role='subj'))
    """

    predicate: str
    role: str = ""
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.predicate}:{self.role}" if self.role else self.predicate
        return text + (f"({','.join(self.args)})" if self.args else "")

    @classmethod
    def parse(cls, text: str) -> Link:
        """Read ``verb:role``, ``verb->dep``, ``verb`` or any of them with ``(x,y,z)`` behind."""
        args: tuple[str, ...] = ()
        if text.endswith(")") and "(" in text:
            text, _, inside = text[:-1].rpartition("(")
            args = tuple(part.strip() for part in inside.split(","))
        separator = "->" if "->" in text else ":"
        predicate, found, role = text.rpartition(separator)
        return cls(predicate, role, args) if found and predicate else cls(text, "", args)


class Chain(Noun, frozen=True):
    """One entity and its links in text order: the single-argument view, derived from Events."""

    links: tuple[Link, ...]
    entity: str = ""
    story: str = ""
    places: tuple[int, ...] = ()
    """Index into ``Story.events`` of each link, empty where unknown."""

    def __len__(self) -> int:
        return len(self.links)

    def __str__(self) -> str:
        return " ".join(str(link) for link in self.links)

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self)


class Label(Noun, frozen=True):
    """A scenario with its weight."""

    name: str
    weight: float = 1.0

    def __post_init__(self) -> None:
        finite(weight=self.weight)


class Segment(Noun, frozen=True):
    """A stretch of text that tells one or more scenarios; segments may nest and overlap."""

    start: int
    stop: int
    labels: tuple[Label, ...] = ()
    """Ranked, best first; empty means *None*."""
    group: str = ""
    """Non-adjacent parts of one segment share a group."""
    by: str = ""
    """Who annotated it."""
    why: tuple[str, ...] = ()
    """The words that decided, strongest first."""

    def __post_init__(self) -> None:
        ordered(self.start, self.stop, "segment")

    @property
    def names(self) -> tuple[str, ...]:
        """Label names without weights."""
        return tuple(label.name for label in self.labels)

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self)


class Story(Noun, frozen=True):
    """A text and what is known of it. ESDs, recipes and blog posts are stories too."""

    id: str
    text: str
    title: str = ""
    sentences: tuple[Sentence, ...] = ()
    tokens: tuple[Token, ...] = ()
    entities: tuple[Entity, ...] = ()
    events: tuple[Event, ...] = ()
    segments: tuple[Segment, ...] = ()
    source: str = ""
    """Corpus and place, e.g. ``mcscript:train``."""
    scenario: str = ""
    """The scenario of the whole story where the corpus gives one."""
    genre: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    """Further facts a corpus gives, as (name, value) pairs."""

    def __post_init__(self) -> None:
        size = len(self.text)
        for layer in (self.sentences, self.tokens, self.segments):
            if layer and max(part.stop for part in layer) > size:
                raise ValueError(f"story {self.id!r}: a span ends beyond the text ({size} characters)")

    def of(self, span: Token | Sentence | Mention | Segment | Event) -> str:
        """The characters a span covers."""
        return self.text[span.start : span.stop]

    def note(self, name: str) -> str | None:
        """The value of a note."""
        return next((value for key, value in self.notes if key == name), None)

    @property
    def made_of(self) -> tuple[str, ...]:
        """The texts that a document was made of: stitched documents note each as ``source``."""
        return tuple(value for key, value in self.notes if key == "source")

    def entity(self, id: str) -> Entity | None:
        """The entity of that id."""
        return next((entity for entity in self.entities if entity.id == id), None)

    def words(self, sentence: Sentence) -> tuple[str, ...]:
        """The tokens of a sentence as strings."""
        return tuple(self.of(token) for token in self.tokens[sentence.first : sentence.last])

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self)

    @classmethod
    def from_sentences(cls, id: str, sentences: Iterable[str], joint: str = " ", **layers: object) -> Story:
        """A story from ready sentences: writes the text and the sentence layer.

        >>> Story.from_sentences("s", ["Ann ran.", "She fell."]).sentences[1]
        Sentence(start=9, stop=18)
        """
        parts: list[str] = []
        spans: list[Sentence] = []
        at = 0
        for text in sentences:
            if parts:
                at += len(joint)
            spans.append(Sentence(at, at + len(text)))
            parts.append(text)
            at += len(text)
        return cls(id=id, text=joint.join(parts), sentences=tuple(spans), **layers)  # type: ignore[arg-type]

    @classmethod
    def from_words(cls, id: str, sentences: Iterable[Iterable[str]], **layers: object) -> Story:
        """A story from tokenised sentences, one space between words: writes text, tokens and sentences.

        >>> story = Story.from_words("s", [["Ann", "ran", "."], ["She", "fell", "."]])
        >>> story.text, story.words(story.sentences[1])
        ('Ann ran . She fell .', ('She', 'fell', '.'))
        """
        words: list[str] = []
        tokens: list[Token] = []
        spans: list[Sentence] = []
        at = 0
        for sentence in sentences:
            first = len(tokens)
            for word in sentence:
                tokens.append(Token(at, at + len(word)))
                words.append(word)
                at += len(word) + 1
            start = tokens[first].start if len(tokens) > first else at
            spans.append(Sentence(start, max(start, at - 1), first, len(tokens)))
        return cls(id=id, text=" ".join(words), tokens=tuple(tokens), sentences=tuple(spans), **layers)  # type: ignore[arg-type]


class Pair(Noun, frozen=True):
    """An abstract instruction and its concrete telling, tokenised, with blanks as token ranges of the concrete side."""

    id: str
    abstract: tuple[str, ...]
    concrete: tuple[str, ...]
    blanks: tuple[tuple[int, int], ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        for start, stop in self.blanks:
            if not 0 <= start < stop <= len(self.concrete):
                raise ValueError(
                    f"pair {self.id!r}: blank ({start}, {stop}) is outside the {len(self.concrete)} concrete tokens"
                )

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self)


class Alignment(Noun, frozen=True):
    """Which abstract word each concrete word was told from: ``path[j]`` is an index of ``pair.abstract``, -1 for none."""

    pair: Pair
    path: tuple[int, ...]
    by: str = ""

    def __post_init__(self) -> None:
        if len(self.path) != len(self.pair.concrete):
            raise ValueError(
                f"alignment of {self.pair.id!r}: {len(self.path)} links for {len(self.pair.concrete)} words"
            )
        if self.path and not -1 <= min(self.path) <= max(self.path) < len(self.pair.abstract):
            raise ValueError(
                f"alignment of {self.pair.id!r}: a link points outside the {len(self.pair.abstract)} words"
            )

    def spans(self) -> tuple[tuple[int, int, int], ...]:
        """Stretches of concrete words told from one abstract word: (abstract word, start, stop)."""
        out: list[tuple[int, int, int]] = []
        for place, at in enumerate(self.path):
            if out and out[-1][0] == at:
                out[-1] = (at, out[-1][1], place + 1)
            else:
                out.append((at, place, place + 1))
        return tuple(out)

    def _repr_html_(self) -> str:
        from scenarist.registry import display

        return display(self)


def replace(noun: Story, **changes: object) -> Story:
    """A story with some layers exchanged."""
    return msgspec.structs.replace(noun, **changes)


def sentence_texts(story: Story) -> Iterator[str]:
    """The sentences of a story as strings."""
    for sentence in story.sentences:
        yield story.of(sentence)
