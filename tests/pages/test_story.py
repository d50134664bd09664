"""The page of an interpretation: whole without network, inert, and alive in a real browser on a desk and on a phone."""

from __future__ import annotations

import html as entities
import re

import msgspec
import pytest

from scenarist.interpretation import Interpretation, UnsaidEvent
from scenarist.pages.story import blocks, called, placed, story_page
from scenarist.script import EventType, Reason, Script
from scenarist.story import Chain, Entity, Event, Label, Link, Mention, Role, Segment, Story, Token

HOSTILE = '<img src=x onerror="document.title=1"></p></main><script>document.title=2</script>'


def interpretation(extra: str = "") -> Interpretation:
    """A hand-made interpretation: two scenarios, one inside the other, and text of neither."""
    texts = ["Mia ran a bath.", "The phone rang.", "She hung up.", "She dried off.", f"It rained. {extra}".strip()]
    story = Story.from_sentences("s<1>", texts, title=f"A bath {extra}".strip())
    s = story.sentences
    segments = (
        Segment(0, s[3].stop, (Label("taking a bath", 0.9), Label("washing", 0.2)), why=("bath", HOSTILE)),
        Segment(s[1].start, s[2].stop, (Label("answering the phone", 0.7),)),
    )
    mia = Entity(
        "e1", (Mention(0, 3), Mention(s[2].start, s[2].start + 3), Mention(s[3].start, s[3].start + 3)), "person", "Mia"
    )
    events = (
        Event("run", (Role("subj", "e1", "Mia"),), -1, 4, 7),
        Event("ring", (), -1, s[1].start + 10, s[1].start + 14),
        Event("hang_up", (Role("subj", "e1", "she"),), -1, s[2].start + 4, s[2].stop - 1, polarity=False),
        Event("dry_off", (Role("subj", "e1", "she"),), -1, s[3].start + 4, s[3].stop - 1),
    )
    story = msgspec.structs.replace(story, segments=segments, entities=(mia,), events=events)
    why = Reason("9 of 10 tellers mention it.", ("told with: run bath", HOSTILE), 0.9)
    untold = (
        UnsaidEvent("taking a bath", "undress", "undress", 0.8, 0, 0, 1, s[0].stop, why),
        UnsaidEvent(
            "taking a bath", "relax", "relax", 0.6, 0, 1, 3, s[1].stop, why
        ),  # inside the other scenario's stretch
        UnsaidEvent("answering the phone", "say hello", "say hello", 0.5, 1, 1, 2, s[1].stop, why),
    )
    links = (Link("run", "subj"), Link("hang_up", "subj"), Link("dry_off", "subj"))
    return Interpretation(
        story, untold, (Chain(links, "e1", "s", (0, 2, 3)),), "e1", (("hang up", 2),), (f"A remark {extra}",)
    )


def test_every_unsaid_event_is_drawn_once() -> None:
    made = interpretation()
    assert sorted(one.phrase for block in placed(made.story, made.untold) for one in block.untold) == [
        "relax",
        "say hello",
        "undress",
    ]
    html = story_page(made)
    assert html.count('class="note"') == html.count('class="gap"') == 3
    assert [int(n) for n in re.findall(r'id="note-(\d+)"', html)] == [1, 2, 3]


def test_the_text_is_all_there_and_nothing_is_loaded() -> None:
    made = interpretation()
    html = story_page(made)
    words = "".join(re.findall(r'<div class="words">(.*?)</div><aside', html, re.S))
    words = re.sub(r'<div class="tag">.*?</div>|<button.*?</button>', "", words)
    shown = entities.unescape(re.sub(r"<[^>]+>", " ", words))
    assert shown.split() == re.sub(r"(\w)\.", r"\1 .", made.story.text).split() or "".join(shown.split()) == "".join(
        made.story.text.split()
    )
    assert not re.search(r"""(?:src|href|@import|url\()\s*=?\s*["']?(?:https?:)?//""", html)
    assert html == story_page(interpretation())


