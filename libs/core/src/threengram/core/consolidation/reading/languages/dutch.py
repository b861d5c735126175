"""Dutch."""

from threengram.core.consolidation.reading.lexicon import Lexicon, classes, numbered, quantified, roles, stems, words

_STEMMER = "dutch"

DUTCH = Lexicon(
    name="nl",
    stemmer=_STEMMER,
    has_decimal_comma=True,
    roles=roles(
        function="""ik mij me mijn wij we ons onze jij je jouw u uw hij hem zijn zij ze haar hun zich het dat die dit
        deze
        er hier daar en of maar want dus als toen dan ook om te word wordt worden werd werden kan kunnen mag mogen""",
        article="de het een",
        copula="is zijn was waren heeft hebben had hadden",
        preposition="in op aan voor met bij naar over onder tussen door per langs rond tijdens achter naast tegen na",
        genitive="van",
        deadline="vóór|uiterlijk|tot|tot en met",
        since="sinds|vanaf|met ingang van",
        **{"from": "uit"},
        negator="niet geen nooit zonder noch",
        no_longer="niet meer|niet langer|geen meer",
        retractor="in plaats van|vervangt|vervangen",
        change="""nu|momenteel|tegenwoordig|inmiddels|voortaan|vanaf nu|sinds vandaag|sinds deze week|gewijzigd
        |veranderd
        |verplaatst|verzet|verschoven|uitgesteld|verhoogd|verlaagd|gestegen|gedaald|verhuisd|overgestapt|bijgewerkt
        |verlengd|verkort|correctie|rectificatie|vergist""",
        reason="omdat|doordat|vanwege|wegens|dankzij|aangezien",
        soft="ongeveer circa ca al reeds nog meestal gewoonlijk uur ieder iedere elke elk telkens",
        hedge="""alleen|slechts|als|indien|mits|tenzij|zou|zouden|zal|zullen|moet|moeten|hoeft|misschien|mogelijk
        |waarschijnlijk|vermoedelijk|wellicht|naar verluidt|wil|willen|wilde|graag|gepland|plant|plannen|van plan
        |overweegt|overwegen|minstens|minimaal|hoogstens|maximaal|ten minste|ten hoogste|hooguit|meer dan|minder dan
        |vroeger|destijds|oorspronkelijk|voorheen|bij uitzondering|tijdelijk|vorig jaar|volgend jaar|zegt|zei|denkt
        |gelooft|meent|volgens|stel|stel dat""",
        title="meneer mevrouw dhr mevr dr prof dokter",
    ),
    having=words("heeft hebben had hadden"),
    past=words("was waren had hadden"),
    pivots=stems(
        _STEMMER,
        """gebruikt gebruiken draait woont leeft werkt kost kosten bedraagt begint sluit opent verkiest eet drinkt
        draagt
        verdient weegt duurt betaalt betalen telt bevat rijdt staat ligt komt gaat vertrekt neemt leidt meet heet""",
    ),
    beginnings=stems(_STEMMER, "begint eindigt sluit opent vertrekt"),
    persons=classes(None, "ik mij me mijn wij we ons onze", "jij je jouw u uw", "hij hem", "haar", "hun"),
    multivalued=stems(
        _STEMMER,
        """vriend vriendin collega kind kinderen zoon dochter broer zus lid leden allergisch spreekt kent houdt bezoekt
        speelt leest hobby gast ingrediënt""",
    ),
    happenings=words("""gekocht verkocht ontmoet betaald gelopen gefietst aangekomen besproken geregend was waren had
        ging"""),
    contrasts=words("""productie ontwikkeling acceptatie testomgeving eerste tweede derde vierde laatste linker rechter
        links rechts voor achter oude oud nieuwe nieuw vorige volgende huidige primaire secundaire ochtend middag avond
        nacht noord zuid oost west zomer winter intern extern oudste jongste doel verwachte geplande""")
    - words("voor achter"),
    labels=words("versie poort maat niveau kamer spoor week type lijn verdieping pagina hoofdstuk"),
    classes=classes(
        _STEMMER,
        "rood groen blauw wit zwart geel grijs bruin oranje roze paars",
        "dagelijks wekelijks maandelijks jaarlijks",
        "donker licht",
    ),
    months=numbered("januari februari maart april mei juni juli augustus september oktober november december"),
    weekdays=numbered("""maandag/maandags dinsdag/dinsdags woensdag/woensdags donderdag/donderdags vrijdag/vrijdags
        zaterdag/zaterdags zondag/zondags"""),
    numbers=quantified("""een=1 twee=2 drie=3 vier=4 vijf=5 zes=6 zeven=7 acht=8 negen=9 tien=10 elf=11 twaalf=12
        vijftien=15 twintig=20 dertig=30 veertig=40 vijftig=50 zestig=60 negentig=90"""),
)  # fmt: skip
