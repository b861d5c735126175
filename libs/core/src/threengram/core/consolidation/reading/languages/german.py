"""German."""

from threengram.core.consolidation.reading.lexicon import (
    Lexicon,
    classes,
    numbered,
    quantified,
    roles,
    stems,
    words,
)

_STEMMER = "german"

GERMAN = Lexicon(
    name="de",
    stemmer=_STEMMER,
    has_decimal_comma=True,
    letters="äöüß",
    capitalises_nouns=True,
    roles=roles(
        function="""ich mir mich mein meine wir uns unser unsere du dein er ihm ihn sein seine sie
        ihr ihre es man und oder aber denn weil als dass auch so dann dort hier sich wird werden wurde wurden
        kann können muss müssen darf lassen""",
        article="der die das den dem des ein eine einen einem einer eines",
        copula="ist sind war waren bin hat haben hatte gibt heißt",
        preposition="""in im an am auf für mit bei beim zu zum zur nach über unter durch um pro je neben zwischen
            gegen unter vor""",
        genitive="von vom",
        deadline="bis|bis zum|bis zur|spätestens",
        since="seit|ab",
        **{"from": "aus"},
        negator="nicht kein keine keinen keinem keiner nie niemals ohne weder",
        no_longer="nicht mehr|nicht länger|aufgehört",
        retractor="statt|anstatt|anstelle|anstelle von|ersetzt",
        change="""jetzt|nun|mittlerweile|inzwischen|ab sofort|neuerdings|stattdessen|geändert|verschoben
        |gewechselt|umgestellt|umgezogen|erhöht|gesenkt|gestiegen|gesunken|aktualisiert|migriert
        |derzeit|momentan|korrektur|berichtigung|aktualisierung|verlegt|vorverlegt|angehoben|reduziert|verkürzt
        |verlängert|ab heute|seit heute|seit dieser woche|ab dieser woche|seit kurzem|geirrt|war falsch""",
        soft="""mehr liebsten lieber etwa ungefähr circa ca rund schon bereits noch meist
        meistens normalerweise uhr jeweils raus heraus""",
        reason="weil|wegen|aufgrund|aufgrund von|dank",
        hedge="""nur|wenn|falls|sofern|vorausgesetzt|es sei denn|könnte|könnten|soll|sollen|sollte|sollten|würde
        |würden|wäre|wären|hätte|hätten|möchte|möchten|vielleicht|eventuell|möglicherweise
        |wahrscheinlich|vermutlich|angeblich|geplant|plant|planen|will|wollen|beabsichtigt|mindestens
        |höchstens|maximal|bis zu|mehr als|weniger als|früher|damals|ehemals|ursprünglich|ausnahmsweise
        |vorübergehend|ob|letztes Jahr|letzten Monat|letzte Woche|voriges Jahr|im Vorjahr|glaubt|meint
        |denkt|sagt|sagte|laut|angenommen|gesetzt den fall""",
        title="herr herrn frau dr prof",
    ),
    having=words("hat haben hatte"),
    past=words("war waren hatte hatten musste mussten konnte konnten durfte durften betrug kostete lag"),
    pivots=stems(
        _STEMMER,
        """möchte will soll verwendet verwenden nutzt nutzen benutzt läuft wohnt lebt
        arbeitet kostet beträgt liegt beginnt öffnet schließt findet isst trinkt trägt verdient wiegt dauert
        zahlt mag bevorzugt braucht fährt steht kommt nimmt nehmen geht fasst reicht""",
    ),
    beginnings=stems(_STEMMER, "beginnt beginnen startet starten endet enden öffnet schließt"),
    persons=classes(
        None,
        "ich mir mich mein meine wir uns unser unsere",
        "du dein",
        "er ihm ihn sein seine",
        "sie ihr ihre",
    ),
    multivalued=stems(
        _STEMMER,
        """freund freundin freunde kollege kollegin kind kinder sohn tochter bruder
        schwester haustier mitglied allergisch spricht kennt mag besucht spielt liest hobby gast zutat""",
    ),
    happenings=words("""gekauft verkauft getroffen bezahlt gelaufen gefahren gekommen angekommen
        besprochen geregnet geschneit ausgefallen war waren fiel fielen kam kamen ging gingen traf lief"""),
    contrasts=words("""testumgebung testsystem produktion produktivsystem produktionsumgebung
        entwicklung staging entwicklungsumgebung livesystem abnahme erste ersten erster erstes zweite zweiten
        zweiter zweites dritte dritten vierte vierten linke linken rechte rechten links rechts vordere hintere
        vorderrad hinterrad obere untere alte alten neue neuen neuer früher früherer vorherige nächste nächsten
        aktuelle morgens abends mittags nachts nord süd ost west haupt neben zielwert sommer winter frühling
        herbst intern extern ältere jüngere"""),
    labels=words("version port größe stufe raum gleis woche typ linie etage seite kapitel kw klasse zimmer"),
    classes=classes(
        _STEMMER,
        "rot grün blau weiß schwarz gelb grau braun orange lila rosa",
        "dunkel hell dunkles helles dunkle helle",
        "täglich wöchentlich monatlich jährlich stündlich",
        "aktiv inaktiv aktiviert deaktiviert",
        "offen geschlossen",
        "ledig verheiratet geschieden verwitwet",
    ),
    months=numbered("""januar februar märz/marz april mai juni juli august september oktober november
        dezember"""),
    weekdays=numbered("""montag/montags dienstag/dienstags mittwoch/mittwochs donnerstag/donnerstags
        freitag/freitags samstag/samstags/sonnabend sonntag/sonntags"""),
    numbers=quantified("""ein=1 eine=1 einen=1 zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11
        zwölf=12 dreizehn=13 vierzehn=14 fünfzehn=15 sechzehn=16 siebzehn=17 achtzehn=18 neunzehn=19 zwanzig=20
        dreißig=30 vierzig=40 fünfzig=50 sechzig=60 neunzig=90"""),
)  # fmt: skip
