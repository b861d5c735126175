"""English words that say little by themselves: they count, at half their weight.

A tenant of fifty memories holds "getting" once and "Szymborski" once, so both look equally rare to it. In English at
large they are not. The list is hand-picked from the five hundred most frequent words of the WordPiece vocabulary of
BERT, which is ordered by frequency; names, months, places and nouns that a memory may be about are left out.
"""

LIGHT_WEIGHT = 0.5

_WORDS = """
able above across actually after again against all almost along already always among another anything around asked
away back become became before began begin behind being best better bring brought call called came can certain change
come coming current day days different down early either end enough even ever every everything far feel felt few find
first five followed following form former found four free full further gave general get getting give given go goes
going gone good got great happen happened hard help held high hold however idea important including inside instead
keep kept kind knew know known large last later least left less let life like little live long look looked lost lot
made main make making many may maybe mean might more most move much must near need needed needs never new next no not
nothing now number off often old once one only other others out outside over own part past people per perhaps person
please possible put quite rather real really right said same saw say second see seem seemed seen sense set several
show shown side since single six small so someone something soon start started still stop such sure take taken taking
talk tell ten thing things think thought three time times today together told too took total toward tried try trying
turn turned two under until up upon use used using usually various wait want wanted wants way week weeks well went
whether whole will without wish work worked working works year years yes yet
"""
LIGHT_WORDS = frozenset(_WORDS.split())
