"""What a certificate says, in the words that every report uses.

Claim. Every number in a report is one of the certificate or computed from those alone, and every sentence about a
release is written here: page, notebook and command line only lay it out. A report never says that a promise is
kept when a finding fails or is undecided, or when the group sizes are below k.

Why. Three renderers with words of their own would sooner or later say three things.

Cost. One pass over the certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from openveil.core.disclosed import DISCLOSURE_SET
from openveil.core.errors import refuse
from openveil.core.finding import Verdict
from openveil.core.recoding import Change, Scheme
from openveil.core.registry import Kind, Status, find
from openveil.core.schema import PUBLISHED, Role
from openveil.report.measures import LOSS, Measures, proof
from openveil.report.parts import K_ANONYMITY, Level, Part, Rows
from openveil.report.sizes import Groups
from openveil.report.wording import counted, listed, printable, some, whole

FORMAT = 1

_SIZE_ONLY = {K_ANONYMITY, "mu-argus"}
_RANK = (Verdict.FAILS, Verdict.UNDECIDED, Verdict.INFORMS, Verdict.HOLDS)
_ROLES = {
    Role.QUASI: "Outsiders may know (quasi-identifiers)",
    Role.SENSITIVE: "Sensitive, published as they are",
    Role.OTHER: "Other, published as they are",
}
_CHANGED = {
    Change.PERTURBED: "Sensitive, some values replaced by others",
    Change.GENERALISED: "Sensitive, some values made coarser",
    Change.RAISED: "Sensitive, some values shown as nodes of a taxonomy",
}
_CAUTIONS = {
    Change.PERTURBED: (
        "values of {} were changed: {} of {} show one that was drawn anew and need not be the person's own. "
        "Counts of it are not counts of people"
    ),
    Change.GENERALISED: (
        "values of {} were made coarser: {} of {} name several, one of which is the person's own. Each of them "
        "counts alike: who knows that one is likelier than another knows more"
    ),
    Change.RAISED: (
        "values of {} were made coarser: {} of {} show a node of the taxonomy that the person's own value lies in. "
        "Who knows that one value in a node is likelier than another knows more, and so does who knows that people "
        "with one of them want the node, or more than it, protected oftener than people with another"
    ),
}
_NOTHING_LEFT = (
    "nothing is left of the characteristics that were made coarser, so the table tells nothing of them. "
    "Another method may keep more: see `openveil parts`"
)
_BY_POPULATION = (
    "the promise is reckoned with everyone in the population whom the labels of a group fit, as likely as any other. "
    "Someone who knows better who of them is in this table, or can see it from the labels, can be surer than it says"
)
_KEPT = frozenset({Role.SENSITIVE, Role.OTHER})
_BY_SET = (
    "The method looked at finer groups that it does not publish. Someone who knows it can rule out some of the "
    "tables that agree with this one. The promise was checked for what someone who knows the method can tell of each "
    "person, not of several persons together; and had nothing been released, that too would have told something."
)
_MOST_SHARED = 3
_MOST_LEVELS = 12
_WIDEST_NAME = 30


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a report says about a release; `warning` is empty unless a reader must see it first.

    `cautions` belong right below the verdict: they say what may make it mean less than it seems to.
    """

    warning: str
    verdict: str
    cautions: tuple[str, ...]
    standing: Verdict
    promises: tuple[Part, ...]
    method: Part
    groups: Groups
    rows: Rows
    measures: Measures
    levels: tuple[Level, ...]
    levels_words: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    identifiers: str
    unchanged: str
    proof: str
    adversary: str
    limits: tuple[str, ...]
    command: str
    check: str
    stamps: tuple[tuple[str, str], ...]
    table: str

    @staticmethod
    def of(certificate: Mapping[str, Any]) -> Facts:
        """The facts in a certificate; raises `RequestError` when it is not one."""
        if certificate.get("certificate") != FORMAT:
            remedy = "Use the version of openveil that wrote it"
            raise refuse("certificate", f"is not of format {FORMAT}", remedy)
        try:
            return _facts(printable(certificate))
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            remedy = "Get the release again from its source"
            raise refuse("certificate", "lacks a field or has one of the wrong kind", remedy) from None

    @property
    def loss(self) -> str:
        """The share of the detail that is lost."""
        found = [use.value for use in self.measures.use if use.name == LOSS]
        return found[0] if found else "not measured"

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """The four figures a hurried reader wants."""
        return (
            ("rows published", whole(self.rows.published)),
            (f"rows {self.rows.fate}", self.rows.share),
            ("rows in the smallest group", whole(self.groups.smallest)),
            ("of the detail lost", self.loss),
        )

    @property
    def summary(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The facts in a few lines; those with one label belong together."""
        return (
            ("Promise", ("; ".join(part.words for part in self.promises),)),
            ("Reached", (self.groups.words,)),
            ("Published", (self.rows.words,)),
            ("Suppressed", (self.rows.lost,)),
            ("Levels", self.levels_words),
            ("Detail lost", (self.loss,)),
            ("Least loss", (self.proof,)),
            ("Check", (f"{self.command}: {self.check}",)),
        )


def _facts(certificate: Mapping[str, Any]) -> Facts:
    promises = tuple(Part.of("privacy model", chosen) for chosen in certificate["promise"])
    if not promises:
        raise LookupError("promise")
    method = Part.of("method", certificate["method"])
    groups = Groups.of(certificate["classes"])
    measures = Measures.of(certificate["findings"])
    levels = tuple(
        Level(printable(name), int(each["level"]), int(each["of"])) for name, each in certificate["levels"].items()
    )
    standing = _standing(promises, measures, _smallest(certificate, groups))
    return Facts(
        warning=_warning((*promises, method), certificate),
        cautions=tuple(_cautions(measures, certificate)),
        verdict=_verdict(promises, standing, certificate, groups),
        standing=standing,
        promises=promises,
        method=method,
        groups=groups,
        rows=_rows(certificate),
        measures=measures,
        levels=levels,
        levels_words=tuple(_levels_words(levels, certificate)),
        columns=tuple(_columns(certificate)),
        identifiers=_identifiers(certificate),
        unchanged=_unchanged(certificate),
        proof=proof(measures.search),
        adversary=certificate["adversary"],
        limits=tuple(_limits(promises, measures, certificate)),
        command=_command(certificate),
        check=_check(certificate),
        stamps=tuple(_stamps(certificate)),
        table=certificate["file"]["name"] if "file" in certificate else "",
    )


def _standing(promises: tuple[Part, ...], measures: Measures, smallest: int | None) -> Verdict:
    """The worst of what the findings say and what the group sizes say."""
    verdicts = {measures.verdict, *(_by_size(part, smallest) for part in promises)}
    return next(verdict for verdict in _RANK if verdict in verdicts)


def _smallest(certificate: Mapping[str, Any], groups: Groups) -> int | None:
    """The fewest rows or persons of any group; None where there is no group."""
    if not groups.count and not groups.bins:
        return None
    persons = _fewest_persons(certificate)
    return groups.smallest if persons is None else min(groups.smallest, persons)


def _by_size(part: Part, smallest: int | None) -> Verdict:
    if part.k is None:
        return Verdict.HOLDS
    if smallest is not None and smallest < part.k:
        return Verdict.FAILS
    return Verdict.HOLDS if part.k > 1 else Verdict.INFORMS


def _verdict(promises: tuple[Part, ...], standing: Verdict, certificate: Mapping[str, Any], groups: Groups) -> str:
    """The first sentence of a report."""
    if standing is Verdict.HOLDS and not groups.bins:
        asked = "; ".join(part.words for part in promises)
        return f"This table has no rows, so it says nothing about anyone ({asked})."
    shown = bool(_replaced(certificate))
    sentences = (_as_shown(_sentence(part, standing), part, shown=shown) for part in promises)
    return f"{' '.join(sentences)} {_basis(promises, certificate, groups)}"


def _as_shown(sentence: str, part: Part, *, shown: bool) -> str:
    """The same, said of the values that are shown where these are not everybody's own."""
    return f"Counted in the values that are shown: {sentence}" if shown and part.k is None else sentence


def _sentence(part: Part, standing: Verdict) -> str:
    """What the release says of one promise."""
    if standing is Verdict.FAILS:
        return f"This table does not keep its promise of {part.name}. Do not release it."
    if standing is Verdict.UNDECIDED:
        return f"It is not decided whether this table keeps its promise of {part.name}. Do not release it."
    if standing is Verdict.INFORMS:
        return "This table promises nothing: a person in it may be the only one of their kind."
    if part.status is Status.KNOWN_UNSAFE:
        return f"The check {part.name} was passed, but passing it does not protect anyone."
    return f"{_kept(part)}."


def _basis(promises: tuple[Part, ...], certificate: Mapping[str, Any], groups: Groups) -> str:
    """What was asked for, and what was measured."""
    asked = "; ".join(part.words for part in promises)
    return f"Asked for: {asked}; {_reached(certificate, groups)}."


def _kept(part: Part) -> str:
    if part.k is None:
        known = find(Kind.REQUIREMENT, part.name)
        return (
            known.summary.rstrip(".")
            if known
            else f"The promise of {part.name} holds for every group of people in this table"
        )
    others = counted(part.k - 1, "other", "others")
    return f"Every person in this table shares the characteristics that outsiders may know with at least {others}"


def _reached(certificate: Mapping[str, Any], groups: Groups) -> str:
    """The smallest group, and where it was measured."""
    where = "on the written file" if "file" in certificate else "on the table as published"
    smallest = f"smallest group measured {where}: {counted(groups.smallest, 'row', 'rows')}"
    persons = _fewest_persons(certificate)
    if persons is None:
        return f"{smallest}, each taken for one person"
    return f"{smallest}; fewest persons in a group, measured before the person column was removed: {whole(persons)}"


def _fewest_persons(certificate: Mapping[str, Any]) -> int | None:
    found = [each for each in certificate["findings"] if (each["name"], each["on"]) == ("smallest class", "persons")]
    return int(found[0]["value"]) if found else None


def _warning(parts: tuple[Part, ...], certificate: Mapping[str, Any]) -> str:
    unsafe = [f"the {part.kind} {part.name}" for part in parts if part.status is Status.KNOWN_UNSAFE]
    unsafe += _unsafe_hierarchies(certificate)
    exposed = _named(certificate, frozenset(Role) - PUBLISHED)
    if unsafe:
        are = "is" if len(unsafe) == 1 else "are"
        return f"Not safe to release: {' and '.join(unsafe)} {are} known to be unsafe. Use it for comparison only."
    if exposed:
        return f"Not safe to release: columns that name people are in the table: {listed(exposed)}."
    return ""


def _unsafe_hierarchies(certificate: Mapping[str, Any]) -> Iterator[str]:
    for name, chosen in certificate["hierarchies"].items():
        if Status(chosen["status"]) is Status.KNOWN_UNSAFE:
            yield f"the hierarchy {chosen['kind']} of {listed((printable(name),))}"


def _cautions(measures: Measures, certificate: Mapping[str, Any]) -> Iterator[str]:
    """Values that are not the original ones; a promise that rests on a population; who the person most likely is."""
    rows = counted(_rows(certificate).published, "row", "rows")
    for name, touched in measures.replaced:
        change = Change(_replaced(certificate)[name])
        yield f"Caution: {_CAUTIONS[change].format(listed((name,)), whole(touched), rows)}."
    if any(each["parameters"].get("adversary") == "population" for each in certificate["promise"]):
        yield f"Caution: {_BY_POPULATION}."
    if measures.lost_entirely:
        yield f"Caution: {_NOTHING_LEFT}."
    if measures.repeating:
        (_, note), *others = measures.repeating
        also = f" Also repeated: {some(tuple(name for name, _ in others))}." if others else ""
        yield f"Caution: {note}.{also}"


def _rows(certificate: Mapping[str, Any]) -> Rows:
    counts = certificate["suppression"]
    original, suppressed, blank = (int(counts[name]) for name in ("of", "rows", "kept_blank"))
    published = int(certificate["file"]["rows"]) if "file" in certificate else original - suppressed + blank
    return Rows(original, published, suppressed, blank)


def _levels_words(levels: tuple[Level, ...], certificate: Mapping[str, Any]) -> Iterator[str]:
    """One line an attribute, aligned; of many, those that were generalised most."""
    if not levels:
        yield _no_levels(certificate)
        return
    left = len(levels) - _MOST_LEVELS
    shown = levels if left <= 0 else sorted(levels, key=lambda each: each.share, reverse=True)[:_MOST_LEVELS]
    width = min(_WIDEST_NAME, max(len(each.label) for each in shown))
    wide = max(len(each.steps) for each in shown)
    yield from (f"{each.label:<{width}}  {each.steps:>{wide}}  {each.words}" for each in shown)
    if left > 0:
        yield f"and {whole(left)} more, made coarser as much or less"


def _no_levels(certificate: Mapping[str, Any]) -> str:
    if _named(certificate, frozenset({Role.QUASI})) and certificate.get("scheme") == Scheme.BUCKETISATION:
        return "Nothing was made coarser: a second table has the sensitive values of each group"
    if _named(certificate, frozenset({Role.QUASI})):
        return "Each group was made coarser by itself, so no attribute has one level for all rows"
    return "The table has no characteristics that outsiders may know"


def _named(certificate: Mapping[str, Any], roles: frozenset[Role]) -> tuple[str, ...]:
    return tuple(each["name"] for each in certificate["columns"] if Role(each["role"]) in roles)


def _replaced(certificate: Mapping[str, Any]) -> Mapping[str, str]:
    """The sensitive columns that do not show everybody's own value, and how they were changed."""
    found: Mapping[str, str] = certificate.get("replaced", {})
    return {printable(name): how for name, how in found.items()}


def _as_they_are(certificate: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name in _named(certificate, _KEPT) if name not in _replaced(certificate))


def _columns(certificate: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    replaced = _replaced(certificate)
    for role, title in _ROLES.items():
        names = tuple(name for name in _named(certificate, frozenset({role})) if name not in replaced)
        if names:
            yield title, listed(names)
    for change, title in _CHANGED.items():
        names = tuple(name for name, how in replaced.items() if how == change)
        if names:
            yield title, listed(names)
    if certificate["removed"]:
        yield "Removed (identifiers, person numbers)", listed(certificate["removed"])


def _identifiers(certificate: Mapping[str, Any]) -> str:
    exposed = _named(certificate, frozenset(Role) - PUBLISHED)
    if exposed:
        return f"These columns name people and are in the table: {listed(exposed)}."
    return "Columns declared to name people (identifiers and person numbers) are not in the table."


def _unchanged(certificate: Mapping[str, Any]) -> str:
    if _replaced(certificate):
        return "Of the other columns, those named as changed below do not show everybody's own value."
    if _as_they_are(certificate):
        return "Sensitive and other columns are published as they are, cell for cell: nothing in them is hidden."
    return "No column is published as it is beside the characteristics that outsiders may know."


def _limits(promises: tuple[Part, ...], measures: Measures, certificate: Mapping[str, Any]) -> Iterator[str]:
    sized = tuple(part.name for part in promises if part.name in _SIZE_ONLY)
    if sized:
        yield _in_common(sized, certificate)
    yield from _measured_in_common(measures, int(certificate["classes"]["count"]))
    if sized and _fewest_persons(certificate) is None:
        yield "Each row was taken for one person. If people have several rows, groups hold fewer people than rows."
    if _as_they_are(certificate):
        yield (
            f"Some columns are published as they are, cell for cell ({some(_as_they_are(certificate))}). The "
            "promise assumes that outsiders do not know them."
        )
    if any((each["name"], each["on"]) == DISCLOSURE_SET for each in certificate["findings"]):
        yield _BY_SET
    rows = _rows(certificate)
    if rows.published and measures.alone is not None:
        yield _alone(measures.alone, promises, rows)
    if measures.observed:
        yield (
            f"The labels of some characteristics are made from values in the table ({some(measures.observed)}). The "
            "lowest or highest value of one person can show in such a label."
        )
    if measures.longest:
        yield (
            f"How many steps some characteristics can be made coarser ({some(measures.longest)}) comes from their "
            "longest value, even if only a row that was left out has it."
        )
    yield (
        "Who holds which outside data was not examined. Which characteristics outsiders may know is the judgement "
        "of those who wrote the plan."
    )
    yield (
        "The promise is for this table alone. Combined with another release about the same people, groups can "
        "become smaller."
    )
    if certificate["allow_unsafe"]:
        yield "The plan allows parts that are known to be unsafe."


def _in_common(sized: tuple[str, ...], certificate: Mapping[str, Any]) -> str:
    sensitive = _named(certificate, frozenset({Role.SENSITIVE}))
    value = f"the same value of {some(sensitive)}" if sensitive else "a trait"
    return (
        f"If everyone in a group shares {value}, an outsider learns it for each of them. "
        f"The model {listed(sized)} does not protect against this."
    )


def _measured_in_common(measures: Measures, groups: int) -> Iterator[str]:
    """In how many groups this is so; of many columns, those with the most rows in such groups."""
    found = sorted((each for each in measures.shared if each.groups), key=lambda each: each.rows, reverse=True)
    for each in found[:_MOST_SHARED]:
        share = f"In {whole(each.groups)} of {counted(groups, 'group', 'groups')} everyone has the same {each.label}"
        yield f"{share}: {counted(each.rows, 'row', 'rows')}."
    left = len(found) - _MOST_SHARED
    if left > 0:
        more = counted(left, "more sensitive column", "more sensitive columns")
        yield f"Groups share the value of {more} too, as is shown below for each column."
    if groups and measures.shared and not found:
        yield f"Measured: in none of {counted(groups, 'group', 'groups')} everyone has the same sensitive value."


def _alone(alone: int, promises: tuple[Part, ...], rows: Rows) -> str:
    names = listed(tuple(part.name for part in promises))
    return (
        f"{whole(alone)} of {counted(rows.published, 'published row', 'published rows')} are unique on the columns "
        f"published unchanged: someone who knows these of a person finds the row; {names} assumes that nobody does."
    )


def _command(certificate: Mapping[str, Any]) -> str:
    return "openveil verify FOLDER" if "file" in certificate else 'release.write("FOLDER")'


def _check(certificate: Mapping[str, Any]) -> str:
    if "file" in certificate:
        return "groups the written table in FOLDER anew; it needs neither the original data nor our word"
    return "writes table, report and certificate into FOLDER, where anyone can check them"


def _stamps(certificate: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "file" in certificate:
        yield f"SHA-256 of {certificate['file']['name']}", certificate["file"]["sha256"]
    for name, digest in certificate["digests"].items():
        yield printable(f"SHA-256 of {name.replace('_', ' ')}"), digest
    yield "Commitment to the secret row order", certificate["secret_commitment"]
    yield "Versions", ", ".join(printable(f"{name} {number}") for name, number in certificate["versions"].items())
    yield "Certificate format", str(certificate["certificate"])
