"""French."""

from threengram.core.consolidation.reading.lexicon import (
    Lexicon,
    classes,
    numbered,
    quantified,
    roles,
    stems,
    words,
)

_STEMMER = "french"

FRENCH = Lexicon(
    name="fr",
    stemmer=_STEMMER,
    has_decimal_comma=True,
    letters="êëçœûî",
    companions=words("ne n"),
    roles=roles(
        function="""je j me m mon ma mes nous notre nos tu te t ton votre vos il elle ils elles lui
        leur on se s son sa ses ce cet cette ces c qui que qu quoi dont et ou mais donc car quand comme ne n y en
        ça lieu""",
        article="le la l les un une des",
        copula="est sont était étaient suis a ont avait ai sera été être avoir",
        preposition="à au aux dans sur sous chez par pour avec vers entre pendant après",
        genitive="de du d",
        deadline="avant|avant le|jusqu'au|jusqu au|au plus tard",
        since="depuis|à partir de|à compter de|dès",
        negator="pas jamais aucun aucune sans ni",
        no_longer="plus|n est plus|arrêté|cessé",
        retractor="au lieu de|au lieu du|au lieu d|plutôt que|à la place de|remplace|remplacé|abandonné",
        change="""désormais|maintenant|dorénavant|actuellement|changé|déplacé|déplacée|reporté|reportée|passé
        |passée|migré|augmenté|baissé|modifié|déménagé|correction|rectification|avancé|avancée|décalé|décalée
        |réduit|réduite|à présent|dès maintenant|depuis cette semaine|suis trompé|suis trompée""",
        soft="environ déjà encore toujours habituellement normalement lieu",
        reason="parce que|parce qu|car|à cause de|à cause du|en raison de|en raison du|grâce à|grâce au|suite à",
        hedge="""seulement|si|sauf si|à moins que|à condition que|pourrait|pourraient|devrait|devraient|serait
        |seraient|aurait|auraient|coûterait|aimerait|voudrait|voudrions|veut|veulent|souhaite
        |souhaitons|envisage|envisageons|envisagent|prévoit|prévoyons|prévu|prévue|peut-être
        |probablement|sans doute|apparemment|selon|dit|a dit|d après|au moins|au plus|au maximum
        |au minimum|autrefois|à l époque|à l origine|exceptionnellement|provisoirement|l an dernier
        |l an prochain|l année dernière|l année prochaine|supposons|imaginons""",
        title="monsieur madame mme mlle docteur",
    ),
    having=words("a ont avait ai"),
    past=words("était étaient avait avaient coûtait prenait"),
    pivots=stems(
        _STEMMER,
        """utilise utilisons prend prennent met habite vit travaille coûte commence ouvre
        ferme préfère aime mange boit fume tourne compte fait mesure pèse gagne dure paie veut écrit héberge
        dispose contient""",
    ),
    beginnings=stems(_STEMMER, "commence commencent débute finit termine ouvre ferme"),
    persons=classes(
        None,
        "je j me m mon ma mes nous notre nos",
        "tu te t ton votre vos",
        "son sa ses",
        "leur",
        "il ils",
        "elle elles",
    ),
    multivalued=stems(
        _STEMMER,
        """ami amie collègue enfant enfants fils fille frère soeur membre allergique parle
        connaît aime visite joue lit loisir invité ingrédient""",
    ),
    happenings=words("""acheté vendu rencontré payé couru arrivé arrivée discuté plu tombé terminé
        vendus étaient était reçu"""),
    contrasts=words("""recette production développement préproduction test premier première deuxième
        second seconde troisième gauche droite avant arrière haut bas ancien ancienne nouveau nouvelle précédent
        prochain prochaine actuel actuelle principal secondaire matin soir midi nuit nord sud est ouest été hiver
        interne externe objectif cible aîné aînée cadet cadette""") - words("avant est été"),
    labels=words("version port taille niveau salle quai semaine type ligne étage page chapitre pointure"),
    classes=classes(
        _STEMMER,
        "rouge vert verte bleu bleue blanc blanche noir noire jaune gris grise marron orange rose violet",
        "quotidien hebdomadaire mensuel annuel",
        "sombre clair",
        "activé désactivé",
        "ouvert fermé",
        "célibataire marié divorcé veuf mariée divorcée",
    ),
    months=numbered("""janvier février mars avril mai juin juillet août septembre octobre novembre décembre"""),
    weekdays=numbered("lundi/lundis mardi/mardis mercredi jeudi/jeudis vendredi/vendredis samedi/samedis dimanche"),
    numbers=quantified("""un=1 une=1 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12
        treize=13 quatorze=14 quinze=15 seize=16 vingt=20 trente=30 quarante=40 cinquante=50 soixante=60"""),
)  # fmt: skip
