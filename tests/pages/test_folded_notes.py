"""At most two notes stand at one place of a story's page; what is more is folded and not numbered in the text."""

from __future__ import annotations

from scenarist.interpretation import Interpretation, UnsaidEvent
from scenarist.pages.story import story_page
from scenarist.script import Reason
from scenarist.story import Label, Segment, Story


def test_a_third_note_at_one_place_is_folded_and_has_no_number():
    story = Story("s", "We sat down. We left.", segments=(Segment(0, 21, (Label("eating in a restaurant", 0.9),)),))
    untold = tuple(
        UnsaidEvent("eating in a restaurant", name, f"we {name} it", 0.8, 0, -1, -1, 12, Reason("It happens."), folded=name == "pay")
        for name in ("order", "eat", "pay")
    )  # fmt: skip
    page = story_page(Interpretation(story, untold))
    assert page.count('class="note"') == page.count('class="gap"') == 2
    folded = page.partition('<li class="folded">')[2].partition("</details>")[0]
    assert "1 more" in folded
    assert "we pay it" in folded and "we eat it" not in folded
