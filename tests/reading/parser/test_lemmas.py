"""Lemmas of irregular pasts: every one of a school list, as past and as participle where it is both."""

from __future__ import annotations

import pytest

from scenarist.reading.parser.lemmas import lemma

PASTS = """
fled flee, swung swing, hung hang, sprang spring, strode stride, slew slay, wept weep, clung cling, crept creep, dealt deal, dug dig, drank drink,
drew draw, drove drive, dwelt dwell, ate eat, fed feed, felt feel, fought fight, found find, flew fly, flung fling, forbade forbid, forgot forget,
forgave forgive, forsook forsake, froze freeze, got get, gave give, went go, ground grind, grew grow, heard hear, hid hide, held hold, kept keep,
knelt kneel, knew know, laid lay, led lead, leapt leap, left leave, lent lend, lay lie, lit light, lost lose, made make, meant mean, met meet,
paid pay, rode ride, rang ring, rose rise, ran run, said say, saw see, sought seek, sold sell, sent send, shook shake, shone shine, shot shoot,
shrank shrink, sang sing, sank sink, sat sit, slept sleep, slid slide, slung sling, spoke speak, sped speed, spent spend, spun spin, stood stand,
stole steal, stuck stick, stung sting, stank stink, struck strike, strove strive, swore swear, swept sweep, swam swim, took take, taught teach,
tore tear, told tell, thought think, threw throw, trod tread, understood understand, woke wake, wore wear, wove weave, withdrew withdraw, won win,
wrung wring, wrote write, bore bear, began begin, bent bend, bound bind, bit bite, bled bleed, blew blow, broke break, bred breed, brought bring,
built build, bought buy, caught catch, chose choose, came come, overcame overcome, overthrew overthrow, undertook undertake, misled mislead,
foresaw foresee, withheld withhold, withstood withstand, arose arise, awoke awake, beheld behold, mistook mistake, partook partake,
rebuilt rebuild, undid undo, upheld uphold, overheard overhear, oversaw oversee
"""
BOTH = "fled swung hung wept clung crept dealt dug fed felt fought found flung heard held kept knelt laid led leapt left lent lost made met paid said sought sold sent shone shot"


@pytest.mark.parametrize("pair", [part.strip() for part in PASTS.split(",")])
def test_an_irregular_past_has_its_verb(pair: str) -> None:
    form, verb = pair.split()
    assert lemma(form, "VBD") == verb
    if form in BOTH.split():
        assert lemma(form, "VBN") == verb
