"""Words that tell who is meant: pronouns, titles, nouns of one sex, first names.

First names by sex are the frequent ones of the US census of 1990 as carried by the PyPI package `names` (MIT; notice in
``resources/reader/NOTICE``); a name borne by both sexes tells nothing. The noun lists are our own.
"""

from __future__ import annotations

from functools import cache

from scenarist.store.home import resource

CLASSES = ("I", "we", "you", "he", "she", "it", "they", "demonstrative", "indefinite", "name", "nominal", "group")
FIRST, WE, YOU, HE, SHE, IT, THEY, DEMONSTRATIVE, INDEFINITE, NAME, NOMINAL, GROUP = range(len(CLASSES))

PRONOUNS: dict[str, int] = {
    form: place
    for place, forms in enumerate(
        (
            "i me my mine myself",
            "we us our ours ourselves ourself",
            "you your yours yourself yourselves ye thou thee thy thine ya y'all",
            "he him his himself",
            "she her hers herself",
            "it its itself",
            "they them their theirs themselves themself 'em em",
            "this that these those",
        )
    )
    for form in forms.split()
}
INDEFINITES = frozenset(
    "someone somebody anyone anybody everyone everybody no-one nobody none one something anything everything nothing all both "
    "each either neither some any another others other many few several most such".split()
)
RELATIVE = frozenset("who whom whose which what whatever whoever whichever there where when why how".split())
REFLEXIVE = frozenset("myself ourselves ourself yourself yourselves himself herself itself themselves themself".split())
POSSESSIVE = frozenset("my our your his her its their thy whose".split())

LOOSE = frozenset("also just only even then so too not maybe perhaps really actually still now never always".split())
PLACE_MARKS = frozenset("at in on by near after before during inside outside".split())
ARTICLES = ("none", "the", "a", "this", "possessive", "quantity", "name")
ARTICLE = {"the": 1, "a": 2, "an": 2, "this": 3, "that": 3, "these": 3, "those": 3}
ARTICLE |= dict.fromkeys("some any no every each all both many few several another".split(), 5)

MALE = frozenset(
    "man boy father dad daddy papa pa son brother uncle grandfather grandpa granddad nephew husband king prince lord duke baron earl count "
    "gentleman guy lad sir mr. mr mister master actor waiter widower bachelor groom bridegroom monk priest bishop pope emperor wizard god "
    "fellow chap stepfather grandson stepson policeman fireman postman salesman fisherman businessman nobleman cowboy sailor soldier "
    "señor monsieur schoolboy lion bull rooster godfather hero friar abbot squire father-in-law brother-in-law son-in-law".split()
)
FEMALE = frozenset(
    "woman girl mother mom mommy mum mummy mama ma daughter sister aunt auntie grandmother grandma granny niece wife queen princess lady "
    "duchess baroness countess madam ma'am mrs. mrs ms. ms miss actress waitress widow bride nun empress witch goddess hostess stepmother "
    "granddaughter stepdaughter policewoman maid housewife businesswoman heroine girlfriend maiden mistress nurse señora madame "
    "mademoiselle schoolgirl lioness hen godmother governess mother-in-law sister-in-law daughter-in-law fairy mermaid".split()
) - {"nurse"}
PEOPLE = frozenset(
    "person people child children kid baby friend teacher doctor nurse officer guard thief baker cook chef driver neighbor neighbour "
    "parent student pupil boss clerk cashier customer client guest host stranger cousin twin family couple team crowd police judge lawyer "
    "manager owner worker leader player author writer reporter president professor dentist barber hairdresser mechanic farmer servant "
    "captain colonel general major sergeant boyfriend girlfriend roommate classmate colleague partner visitor passenger soldier enemy "
    "infant toddler teenager adult somebody someone anybody anyone everybody everyone nobody coach vet veterinarian librarian".split()
)
ANIMALS = frozenset(
    "cat dog puppy kitten horse pony cow pig sheep goat lamb chicken duck goose bird parrot fish rabbit bunny mouse rat "
    "hamster squirrel fox wolf "
    "bear deer frog turtle snake spider bee ant fly monkey elephant tiger lion donkey calf hound pup".split()
)
GROUPS = frozenset(
    "people family police couple team crowd group band company government committee army staff crew audience public".split()
)
TITLES = frozenset(
    "mr. mr mrs. mrs ms. ms miss dr. dr sir lady lord king queen prince princess captain uncle aunt president professor".split()
)
SAY = frozenset(
    "say tell ask reply answer cry shout whisper exclaim call murmur mutter remark add continue return respond scream yell begin repeat "
    "think observe declare explain inquire demand laugh sigh suggest announce interrupt growl hiss sob".split()
)


@cache
def names() -> dict[str, int]:
    """First name in lower case -> 1 male, 2 female; names of both sexes are left out."""
    found: dict[str, int] = {}
    for line in resource("reader/names.txt").read_text(encoding="utf-8").splitlines():
        sex, _, rest = line.partition(" ")
        found.update(dict.fromkeys(rest.split(), {"m": 1, "f": 2}[sex]))
    return found
