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
    r"individual|user|insured|beneficiary|insurance|mrn|nhs|ssn|pid|uid|medical record)\b"
)
NUMBERED = re.compile(r"\b(id|ids|nbr|nr|no|num|number|key|mrn|ssn|pid|uid|uuid|guid|nhs|identifier)\b")
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
            r"dose|prescri|procedure|num proc|surg|lab\b|glu\b|glucose|a1c|hba1c|cholest|blood|bmi\b|diabet|pregnan|"
            r"abort|mental|psych|depress|addict|alcohol|smok|disab|genetic|dna\b|death|died|mortal|readmi|health|"
            r"inpatient|outpatient|number (in|out)patient|emergency|krankheit)"
        ),
        "speaks of somebody's health",
    ),
    (
        re.compile(
            r"\b(income|salar|wage|earning|payroll|payment|capital|dividend|tax|debt|loan|credit|balance|asset|"
            r"wealth|benefit|welfare|pension|revenue|profit|rent\b|einkommen|gehalt)"
        ),
        "speaks of somebody's money",
    ),
    (
        re.compile(r"\b(relig|faith|church|belief|politic|party|vote|union|sexual|orientation|opinion)"),
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
            r"\b(age|dob|birth|born|sex|gender|race|ethnic\w*|hispanic\w*|language|geschlecht|alter|geburt\w*)\b"
        ),
        "people who meet somebody see it or know it",
    ),
    (
        re.compile(
            r"\b(nation|countr|citizen|city|town|village|municip|county|state\b|province|region|district|residence|"
            r"migrat|home|house\b|location|latitude|longitude|lat\b|lon\b|ort\b|land\b)"
        ),
        "says where somebody lives or comes from, which neighbours know",
    ),
    (
        re.compile(r"\b(famil|marit|marri|spouse|child|relation|household|parent)"),
        "says how somebody lives, which family and neighbours know",
    ),
    (
        re.compile(
            r"\b(educat|school|degree|universit|occupation|job\b|profession|employ|industr|work|veteran|milit|business)"
        ),
        "says what somebody has learnt or does, which colleagues know",
    ),
    (
        re.compile(r"\b(height|weight|hair|eye|admission|discharge|hospital|visit|date|year|month|time|hours)"),
        "can be observed by those who were there",
    ),
)
