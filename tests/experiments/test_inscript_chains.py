"""Gold events and gold coreference laid over our reader's parse, on a story of our own; and only script events asked."""

from __future__ import annotations

from experiments.eventcloze.inscript_chains import worlds
from scenarist.exams.eventcloze import EventCloze
from scenarist.learning.event_chains import of_story
from scenarist.story import Entity, Event, Mention, Story, Token

TEXT = "Anna filled the tub . Anna sneezed . The girl washed her hair ."


def gold() -> Story:
    tokens: list[Token] = []
    at = 0
    for word in TEXT.split():
        start = TEXT.index(word, at)
        at = start + len(word)
        tokens.append(Token(start, at))

    def mention(number: int) -> Mention:
        return Mention(tokens[number].start, tokens[number].stop, number, number + 1, number)

    events = tuple(
        Event(TEXT.split()[number], token=number, start=tokens[number].start, stop=tokens[number].stop, label=label)
        for number, label in ((1, "ScrEv_fill_water"), (6, "UnrelEv"), (10, "ScrEv_wash"))
    )
    # "the girl" is Anna, which no pronoun says: gold coreference alone knows
    people = (
        Entity("0", tuple(mention(number) for number in (0, 5, 9, 11)), label="ScrPart_bather"),
        Entity("1", (mention(3),)),
    )
    return Story("tale", TEXT, tokens=tuple(tokens), events=events, entities=people, scenario="taking a bath")


def test_gold_coreference_joins_what_the_reader_keeps_apart() -> None:
    found = worlds([gold()])
    chain = next(chain for chain in of_story(found["gold"][0]).chains if chain.entity == "0")
    assert [str(link) for link in chain.links] == ["fill:subj", "sneeze:subj", "wash:subj"]
    assert {event.label for event in found["gold"][0].events} == {"ScrEv_fill_water", "UnrelEv", "ScrEv_wash"}
    assert len(found["read"][0].events) >= len(found["gold"][0].events)


def test_only_script_events_are_asked() -> None:
    stories = worlds([gold()])["gold"]
    every = list(EventCloze("jans12").set(stories))
    core = list(EventCloze("jans12", core="labels").set(stories))
    assert {item.key for item in every} - {item.key for item in core} == {"sneeze:subj"}
