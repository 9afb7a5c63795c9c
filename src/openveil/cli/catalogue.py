"""`openveil parts`, `explain` and `schema`: what is registered, read from the declarations."""

from __future__ import annotations

import difflib
import inspect
from itertools import groupby

from openveil.cli import showing
from openveil.core.errors import refuse
from openveil.core.registry import Kind, Part, discover


def kind_called(word: str) -> Kind:
    """The kind that `word` names, as it is called in a plan or in the program."""
    kinds = {name: kind for kind in Kind for name in (kind.called, str(kind))}
    plain = word.lower().replace("-", " ").replace("_", " ")
    if plain in kinds:
        return kinds[plain]
    close = difflib.get_close_matches(plain, kinds, n=1)
    choices = ", ".join(kind.called for kind in Kind)
    remedy = f"Did you mean {close[0]!r}?" if close else f"Choose one of: {choices}"
    raise refuse("command line", f"there is no kind of part called {word!r}", remedy)


def show_parts(kind: Kind | None, *, as_json: bool) -> int:
    """List the registered parts, of one kind or all."""
    found = discover(kind) if kind else discover()
    if as_json:
        showing.as_json({"parts": [_plain(part) for part in found]})
        return 0
    for number, (each, members) in enumerate(groupby(found, key=lambda part: part.kind)):
        if number:
            showing.say()
        showing.say(each.called, style="bold")
        showing.aligned((part.name, *_in_a_line(part)) for part in members)
    if not found:
        showing.say(f"No {kind.called} is registered." if kind else "Nothing is registered.")
    return 0


def _in_a_line(part: Part) -> tuple[str, str]:
    """What is known of a part in a word or two, and its summary with what the second word is for."""
    if part.weaker is None:
        return str(part.status), part.summary
    status, where = part.weaker
    return f"{part.status}, {status}", f"{part.summary} {where.capitalize()}: {status}."


def _plain(part: Part) -> dict[str, object]:
    return {
        "kind": part.kind.called,
        "name": part.name,
        "status": str(part.status),
        **({} if part.weaker is None else {"weaker": {"status": str(part.weaker[0]), "where": part.weaker[1]}}),
        "source": part.source,
        "summary": part.summary,
    }


def explain(name: str) -> int:
    """Print the lecture of the part (or parts) of that name."""
    found = [part for part in discover() if part.name == name]
    if not found:
        names = [part.name for part in discover()]
        close = difflib.get_close_matches(name, names, n=1)
        remedy = f"Did you mean {close[0]!r}?" if close else "See `openveil parts`"
        raise refuse("command line", f"there is no part called {name!r}", remedy)
    for number, part in enumerate(found):
        if number:
            showing.say()
        _explain(part)
    return 0


def _explain(part: Part) -> None:
    showing.say(f"{part.name} ({part.kind.called}, {part.known})", style="bold")
    showing.say()
    showing.say(inspect.getdoc(part.cls) or "")
    showing.say()
    showing.say(part.lecture)
    if "Source." not in part.lecture:
        showing.say()
        showing.say(f"Source. {part.source}")


def show_schema() -> int:
    """Print the JSON Schema of a plan."""
    from openveil.workflow.plan import json_schema

    showing.as_json(json_schema())
    return 0
