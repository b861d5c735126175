"""Italian."""

from threengram.core.consolidation.reading.lexicon import Lexicon, classes, numbered, quantified, roles, stems, words

_STEMMER = "italian"

ITALIAN = Lexicon(
    name="it",
    stemmer=_STEMMER,
    has_decimal_comma=True,
    letters="ìò",
    roles=roles(
        function="io mi mio mia noi nostro tu ti tuo voi lui lei loro suo sua si che chi e ed o ma quando come",
        article="il lo la l i gli le un uno una",
        copula="è sono era erano stato stata stati state ha hanno aveva c'è essere avere",
        preposition="a ad in su con per tra fra al alla nel nella sul sulla durante presso",
        genitive="di del della dello dei degli delle d dell",
        deadline="entro|entro il|prima del|prima di|fino a|fino al",
        since="dal|da|dalla|a partire dal",
        negator="non mai nessuno nessuna senza né",
        no_longer="non più|smesso di",
        retractor="invece di|al posto di|anziché|sostituisce|sostituito|abbandonato",
        change="""ora|adesso|attualmente|cambiato|spostato|spostata|passato|migrato|aumentato|rinviato|correzione|rettifica
        |aumentata|salito|salita|sceso|scesa|ridotto|ridotta|rinviata|anticipato|anticipata|posticipato|posticipata
        |d ora in poi|da oggi|da questa settimana|sono sbagliato|sono sbagliata""",
        soft="circa già ancora normalmente più",
        reason="""perché|poiché|siccome|a causa di|a causa del
        |a causa della|per via di|per via del|per via della|grazie a|grazie al""",
        hedge="""solo|se|a meno che|potrebbe|potrebbero|dovrebbe|dovrebbero|sarebbe|sarebbero|avrebbe|costerebbe
        |vorrebbe|vorremmo|vorrei|vuole|vogliono|vogliamo|intende|pensiamo di|prevediamo|forse|magari
        |probabilmente|secondo|ha detto|almeno|al massimo|al minimo|fino a un massimo|più di|meno di
        |in origine|eccezionalmente|provvisoriamente|l anno scorso|l anno prossimo|supponiamo|immaginiamo""",
        title="signor signora sig dottor dottoressa",
    ),
    having=words("ha hanno aveva"),
    past=words("era erano aveva costava usavamo"),
    pivots=stems(
        _STEMMER,
        """usa usiamo utilizza vive abita lavora costa inizia apre chiude preferisce vuole
        mangia beve prende tiene dura pesa misura parte""",
    ),
    beginnings=stems(_STEMMER, "inizia comincia finisce termina apre chiude"),
    persons=classes(None, "io mi mio mia noi nostro", "tu ti tuo voi", "lui", "lei", "loro", "suo sua"),
    multivalued=stems(
        _STEMMER, "amico amica collega figlio figlia fratello sorella membro allergico parla conosce ama"
    ),
    happenings=words("comprato venduto incontrato pagato corso arrivato piovuto caduto"),
    contrasts=words("""produzione sviluppo collaudo primo prima secondo seconda terzo sinistro sinistra
        destro destra vecchio vecchia nuovo nuova precedente prossimo prossima principale mattina sera notte nord
        sud obiettivo previsto prevista""") - words("prima"),
    labels=words("versione porta taglia livello sala binario settimana tipo linea piano pagina capitolo"),
    classes=classes(
        _STEMMER, "rosso verde blu bianco nero giallo grigio marrone arancione rosa", "giornaliero settimanale mensile"
    ),
    months=numbered("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
    weekdays=numbered("lunedì martedì mercoledì giovedì venerdì sabato domenica"),
    numbers=quantified("""un=1 una=1 due=2 tre=3 quattro=4 cinque=5 sei=6 sette=7 otto=8 nove=9 dieci=10 dodici=12
        quindici=15 venti=20 trenta=30 quaranta=40 cinquanta=50 sessanta=60 novanta=90"""),
)  # fmt: skip
