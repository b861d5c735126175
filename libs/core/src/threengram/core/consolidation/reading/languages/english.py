"""English."""

from threengram.core.consolidation.reading.lexicon import (
    Lexicon,
    classes,
    numbered,
    quantified,
    roles,
    stems,
    words,
)

_STEMMER = "english"

ENGLISH = Lexicon(
    name="en",
    stemmer=_STEMMER,
    roles=roles(
        function="""i me my we us our ours you your he him his she her hers it its they them their
        there here that this these those which who whom what and or but so then when while because also as than
        do does did doing can shall will be been being let lets s t re ve ll d m""",
        article="a an the",
        copula="is are was were am has have had having isn aren wasn weren hasn haven hadn become becomes",
        preposition="""at on in into onto with for through to up down out over under about per via
        around across behind between within during after""",
        genitive="of",
        deadline="by before until till due",
        since="since|as of|starting|effective",
        **{"from": "from"},
        negator="not no never none neither nor without cannot don doesn didn won wouldn shouldn couldn isn't aren't nt",
        no_longer="no longer|not any more|not anymore|stopped using|gave up|retired|any more|anymore",
        retractor="""instead of|rather than|in place of|replaces|replaced|replacing|abandoned|ditched|swapped|phased out
        |moved away from|migrated away from""",
        change="""now|currently|from now on|instead|changed|changes|change|moved|moves|moving|move|switched
        |switch|migrated|migrating|upgraded|raised|increased|lowered|reduced|decreased|updated
        |rescheduled|postponed|extended|goes up|went up|goes down|went down|rose|fell|new value
        |rewriting|became|renamed|corrected|correction|update|grew|climbed|shrank|slips|slipped|pushed|bumped
        |down to|these days|as of today|as of now|as of this week|since today|since this week|since last week
        |since this month|since last month|my mistake|was wrong|had it wrong|got it wrong""",
        soft="""usually|generally|normally|approximately|approx|roughly|already|still|takes place
        |take place|happens|happen|lasts|total|exactly|actually|really|very|altogether|please|note that
        |each|every|we decided that|we agreed that|it was decided that|decided that|agreed that""",
        reason="because|because of|due to|owing to|thanks to|now that|on account of",
        hedge="""just|only|if|unless|provided|assuming|in case|even if|as long as|could|may|might|must|would
        |should|maybe|perhaps|possibly|probably|likely|supposedly|allegedly|apparently|reportedly
        |rumour|rumor|thinks|guesses|believes|wants to|want to|wanted to|would like to|hopes to|hope to
        |plan to|plans to|planned|planning to|intend to|intends to|considering|wishes|at least|at most
        |up to|no more than|less than|more than|fewer than|used to|back then|formerly|originally
        |in the past|temporarily|for once|only this|just this|this time|whether|said|says|told
        |according to|suppose|supposing|imagine|let us say""",
        title="mr mrs ms dr prof miss sir",
    ),
    having=words("has have had"),
    past=words("was were had wasn weren hadn"),
    pivots=stems(
        _STEMMER,
        """use run live work cost prefer want need like take last start begin open close
        earn weigh own lead drive include allow keep store host call name build write assign manage locate chose
        choose decide go belong support log listen publish send reach pay charge require sit stand meet speak
        play eat drink wear get written built led kept sent held made driven goes come
        expire depart hold guarantee contain consume serve""",
    ),
    nominal_endings=("er", "ers", "ment", "ments"),
    beginnings=stems(_STEMMER, "start begin end open close launch expire depart"),
    persons=classes(None, "i me my mine we us our ours", "you your", "he him his", "she her hers", "they them their"),
    multivalued=stems(
        _STEMMER,
        """friend friends colleague child children son daughter brother sister sibling pet
        member members allergic allergy speak know like love enjoy visit own play watch read cousin hobby hobbies
        ingredient guest attend invite skill hate dislike language cook collect depend integrate""",
    ),
    happenings=words("""ran met paid bought sold closed opened arrived attended discussed visited was
        were had went saw called fell rained crashed failed happened finished started won lost sent received
        found talked spoke worked signed shipped delivered broke fixed walked swam cycled hiked asked agreed"""),
    contrasts=words("""staging production prod dev development test testing qa live preview sandbox
        canary first second third fourth fifth last left right front rear back upper lower old new former
        previous next current primary secondary backup spare internal external inner outer public private morning
        afternoon evening night north south east west elder younger older summer winter spring autumn weekday
        weekend daytime minimum maximum average median target goal budgeted forecast expected estimated planned
        p50 p90 p95 p99 inbound outbound incoming outgoing frontend backend ios android web mobile desktop"""),
    labels=words("""version port size level room gate week type tram bus line floor page chapter
        step issue ticket phase sprint ward zone platform grade class season episode tier"""),
    classes=classes(
        _STEMMER,
        "red green blue white black yellow grey gray brown orange purple pink silver beige",
        "dark light",
        "daily weekly monthly quarterly yearly annually biweekly hourly nightly",
        "hot cold warm",
        "enabled disabled",
        "aisle window",
        "left right",
        "small medium large",
        "high low",
        "vegan vegetarian",
        "single married divorced widowed engaged",
        "full-time part-time fulltime parttime",
        "remote onsite hybrid",
        "squash rebase",
        "wet dry",
        "debug info warning error",
        "master main trunk",
        "tabs spaces",
        "open closed",
        "required optional",
        "manual automatic",
        "tea coffee",
    ),
    months={
        **numbered("""january february/feb march april/apr may june/jun july/jul august/aug september/sep/sept
            october/oct november/nov december/dec"""),
    },
    weekdays=numbered("""monday/mondays tuesday/tuesdays wednesday/wednesdays thursday/thursdays friday/fridays
        saturday/saturdays sunday/sundays"""),
    numbers=quantified("""one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12
        thirteen=13 fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19
        twenty=20 thirty=30 forty=40 fifty=50 sixty=60 ninety=90 hundred=100 half_an=0.5 half_a=0.5"""),
)  # fmt: skip
