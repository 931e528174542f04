"""Well-known scales, lowest step first, in several languages; data for `guess.scale_of`.

Folded: lower case, no accents, no punctuation. Words for one step stand beside each other.
"""

from __future__ import annotations

SCALES = tuple(
    tuple(scale.split(","))
    for scale in (
        "very low,low,mid,medium,moderate,middle,high,very high",
        "none,mild,moderate,severe,very severe,critical",
        "0,i,ii,iii,iv,v",
        "stage 0,stage i,stage 1,stage ii,stage 2,stage iii,stage 3,stage iv,stage 4",
        "grade 0,grade i,grade 1,grade ii,grade 2,grade iii,grade 3,grade iv,grade 4,grade v,grade 5",
        "class i,class 1,class ii,class 2,class iii,class 3,class iv,class 4",
        "g1,g2,g3,g4",
        "t0,t1,t2,t3,t4",
        "absent,minimal,slight,mild,moderate,marked,severe",
        "very bad,very poor,bad,poor,fair,average,good,very good,excellent,outstanding",
        "strongly disagree,disagree,somewhat disagree,neutral,neither agree nor disagree,somewhat agree,"
        "agree,"
        "strongly agree",
        "very dissatisfied,dissatisfied,neutral,satisfied,very satisfied",
        "never,rarely,seldom,sometimes,often,usually,always",
        "never,yearly,monthly,weekly,daily",
        "not at all,a little,somewhat,quite a bit,very much",
        "very unlikely,unlikely,neutral,likely,very likely",
        "below,meets,exceeds",
        "xxs,xs,s,m,l,xl,xxl",
        "extra small,very small,small,medium,large,very large,extra large",
        "child,teenager,adult,senior",
        "teens,twenties,thirties,forties,fifties,sixties,seventies,eighties,nineties",
        "first,second,third,fourth,fifth,sixth,seventh,eighth,ninth,tenth",
        "monday,tuesday,wednesday,thursday,friday,saturday,sunday",
        # German
        "sehr niedrig,sehr gering,niedrig,gering,mittel,hoch,sehr hoch",
        "ungenugend,mangelhaft,ausreichend,befriedigend,gut,sehr gut",
        "sehr schlecht,schlecht,mittel,mittelmassig,gut,sehr gut",
        "stimme gar nicht zu,stimme uberhaupt nicht zu,stimme nicht zu,stimme eher nicht zu,teils teils,"
        "neutral,"
        "stimme eher zu,stimme zu,stimme voll zu,stimme voll und ganz zu",
        "sehr unzufrieden,unzufrieden,eher unzufrieden,neutral,teils teils,eher zufrieden,zufrieden,"
        "sehr zufrieden",
        "nie,selten,manchmal,oft,haufig,immer",
        "leicht,mittel,schwer,sehr schwer",
        "klein,mittel,gross",
        # French
        "tres faible,tres bas,faible,bas,basse,moyen,moyenne,eleve,elevee,haut,tres eleve,tres elevee",
        "tres mauvais,mauvais,passable,moyen,assez bien,bon,bien,tres bon,tres bien,excellent",
        "pas du tout d accord,pas d accord,plutot pas d accord,neutre,ni d accord ni pas d accord,"
        "plutot d accord,d accord,tout a fait d accord",
        "tres insatisfait,insatisfait,neutre,satisfait,tres satisfait",
        "jamais,rarement,parfois,souvent,toujours",
        "leger,legere,modere,moderee,grave,severe",
        "petit,moyen,grand",
        # Spanish
        "muy bajo,muy baja,bajo,baja,medio,media,alto,alta,muy alto,muy alta",
        "muy malo,muy mala,malo,mala,regular,bueno,buena,muy bueno,muy buena,excelente",
        "totalmente en desacuerdo,muy en desacuerdo,en desacuerdo,neutral,neutro,"
        "ni de acuerdo ni en desacuerdo,de acuerdo,muy de acuerdo,totalmente de acuerdo",
        "muy insatisfecho,insatisfecho,neutral,satisfecho,muy satisfecho",
        "nunca,casi nunca,raramente,a veces,a menudo,casi siempre,siempre",
        "leve,moderado,moderada,grave,muy grave",
        "pequeno,mediano,grande",
        # Italian
        "molto basso,molto bassa,basso,bassa,medio,media,alto,alta,molto alto,molto alta",
        "pessimo,scarso,insufficiente,sufficiente,discreto,buono,ottimo,eccellente",
        "per niente d accordo,poco d accordo,in disaccordo,neutrale,abbastanza d accordo,d accordo,"
        "molto d accordo,completamente d accordo",
        "mai,raramente,a volte,qualche volta,spesso,sempre",
        "lieve,moderato,grave",
        "piccolo,medio,grande",
        # Portuguese
        "muito baixo,muito baixa,baixo,baixa,medio,media,alto,alta,muito alto,muito alta",
        "pessimo,ruim,mau,regular,razoavel,bom,muito bom,otimo,excelente",
        "discordo totalmente,discordo,discordo parcialmente,neutro,nao concordo nem discordo,"
        "concordo parcialmente,concordo,concordo totalmente",
        "muito insatisfeito,insatisfeito,neutro,satisfeito,muito satisfeito",
        "nunca,raramente,as vezes,frequentemente,sempre",
        # levels of schools, where the list of education does not know them
        "hauptschule,hauptschulabschluss,realschule,mittlere reife,abitur,ausbildung,bachelor,hochschule,"
        "studium,"
        "master,promotion",
        "licenza elementare,licenza media,diploma,laurea triennale,laurea,laurea magistrale,dottorato",
    )
)
