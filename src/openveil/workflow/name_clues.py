"""What the name of a column tells of it, in English and some German and French.

Claim. Each clue is a pattern over a name in lower-case words (`Facts.spoken`); no cell is looked at. The order of
`SENSITIVE` and of `KNOWN` is the order in which they are asked.

Why it holds. It need not: a clue is a guess from usage, checked on the tables of the tests, and it may err either
way. The advice made from it is read by a person before anything is published.

Cost. A few patterns over one name.
"""

from __future__ import annotations

import re

NAMES_A_PERSON = re.compile(
    r"\b(ssn|social security|passport|iban|e ?mail|phone|telephone|telefon|mobile|cell ?phone|fax|surname|forename|"
    r"(last|first|full|given|family|middle|maiden|nick|user) ?name|vorname|nachname|prenom|apellidos?|street|strasse|"
    r"address|addr\b|licen[cs]e|number plate|account|credit ?card|card n|ip\b|url\b|login|mrn\b|nhs\b|imei|vin\b|"
    r"medical record|insurance (n|id)|tax (id|n)|device|serial|signature|photo|fingerprint|"
    r"(patient|person|customer|client|employee|student|member|contact|mother|father|spouse|doctor|physician)s? name)"
    r"|^names?$"
)
PERSON = re.compile(
    r"\b(patient|person|subject|participant|respondent|member|customer|client|employee|student|pupil|citizen|"
    r"individual|user|insured|beneficiary|insurance|mrn|nhs|ssn|pid|uid|kvnr|medical record|"
    r"pat|patient(en|in)|proband(en)?|versicherte[nr]?|kunden?|mitglieds?|klient(en)?|teilnehmer|mitarbeiter|"
    r"bewohner|personal)\b"
    r"|\b(pat|patient|patienten|person|personal|personen|versicherten|kunden|mitglieds|probanden|teilnehmer|member|"
    r"customer|client|subject|student|user) ?(ids?|nr|no|nbr|num|number|nummer|key|kennung|code|schl(ü|ue)ssel)\b"
)
CASE = re.compile(r"\b(fall|case) ?(ids?|nr|no|nbr|num|number|nummer|key|kennung)\b")
NUMBERED = re.compile(
    r"\b(ids?|nbr|nr|no|num|number|key|mrn|ssn|pid|uid|uuid|guid|nhs|identifier|kvnr|kennung|kennziffer|pseudonym|"
    r"hash)\b|(nummer|kennung|schl(ü|ue)ssel)\b|\b(pat|patient|patienten|fall|person|kunden)(id|nr)\b"
)
NO_PERSON = re.compile(
    r"\b(weights?|wei?ghting|wgt|fnlwgt|wt|amount|price|cost|value|sum|total|count|factor|measure\w*|encounter|visit|"
    r"event|record|row|line|order|invoice|item|product|article|device|doctor|physician|provider|hospital|clinic|ward|"
    r"arzt|klinik|station|rechnungs?\w*|artikel\w*|preis|betrag|menge|anzahl|summe|gewicht|wert)\b"
)
NAMES_SOMEBODY = re.compile(
    r"\b(patient(en|in)?|proband(in)?|doctor|physician|surgeon|nurse|gp|\w*arzt|\w*(ä|ae)rztin|therapeut(in)?)$"
)
NAMES_SOMETHING = re.compile(r"names?$|namen$")
FREE_TEXT = re.compile(
    r"\b(notes?|notiz(en)?|comments?|remarks?|memo|free ?text|narrative|annotation|"
    r"\w*bemerkung(en)?|\w*kommentare?|anmerkung(en)?|\w*freitext|freitext\w*|hinweise?|anamnese|epikrise|"
    r"arztbrief)\b"
)
CODED = re.compile(r"\b(id|code|recode|type|class|group|category|status|flag|indicator|level)\b")
POSTAL = re.compile(r"\b(zip|postal|post ?codes?|plz|postleitzahl|code postal|cap)\b")
MEDICINE = re.compile(
    r"(formin|glinide|glitazone|gliptin|glipton|gliflozin|glitol|propamide|butamide|hexamide|zamide|examide|pizide|"
    r"buride|mepiride|statin|sartan|olol|pril|cillin|mycin|cycline|oxacin|azole|carbose|insulin)\b"
)
COUNTRY = re.compile(r"\b(countr|nation|citizen|iso|land\b|pays\b)")
SENSITIVE = (
    (
        re.compile(
            r"\b(diag|disease|illness|disorder|icd|hiv\b|aids\b|syndrome|cancer|tumou?r|symptom|treat|therap|medic|drug|"
            r"dose|prescri|"
            r"medik|arznei|wirkstoff|dosis|dosier|behandl|befund|allerg|schwanger|blutdruck|blutz|"
            r"procedure|num proc|surg|lab\b|glu\b|glucose|a1c|hba1c|cholest|blood|bmi\b|diabet|pregnan|"
            r"abort|mental|psych|depress|addict|alcohol|smok|disab|genetic|dna\b|death|died|mortal|readmi|health|"
            r"inpatient|outpatient|number (in|out)patient|emergency|krankheit|raucher|sucht|labor(wert|befund))"
            r"|diagnos|medikament|medikation"
        ),
        "speaks of somebody's health",
    ),
    (
        re.compile(
            r"\b(income|salar|wage|earning|payroll|payment|capital|dividend|tax|debt|loan|credit|balance|asset|"
            r"wealth|benefit|welfare|pension|revenue|profit|rent\b|einkommen|gehalt|lohn\b|schulden|verm(ö|oe)gen)"
        ),
        "speaks of somebody's money",
    ),
    (
        re.compile(r"\b(relig|konfession|faith|church|belief|politic|party|vote|union|sexual|orientation|opinion)"),
        "speaks of somebody's beliefs or private life",
    ),
    (
        re.compile(r"\b(crim|convict|offen[cs]e|arrest|prison|suspect|score|grade\b|rating|unemploy|dismiss)"),
        "passes a judgement on somebody",
    ),
)
KNOWN = (
    (
        re.compile(
            r"\b(age|dob|birth|born|sex|gender|race|ethnic\w*|hispanic\w*|language|geschlecht|(lebens)?alters?\w*|\w*jahrgang|"
            r"geburt\w*|anrede|sprache)\b"
        ),
        "people who meet somebody see it or know it",
    ),
    (
        re.compile(
            r"\b(nation|countr|citizen|city|town|village|municip|county|state\b|province|region|district|residence|"
            r"migrat|home|house\b|location|latitude|longitude|lat\b|lon\b|(wohn|geburts)?ort\b|land\b|\w*stadt\b|gemeinde|(land)?kreis\b|bundesland|staat)"
        ),
        "says where somebody lives or comes from, which neighbours know",
    ),
    (
        re.compile(r"\b(famil|marit|marri|spouse|child|relation|household|parent|haushalt|kinder)"),
        "says how somebody lives, which family and neighbours know",
    ),
    (
        re.compile(
            r"\b(educat|school|degree|universit|occupation|job\b|profession|employ|industr|work|veteran|milit|business|"
            r"beruf|bildung|schul|branche)"
        ),
        "says what somebody has learnt or does, which colleagues know",
    ),
    (
        re.compile(
            r"\b(height|weight|hair|eye|gr(ö|oe)(ß|ss)e|gewicht|aufnahme|entlass\w*|admission|discharge|hospital|visit|date|year|month|time|hours)"
        ),
        "can be observed by those who were there",
    ),
)


def names_a_person(spoken: str) -> bool:
    """Whether the column is told by its name to name, number or reach somebody."""
    clues = (NAMES_A_PERSON, NAMES_SOMEBODY, NAMES_SOMETHING, PERSON, CASE)
    return any(clue.search(spoken) for clue in clues)
