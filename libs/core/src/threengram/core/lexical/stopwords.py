"""English function words: articles, pronouns, prepositions, auxiliaries and question words.

The list is short on purpose. A word that is also a name, a month, a number or a negation that changes the meaning
(`may`, `will`, `us`, `no`, `not`, `one`, `can`) stays searchable: a frequent term costs little, because its inverse
document frequency is near zero, while a dropped one is lost.
"""

_WORDS = """
a an the this that these those
i me my mine myself we our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
what which who whom whose when where why how
am is are was were be been being do does did doing done have has had having
would should could shall ought
and or but if then than so as because while until although though
of at by for with about into onto from to in on upon during between through within
there here also just very too such both each any some
"""
STOP_WORDS = frozenset(_WORDS.split())

# What an apostrophe leaves behind: "it's", "don't", "we're", "I've", "I'd", "I'll", "I'm".
CONTRACTION_TAILS = frozenset({"s", "t", "re", "ve", "d", "ll", "m"})

# The heads that only occur before such a tail, beside the stop words themselves.
_HEADS = "don doesn didn isn aren wasn weren haven hasn hadn won wouldn shouldn couldn ain let y"
CONTRACTION_HEADS = frozenset(_HEADS.split())
