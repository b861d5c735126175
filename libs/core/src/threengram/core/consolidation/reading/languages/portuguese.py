"""Portuguese."""

from threengram.core.consolidation.reading.lexicon import Lexicon, classes, numbered, quantified, roles, stems, words

_STEMMER = "portuguese"

PORTUGUESE = Lexicon(
    name="pt",
    stemmer=_STEMMER,
    has_decimal_comma=True,
    letters=("ã", "õ", "ç", " é "),
    roles=roles(
        function="eu me meu minha nós nosso tu você ele ela eles lhe seu sua que quem e ou mas quando como também",
        article="o a os as um uma uns umas",
        copula="é são era eram está estão tem têm tinha há foi ser estar",
        preposition="em no na nos nas com por para sobre ao entre durante",
        genitive="de do da dos das",
        deadline="até|até o|antes de|antes do",
        since="desde|a partir de",
        negator="não nunca jamais nenhum nenhuma sem nem",
        no_longer="já não|não mais|deixou de",
        retractor="em vez de|em lugar de|ao invés de|substitui|substituímos|trocámos|trocamos",
        change="""agora|atualmente|mudou|mudado|passou|migrou|migramos|aumentou|adiado|correção|atualização|subiu
        |baixou|desceu|adiada|antecipado|antecipada|mudaram|passaram|a partir de agora|desde hoje|enganei-me""",
        soft="cerca aproximadamente já ainda normalmente mais cada",
        reason="porque|pois|devido a|devido ao|por causa de|por causa do|por causa da|graças a|já que",
        hedge="""só|apenas|se|a menos que|a não ser que|poderia|poderiam|deveria|deveriam|seria|seriam|teria
        |custaria|gostaria|gostaríamos|quer|querem|queremos|pretende|pretendemos|planeia|planeja
        |planejamos|talvez|provavelmente|segundo|disse|pelo menos|no mínimo|no máximo|mais de|menos de
        |antigamente|originalmente|excecionalmente|excepcionalmente|provisoriamente|no ano passado
        |no próximo ano|no ano que vem|suponhamos|imaginemos""",
        title="senhor senhora sr sra doutor doutora",
    ),
    having=words("tem têm tinha há"),
    past=words("era eram tinha foi estava custava usávamos"),
    pivots=stems(_STEMMER, """usa usamos utiliza mora vive trabalha custa começa abre fecha prefere quer come bebe
        toma dura mede pesa sai"""),
    beginnings=stems(_STEMMER, "começa inicia termina acaba abre fecha"),
    persons=classes(None, "eu me meu minha nós nosso", "tu você", "ele", "ela", "eles", "seu sua"),
    multivalued=stems(_STEMMER, "amigo amiga colega filho filha irmão irmã membro alérgico fala conhece gosta visita"),
    happenings=words("comprou vendeu encontrou pagou correu chegou choveu caiu"),
    contrasts=words("""produção desenvolvimento homologação testes primeiro primeira segundo segunda
        terceiro terceira esquerdo esquerda direito direita antigo antiga novo nova anterior próximo próxima
        principal objetivo meta previsto prevista manhã tarde noite norte sul"""),
    labels=words("versão porta tamanho nível sala plataforma semana tipo linha andar página capítulo"),
    classes=classes(
        _STEMMER, "vermelho verde azul branco preto amarelo cinza marrom laranja rosa", "diário semanal mensal anual"
    ),
    months=numbered("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"),
    weekdays=numbered("""segunda-feira/segundas-feiras/segundas terça-feira/terças-feiras/terças
        quarta-feira/quartas-feiras/quartas quinta-feira/quintas-feiras/quintas sexta-feira/sextas-feiras/sextas
        sábado/sábados domingo/domingos"""),
    numbers=quantified("""um=1 uma=1 dois=2 duas=2 três=3 quatro=4 cinco=5 seis=6 sete=7 oito=8 nove=9 dez=10 doze=12
        quinze=15 vinte=20 trinta=30 quarenta=40 cinquenta=50 sessenta=60 noventa=90"""),
)  # fmt: skip
