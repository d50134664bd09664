"""Pages of the event cloze: events as people say them, curves with their numbers."""

from __future__ import annotations

from scenarist.pages.eventcloze import curve_lines, curve_page, curves_page, spoken


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
    axes = {"x": "cutoff", "y": "recall@50", "log": True}
    curves = {"lm-cloze": [[0.0, 0.05], [800.0, 0.3]]}
    form = {"table": "chambers2017-cutoff", "curves": curves, "axes": axes, "signature": "chambers2017-cutoff|v:0.1.0"}
    assert "<polyline" in curves_page(form) and "<td>5.0</td>" in curves_page(form) and "Figure 1" in curves_page(form)


def test_curves_are_drawn_in_a_terminal() -> None:
    curves = {"pmi": [(1.0, 0.0), (1000.0, 0.4)], "unigram": [(1.0, 0.4), (1000.0, 0.4)]}
    lines = curve_lines(curves, "k", "recall@k", log=True, width=20, height=5)
    assert (
        len(lines) == 7 and lines[0].startswith("40.0 |○") and lines[0].endswith("○")
    )  # the later curve is seen where both meet
    assert lines[4].startswith(" 0.0 |●") and lines[-1].strip() == "k (recall@k: ● pmi, ○ unigram)"
    assert curve_lines({}, "k", "recall@k") == []
    labels = curve_lines({"a": [(float(k), 0.1) for k in (1, 2, 5, 10, 20, 50)]}, "k", "r", True, 12)[-2].split()
    assert labels[0] == "1" and len(labels) < 6  # numbers that would touch are left out
