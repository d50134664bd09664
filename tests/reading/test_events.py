"""Events, chains, views and renderings on hand-made parses: what is tested here needs no model."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarist.errors import BadInput
from scenarist.reading.chains import chains, protagonist
from scenarist.reading.events.extract import events
from scenarist.reading.foreign.conllu import ConlluReader
from scenarist.reading.render import differences, render
from scenarist.story import Chain, Entity, Event, Role, Story

HAND = Path(__file__).parent / "fixtures" / "hand.conllu"


@pytest.fixture(scope="module")
def stories() -> dict[str, Story]:
    return {story.id: story for story in ConlluReader()([HAND.read_text("utf-8")])}


def chain(story: Story, entity: str, view: str = "cj", **settings: object) -> str:
    found = [one for one in chains(story, view=view, **settings) if one.entity == entity]  # type: ignore[arg-type]
    return str(found[0]) if found else ""


def find(story: Story, predicate: str) -> Event:
    return next(event for event in story.events if event.predicate == predicate)


def test_the_sentences_of_the_issue(stories: dict[str, Story]) -> None:
    story = stories["shows"]
    assert chain(story, "e1") == "walk:subj ask:subj tell:obj annoy:subj wait:subj"
    assert chain(story, "e7") == "catch:obj slip_away:subj leave:subj see:obj"
    assert render(story)[-1] == "She wait in lobby for days."
    assert protagonist(story).id == "e1"  # type: ignore[union-attr]
    assert chains(story, least=5)[0].entity == "e1"
    assert len(chains(story, least=5)) == 1


def test_places_point_at_the_events(stories: dict[str, Story]) -> None:
    for story in stories.values():
        for one in chains(story):
            assert [link.predicate for link in one.links] == [story.events[place].predicate for place in one.places]
            assert list(one.places) == sorted(one.places)


def test_subjects_are_shared_and_handed_down(stories: dict[str, Story]) -> None:
    story = stories["control"]
    said = "sit_down:subj want:subj eat:subj ask:obj wait:subj promise:subj stay:subj eat:subj drink:subj"
    assert chain(story, "e1").startswith(said)
    assert "have" not in {event.predicate for event in story.events}  # *had to* is no event of its own


def test_polarity_modality_tense_realis(stories: dict[str, Story]) -> None:
    story = stories["control"]
    eat, drink = (one for one in story.events if not one.polarity)
    assert (eat.predicate, drink.predicate) == ("eat", "drink")
    assert (eat.tense, eat.realis) == ("past", False)
    leave, go = find(story, "leave"), find(story, "go")
    assert leave.modality == go.modality == "might"
    assert not leave.realis
    assert not go.realis
    assert find(story, "sit_down").realis
    assert next(one for one in story.events if one.predicate == "eat").modality == "want"
    light = stories["light"]
    assert find(light, "come").modality == "question"
    assert find(light, "rain").modality == "if"
    assert (find(light, "stay").tense, find(light, "stay").realis) == ("future", False)
    assert not find(light, "pay").polarity  # *without paying*
    nobody = [one for one in light.events if one.predicate == "come"][1]
    assert not nobody.polarity


def test_a_learned_probability_decides_where_there_is_one(stories: dict[str, Story]) -> None:
    story = stories["copula"]
    sure = [0.0] * len(story.tokens)
    assert not any(one.realis for one in events(story, sure) if one.kind == "verb")
    kitchen = next(at for at, token in enumerate(story.tokens) if story.of(token) == "kitchen")
    nurse = next(at for at, token in enumerate(story.tokens) if story.of(token) == "nurse")
    sure[kitchen] = sure[nurse] = 0.9
    assert [one.kind for one in events(story, sure)].count("noun") == 0  # both are predicates already
    story = stories["light"]
    sure = [0.0] * len(story.tokens)
    shower = next(at for at, token in enumerate(story.tokens) if story.of(token) == "shower")
    sure[shower] = 0.9
    assert [one.predicate for one in events(story, sure) if one.kind == "noun"] == ["shower"]


def test_passives_turn_round_except_in_the_surface_view(stories: dict[str, Story]) -> None:
    story = stories["passive"]
    assert chain(story, "e1") == "seize:obj beat:obj"
    assert chain(story, "e2") == "seize:subj beat:subj"
    assert chain(story, "e1", "dep") == "seize:nsubjpass beat:nsubjpass"
    assert chain(story, "e2", "dep") == "seize:agent beat:agent"
    assert chain(story, "e3") == "give:iobj"
    assert render(story) == ("Thief seized by farmers.", "Ann given medal.")


def test_relative_clauses_fill_their_gap(stories: dict[str, Story]) -> None:
    story = stories["relative"]
    assert chain(story, "e1") == "steal:subj run_away:subj"
    assert chain(story, "e4") == "sell:obj build:obj"
    assert chain(story, "e6") == "sit:prep_in collapse:subj"
    assert chain(story, "e8") == "carry:subj fall:subj"


def test_copulas_and_adjectives(stories: dict[str, Story]) -> None:
    story = stories["copula"]
    assert [event.predicate for event in story.events] == ["be_tired", "be_hungry", "be", "be", "be"]
    assert [event.kind for event in story.events] == ["adjective", "adjective", "copula", "copula", "verb"]
    assert story.events[2].role("attr").head == "nurse"  # type: ignore[union-attr]
    assert chain(story, "e1", "dep") == "be:nsubj"  # only the place: the other predicates are no verbs there
    assert render(story) == ("Ben be tired.", "He be nurse.", "He be in kitchen.", "There be mice.")
    assert render(story, "verb-subject")[0] == "Ben be tired."


def test_light_verbs_particles_and_reporting(stories: dict[str, Story]) -> None:
    story = stories["light"]
    assert {"take", "pick_up"} <= {event.predicate for event in story.events}
    joined = events(story, light=True)
    assert joined[0].predicate == "take_shower"
    assert joined[0].kind == "light"
    verb, noun = (
        next(at for at, token in enumerate(story.tokens) if story.of(token) == word) for word in ("took", "shower")
    )
    sure = [1.0 if at == noun else 0.0 for at in range(len(story.tokens))]
    told = [one for one in events(story, sure, light=True) if one.token in (verb, noun)]
    assert [(one.predicate, one.realis) for one in told] == [("take_shower", True)]  # one event, not two
    assert joined[0].role("obj") is None
    assert find(story, "ask").reporting
    assert not find(story, "take").reporting
    assert render(story)[1] == "Ben ask."  # the saying is the main clause


def test_coordination_gives_each_its_part(stories: dict[str, Story]) -> None:
    story = stories["light"]
    assert chain(story, "e7") == "buy:obj eat:obj"
    assert chain(story, "e5") == "ask:subj buy:subj eat:subj"
    assert chain(story, "e8") == "buy:subj eat:subj"  # the pair is an entity of its own


def test_members_take_part_in_what_their_group_does() -> None:
    entities = (Entity("e1", ()), Entity("e2", (), members=("e1",)))
    event = Event("leave", (Role("subj", "e2", "they"),))
    story = Story("s", "", entities=entities, events=(event,))
    assert [one.entity for one in chains(story)] == ["e2"]
    assert [str(one) for one in chains(story, members=True)] == ["leave:subj", "leave:subj"]


def test_the_multi_argument_views(stories: dict[str, Story]) -> None:
    story = stories["shows"]
    assert chain(story, "e7", "pm") == "catch:obj(y,x,) slip_away:subj(x,,) leave:subj(x,o,) see:obj(,x,)"
    assert chain(story, "e1", "gw").startswith("walk:subj(Mia,,into:bakery) ask:subj(she,,for:bread)")
    assert chain(story, "e7", "dep") == "catch:dobj slip:nsubj leave:nsubj see:nsubjpass"
    with pytest.raises(BadInput, match="There is no view 'ch'"):
        chains(story, view="ch")


def test_chains_can_leave_out_what_did_not_happen(stories: dict[str, Story]) -> None:
    story = stories["shows"]
    assert chain(story, "e1", realis=True) == "walk:subj ask:subj tell:obj wait:subj"
    assert chain(story, "e1", reporting=False) == "walk:subj ask:subj annoy:subj wait:subj"


def test_the_released_rule_is_cruder(stories: dict[str, Story]) -> None:
    assert render(stories["shows"], "caveman", "released")[-1] == "She wait for day in lobby."
    assert render(stories["passive"], "caveman", "released") == ("Thief seize.", "Ann give.")
    assert render(stories["control"], "caveman", "released")[3] == "He not eat."
    assert render(stories["control"], "verb-subject", "released")[3] == "He eat."
    assert len(differences()) >= 6


def test_full_text_needs_no_parse_and_the_others_say_so() -> None:
    story = Story.from_sentences("s", ["Ann ran."])
    assert render(story, "full") == ("Ann ran.",)
    with pytest.raises(BadInput, match="not parsed"):
        render(story)
    with pytest.raises(BadInput, match="caveman"):
        render(story, "caveman-speak")


def test_nothing_comes_of_nothing() -> None:
    story = Story("s", "")
    assert events(story) == ()
    assert chains(story) == ()
    assert protagonist(story) is None
    assert render(story) == ()


def test_a_broken_tree_ends(stories: dict[str, Story]) -> None:
    """Cycles and heads outside the story, as foreign files may have them, neither crash nor loop."""
    import msgspec

    story = stories["control"]
    tokens = tuple(
        msgspec.structs.replace(token, head=(at + 1) % len(story.tokens), dep=dep)
        for at, (token, dep) in enumerate(
            zip(story.tokens, ["conj", "xcomp", "advcl", "acl:relcl", "nsubj"] * 20, strict=False)
        )
    )
    events(msgspec.structs.replace(story, tokens=tokens))
    tokens = tuple(msgspec.structs.replace(token, head=9999) for token in story.tokens)
    events(msgspec.structs.replace(story, tokens=tokens))


def test_a_chain_is_readable() -> None:
    story = Story("s", "", entities=(Entity("e1"),), events=(Event("run", (Role("subj", "e1"),)),))
    assert chains(story) == (Chain(chains(story)[0].links, "e1", "s", (0,)),)
