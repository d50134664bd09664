"""The closed word lists that event extraction consults; each is a short, hand-written list of common English verbs and
nouns."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


REPORTING = words(
    "say tell ask reply answer respond explain announce state claim report add shout yell cry whisper mutter murmur "
    "exclaim "
    "declare inform mention note remark comment observe insist suggest warn promise admit confess deny agree argue "
    "assert "
    "complain demand inquire enquire joke lie repeat scream sigh snap swear testify write call beg boast brag order "
    "remind "
    "request assure confirm acknowledge propose recall reveal stress urge utter vow wonder think gasp groan grumble "
    "growl hiss "
    "interrupt continue conclude"
)
"""Verbs that introduce speech or thought."""

ALWAYS_REPORTING = words("say claim state announce declare exclaim remark assert mutter murmur testify mention")
"""Those that report even where no speech is parsed under them."""

SUBJECT_CONTROL = words("promise threaten vow")
"""Verbs with an object whose infinitive is done by the subject all the same."""

REAL_COMPLEMENT = words(
    "start begin continue keep stop finish quit manage happen come go get see hear watch feel notice observe spot "
    "catch find make "
    "let help have proceed resume enjoy end cease bother dare remember regret love hate spend leave sit stand lie run"
)
"""Verbs whose infinitive or gerund happened if they did."""

REAL_CLAUSE = words(
    "say tell know see hear notice realize realise find discover learn remember announce report explain state mention "
    "add reply "
    "answer admit confess understand recall reveal forget show prove feel observe note inform remind write shout "
    "whisper discover "
    "happen mean regret recognize recognise declare claim agree complain be"
)
"""Verbs whose finite complement is told as having happened."""

MODALS = words("can could may might must shall should will would ought need dare")

NEGATIONS = words("not n't n’t never nt no neither nor hardly scarcely without")

NEGATIVE_ARGUMENTS = words("nobody nothing none no-one")

TIMES = words(
    "second minute hour day night week weekend month year decade century morning afternoon evening noon midnight "
    "today tonight "
    "tomorrow yesterday time moment while spring summer autumn fall winter Monday Tuesday Wednesday Thursday Friday "
    "Saturday "
    "Sunday January February March April May June July August September October November December"
)
"""Nouns that make an unmarked phrase a time (Stanford's ``tmod``)."""

NO_GAP = words("time way reason place day night moment year week month morning evening minute hour")
"""Nouns whose relative clause usually lacks no argument: *the day he left*."""

LIGHT = words("take have make give do get pay")
"""Verbs that can leave the meaning to their noun: *take a shower*."""

LIGHT_NOUNS = words(
    "shower bath walk look nap break trip ride swim drink bite breath sip seat care turn picture photo photograph "
    "test exam "
    "decision mistake call phone-call promise plan noise speech effort choice joke argument conversation talk chat "
    "fight lunch "
    "dinner breakfast supper meal party meeting rest sleep laugh cry kiss hug wave try shot lesson visit attention "
    "homework "
    "laundry shopping cleaning dishes dish chore research favor favour damage business haircut appointment offer "
    "guess wish "
    "reservation purchase payment order discovery difference progress notice pause step stroll dive dance smile nod "
    "push pull"
)

POSSESSION = words("have get make take find need want lose miss seize")
"""Verbs whose subject does the infinitive that modifies their object: *he had a decision to make*."""

PARTICLES = words(
    "away back down up out off in on over around round through along forward apart together by about across aside "
    "ahead under"
)
"""Adverbs that may belong to a verb's name."""
