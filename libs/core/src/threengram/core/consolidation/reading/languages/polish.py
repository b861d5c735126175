"""Polish. Cases are cut off by the stemmer as far as it goes; names in another case stay other names."""

from threengram.core.consolidation.reading.lexicon import Lexicon, classes, numbered, quantified, roles, stems, words

_STEMMER = "polish"

POLISH = Lexicon(
    name="pl",
    stemmer=_STEMMER,
    has_decimal_comma=True,
    letters="łąęśżźćń",
    roles=roles(
        function="""ja mnie mi mój moja moje my nas nasz nasza nasze ty twój pan pani on jego jej ona oni ich się to
        ten ta
        te tego tej tym który która które i a oraz lub albo ale więc gdy kiedy jak też również że""",
        copula="jest są był była było byli były ma mają miał miała miało mam mamy",
        preposition="w we na z ze do dla przez przy nad pod po o u za między podczas",
        deadline="przed|najpóźniej|do końca",
        since="od|począwszy od",
        negator="nie nigdy bez ani żaden żadna",
        no_longer="już nie|nie już|przestał|przestała",
        retractor="zamiast|zastępuje|zastąpił|zastąpiła|zastąpiliśmy",
        change="""teraz|obecnie|aktualnie|od teraz|od dziś|od tego tygodnia|odtąd|zmieniono|zmienił|zmieniła
        |przeniesiono
        |przeniesiony|przeniesiona|przełożono|przełożony|przełożona|przesunięto|przesunięty|przesunięta|podniesiono
        |obniżono|zwiększono|zmniejszono|zaktualizowano|wzrósł|wzrosła|wzrosło|spadł|spadła|spadło|korekta
        |sprostowanie|przeszliśmy|pomyliłem się|pomyliłam się""",
        reason="bo|ponieważ|gdyż|z powodu|dzięki|ze względu na",
        soft="około ok mniej więcej już jeszcze zwykle zazwyczaj co każdy każda każde",
        hedge="""tylko|jedynie|jeśli|jeżeli|gdyby|chyba|chyba że|może|mogą|mógłby|mogłaby|mogłoby|powinien|powinna
        |powinno
        |musi|będzie|będą|prawdopodobnie|podobno|rzekomo|planuje|planujemy|planują|zamierza|zamierzamy|chce|chcemy|chcą
        |chciałby|chciałaby|chciałbym|chciałabym|marzy|rozważa|rozważamy|co najmniej|co najwyżej|minimum|maksymalnie
        |ponad|nie więcej niż|kiedyś|dawniej|wcześniej|pierwotnie|wyjątkowo|tymczasowo|według|mówi|powiedział
        |powiedziała|twierdzi|czy|załóżmy|przypuśćmy|w zeszłym roku|w przyszłym roku|kosztował|kosztowała|kosztowało
        |wynosił|wynosiła
        |wynosiło""",
        title="pan pani dr doktor",
    ),
    having=words("ma mają miał miała miało mam mamy"),
    past=words("był była było byli były miał miała miało"),
    pivots=stems(
        _STEMMER,
        """wynosi kosztuje trwa używa używamy korzysta korzystamy trzyma trzymamy mieszka pracuje zaczyna kończy otwiera
        zamyka waży mierzy pije bierze woli płaci płacimy prowadzi odbywa znajduje zajmuje""",
    ),
    beginnings=stems(_STEMMER, "zaczyna kończy otwiera zamyka"),
    persons=classes(None, "ja mnie mi mój moja moje my nas nasz nasza nasze", "ty twój", "on jego", "ona jej",
        "oni ich"),
    multivalued=stems(
        _STEMMER, """przyjaciel kolega koleżanka dziecko dzieci syn córka brat siostra członek uczulony zna lubi czyta
        gra"""
    ),
    happenings=words("kupił kupiła sprzedał sprzedała spotkał zapłacił przyjechał omówiliśmy był była było byli były"),
    contrasts=words("""produkcja produkcji produkcyjny produkcyjne testowy testowe testowym pierwszy pierwsza drugi
        druga
        trzeci trzecia lewy lewa prawy prawa stary stara nowy nowa nowe poprzedni następny obecny główny zapasowy rano
        wieczorem noc północ południe wschód zachód lato zima cel docelowy prognoza"""),
    labels=words("wersja port rozmiar poziom sala pokój peron tydzień typ linia piętro strona rozdział"),
    classes=classes(
        _STEMMER,
        "czerwony zielony niebieski biały czarny żółty szary",
        "codziennie cotygodniowo miesięcznie",
    ),
    months={
        **numbered("styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień"),
        **numbered("""stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada
        grudnia"""),
    },
    weekdays=numbered("""poniedziałek/poniedziałki/poniedziałku wtorek/wtorki/wtorku środa/środę/środy
        czwartek/czwartki/czwartku piątek/piątki/piątku sobota/sobotę/soboty niedziela/niedzielę/niedziele"""),
    numbers=quantified("""dwa=2 dwie=2 trzy=3 cztery=4 pięć=5 sześć=6 siedem=7 osiem=8 dziewięć=9 dziesięć=10
        dwanaście=12 piętnaście=15 dwadzieścia=20 trzydzieści=30 czterdzieści=40 pięćdziesiąt=50"""),
)  # fmt: skip
