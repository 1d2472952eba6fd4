"""The words by which two beliefs are told apart: negations, opposites, things that have one value. English first."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# They hold a sentence together and say nothing by themselves.
STOP = _words(
    "a an the is are was were be been being am has have had having do does did done will would shall should must can "
    "could may might of to in on at for from by with as and or but so then that this these those it its their his "
    "her our your my me i we you he she they them us user users user's also just very really always currently now "
    "still already please generally usually when all every each any some there here ensure make sure use uses used "
    "using longer anymore"
)
NEGATIONS = _words(
    "not no never none nor without cannot avoid avoids avoiding nicht kein keine keinen nie ohne pas jamais sans nunca "
    "não sin senza non не никогда нет değil"
)
# before "n't", and without the apostrophe
CONTRACTIONS = _words(
    "do does did is are was were has have had ca can could would should must need wo dont doesnt didnt isnt arent "
    "wasnt werent hasnt havent hadnt cant couldnt wouldnt shouldnt mustnt neednt wont"
)
NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=2
    )
}
# What is counted through: the number after it is part of its name.
COUNTED = _words(
    "step phase chapter section part item component property day week sprint issue ticket pr task level stage round "
    "lesson question option rule point figure table page line room floor service node worker server host shard "
    "instance milestone appendix article adr rfc pep grade unit volume episode season layer tier version module "
    "team group"
)
OPPOSITES = tuple(
    (_words(one), _words(other))
    for one, other in (
        ("dark", "light"),
        ("enable enabled on", "disable disabled off"),
        ("allow allowed permit", "forbid forbidden deny disallow prohibit ban"),
        ("tab tabs", "space spaces"),
        ("sync synchronous", "async asynchronous"),
        ("public", "private"),
        ("love loves like likes enjoy enjoys prefer prefers", "hate hates dislike dislikes"),
        ("required mandatory", "optional"),
        ("before", "after"),
        ("double", "single"),
        ("ascending", "descending"),
        ("left", "right"),
        ("first", "last"),
        ("true", "false"),
        ("accept", "reject"),
        ("include", "exclude"),
        ("morning mornings", "evening evenings night"),
        ("formal", "informal casual"),
        ("short concise brief terse", "long verbose detailed"),
        ("local locally", "remote remotely"),
        ("manual manually", "automatic automatically"),
        ("upper uppercase", "lower lowercase"),
        ("singular", "plural"),
        ("hot", "cold"),
        ("vegetarian vegan", "omnivore"),
        ("merge", "rebase"),
        ("metric", "imperial"),
        ("strict", "lenient loose"),
        ("start starts", "stop stops"),
        ("max maximum", "min minimum"),
        ("open", "closed"),
        ("monday", "tuesday wednesday thursday friday saturday sunday"),
    )
)
# Things that have one value at a time: the last word before "is" or a colon.
SINGLE = _words(
    "name surname nickname email e-mail phone address birthday birthdate age city country hometown timezone zone "
    "language employer job role title manager boss wife husband spouse partner editor ide shell os database framework "
    "branch version port host url domain region bucket license licence deadline budget colour color font theme "
    "indentation formatter linter runner length limit timeout currency owner maintainer lead location office status "
    "size format encoding locale environment capital provider registry repository store style system engine server "
    "laptop browser cache queue broker interval threshold retention height weight salary diet pronouns"
)
CHOSEN = _words("default preferred favourite favorite main primary current")
# What is said of one place, time or person.
PLACED = (
    *("lives in", "live in", "works at", "works for", "works as", "was born in", "was born on", "born in", "born on"),
    *("is called", "is named", "is located in", "are located in", "is based in", "is hosted on", "is hosted in"),
    *("is hosted at", "runs on", "run on", "is written in", "are written in", "is stored in", "are stored in"),
    *("defaults to", "default to", "is set to", "deploys to", "is deployed to", "reports to", "is married to"),
    *("moved to", "is in", "are in", "listens on", "is due on", "is due", "starts at", "ends at"),
)
