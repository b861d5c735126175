"""Spanish."""

from threengram.core.consolidation.reading.lexicon import (
    Lexicon,
    classes,
    numbered,
    quantified,
    roles,
    stems,
    words,
)

_STEMMER = "spanish"

SPANISH = Lexicon(
    name="es",
    stemmer=_STEMMER,
    has_decimal_comma=True,
    letters="ñ¿¡",
    roles=roles(
        function="""yo me mi mis nosotros nuestro nuestra tú te tu tus usted él ella ellos le les lo
        se su sus que quien cual y e o u pero cuando como también""",
        article="el la los las un una unos unas al",
        copula="es son era eran está están estaba soy tiene tienen tenía hay fue fueron ser estar",
        preposition="a en con por para sobre bajo hacia entre durante tras",
        genitive="de del",
        deadline="antes del|antes de|antes|hasta|hasta el|a más tardar",
        since="desde|a partir de|a partir del",
        negator="no nunca jamás ningún ninguna sin ni",
        no_longer="ya no|dejó de",
        retractor="""en lugar de|en vez de|en lugar del|en vez del|reemplaza|sustituye|sustituimos
        |reemplazamos|abandonamos|abandonó""",
        change="""ahora|actualmente|cambió|cambiado|movió|movida|pasó|migró|migramos|aumentó|subió|bajó|aplazada
        |aplazado|actualizado|actualizada|corrección|actualización|cambiaron|movieron|aplazaron|adelantaron
        |retrasaron|redujeron|redujo|movido|trasladado|trasladada|a partir de ahora|desde hoy|desde esta semana|me
        equivoqué""",
        soft="aproximadamente unos ya todavía normalmente cada",
        reason="""porque|debido a|debido al|por culpa de|por culpa del
        |gracias a|gracias al|ya que|a causa de|a causa del""",
        hedge="""solo|solamente|si|a menos que|salvo que|podría|podrían|debería|deberían|sería|serían|tendría
        |costaría|estaría|habría|quiere|quieren|queremos|quisiera|gustaría|espera|planea|planeamos
        |planean|pretende|pensamos|piensa|previsto|quizá|quizás|tal vez|probablemente|al parecer
        |supuestamente|según|dijo|dice|al menos|como mínimo|como máximo|hasta un máximo de|más de
        |menos de|antiguamente|originalmente|excepcionalmente|provisionalmente|el año pasado
        |el próximo año|el año que viene|supongamos|imaginemos""",
        title="señor señora sr sra don doña doctor doctora",
    ),
    having=words("tiene tienen tenía hay"),
    past=words("era eran estaba estaban tenía fue fueron costaba usábamos"),
    pivots=stems(
        _STEMMER,
        """usamos usa utiliza vive trabaja cuesta empieza abre cierra prefiere quiere come
        bebe toma fuma corre lleva mide pesa gana dura paga funciona hacen sale salen llega""",
    ),
    beginnings=stems(_STEMMER, "empieza comienza termina acaba abre cierra"),
    persons=classes(None, "yo me mi mis nosotros nuestro nuestra", "tú te tu tus usted", "su sus", "ella", "ellos"),
    multivalued=stems(
        _STEMMER,
        """amigo amiga colega hijo hija hermano hermana miembro alérgico alérgica habla
        conoce gusta visita juega lee afición invitado ingrediente""",
    ),
    happenings=words("compró vendió vendieron conoció pagó corrió llegó llovió cayó terminó recibió fue fueron"),
    contrasts=words("""pruebas producción desarrollo preproducción primer primero primera segundo
        segunda tercero tercera izquierdo izquierda derecho derecha delantero trasero antiguo antigua nuevo nueva
        anterior próximo próxima actual principal secundario secundaria mañana tarde noche norte sur este oeste
        verano invierno interno externo mayor menor objetivo previsto prevista"""),
    labels=words("versión puerto talla nivel sala andén semana tipo línea piso página capítulo"),
    classes=classes(
        _STEMMER,
        "rojo roja verde azul blanco blanca negro negra amarillo amarilla gris marrón naranja rosa morado",
        "diario semanal mensual anual",
        "oscuro claro",
        "activado desactivado",
        "abierto cerrado",
        "soltero casado divorciado viudo soltera casada divorciada viuda",
    ),
    months=numbered("""enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"""),
    weekdays=numbered("lunes martes miércoles jueves viernes sábado/sábados domingo/domingos"),
    numbers=quantified("""un=1 una=1 dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 doce=12
        trece=13 catorce=14 quince=15 veinte=20 treinta=30 cuarenta=40 cincuenta=50 sesenta=60 noventa=90"""),
)  # fmt: skip