def test_people_are_called_by_a_short_name() -> None:
    text = "my sister, who sang, ran next to the wall"
    words = [(0, 2, "nmod:poss", 1), (3, 9, "nsubj", 6), (9, 10, "punct", 4), (11, 14, "nsubj", 4), (15, 19, "acl:relcl", 1), (19, 20, "punct", 4),
             (21, 24, "root", -1), (25, 29, "advmod", 10), (30, 32, "case", 10), (33, 36, "det", 10), (37, 41, "obl", 6)]  # fmt: skip
    tokens = tuple(Token(start, stop, dep=dep, head=head) for start, stop, dep, head in words)
    story = Story("s", text, tokens=tokens)
    sister = Entity("e1", (Mention(0, 19, 0, 5, 1, "nominal"),), name="my sister, who sang")
    wall = Entity("e2", (Mention(25, 41, 7, 11, 10, "nominal"),), name="next to the wall")
    me = Entity("e3", (Mention(0, 2, 0, 1, 0, "pronoun"),), name="my")
    assert [called(story, one) for one in (sister, wall, me)] == ["my sister", "the wall", "I"]
    assert called(story, Entity("e4", name="Ann's")) == "Ann"


def test_blocks_cover_the_text() -> None:
    story = interpretation().story
    found = list(blocks(story))
    assert "".join("".join(story.text[a:b].split()) for a, b, _ in found) == "".join(story.text.split())
    assert [segment.names[0] if segment else None for _, _, segment in found] == [
        "taking a bath", "answering the phone", "taking a bath", None,
    ]  # fmt: skip


def test_hostile_text_is_inert() -> None:
    html = story_page(interpretation(HOSTILE))
    assert "<img" not in html
    assert html.count("<script") == html.count("</script>") == 1
    assert "s<1>" not in html


def test_nothing_told_is_a_page_too() -> None:
    html = story_page(Interpretation(Story("s", ""), remarks=("The text is empty.",)))
    assert "The text is empty." in html
    assert "no known scenario" in html


def test_notebooks_show_nouns_without_touching_the_notebook() -> None:
    made = interpretation(HOSTILE)
    script = Script("x", 2, (EventType(HOSTILE, (HOSTILE,), 2, 1.0),))
    for noun in (made, made.story, made.story.segments[0], Segment(0, 1), script):
        shown = noun._repr_html_()
        assert shown.startswith("<iframe")
        assert "<style>" not in shown  # only inside the frame, escaped
        assert "<script" not in shown
    assert "hang up" in made.chains[0]._repr_html_()


def test_a_run_table_shows_itself(tmp_path, monkeypatch) -> None:
    from scenarist.verbs.run_table import run_table as bench

    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    sheet = bench("toy", only=["constant"], limit=4)
    shown = entities.unescape(sheet._repr_html_())
    assert "constant" in shown
    assert sheet.signature in shown


@pytest.mark.browser
@pytest.mark.parametrize("width", [1200, 390])
def test_in_a_real_browser(width, tmp_path, browser_page) -> None:
    page = browser_page
    page.set_viewport_size({"width": width, "height": 800})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    path = tmp_path / "page.html"
    path.write_text(story_page(interpretation(HOSTILE)), encoding="utf-8")
    page.goto(path.as_uri())
    assert page.title().startswith("A bath")  # the hostile text did not run
    assert page.locator("script").count() == 1
    assert page.locator("img").count() == 0
    assert HOSTILE in page.locator("main").inner_text()
    assert page.locator("#why-1").is_hidden()
    page.click("#note-1")
    assert page.locator("#why-1").is_visible()
    assert page.get_attribute("#note-1", "aria-expanded") == "true"
    assert "9 of 10 tellers" in page.inner_text("#why-1")
    page.keyboard.press("Escape")
    assert page.locator("#why-1").is_hidden()
    page.click('.gap[data-gap="2"]')
    assert page.locator("#why-2").is_visible()
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.id") == "note-3"
    page.keyboard.press("Enter")
    assert page.locator("#why-3").is_visible()
    page.keyboard.press("p")
    assert page.evaluate("document.activeElement.id") == "note-2"
    page.focus(".pill.who")
    assert page.locator(".words .who.lit").count() == 3
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")  # no sideways scrolling
    text, note = page.locator(".words").first.bounding_box(), page.locator("#note-1").bounding_box()
    if width > 1000:
        assert note["x"] >= text["x"] + text["width"]  # at the margin
    else:
        assert note["y"] >= text["y"] + text["height"] - 1  # below the text it belongs to
        assert note["height"] >= 24  # a thumb can hit it
    assert asked == [path.as_uri()]
