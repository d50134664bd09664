"""Pages of the event cloze: events as people say them, curves with their numbers."""

from __future__ import annotations

from scenarist.pages.eventcloze import curve_page, cutoff_page, spoken


def test_events_are_spoken() -> None:
    assert spoken("sell:iobj") == "sell X"
    assert spoken("arrest:nsubjpass") == "arrest X (passive)"
    assert spoken("strange") == "strange"


def test_curves_come_with_their_numbers() -> None:
    curve = curve_page(
        "Cutoff", {"lm-cloze": [(1, 0.1), (100, 0.3)]}, "cutoff", "recall@50", "recall@50|exam:eventcloze", log=True
    )
    assert "<polyline" in curve
    assert "<td>30.0</td>" in curve
    assert "recall@50|exam:eventcloze" in curve
    form = {"curves": {"lm-cloze": [[0.0, 0.05], [800.0, 0.3]]}, "signature": "chambers2017-cutoff|v:0.1.0"}
    assert "<polyline" in cutoff_page(form) and "<td>5.0</td>" in cutoff_page(form)
