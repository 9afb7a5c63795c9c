"""Publishing with a strategy, end to end: plan, release, certificate, verification; and the comparison."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import polars as pl
import pytest

import openveil
from openveil.cli.main import main
from openveil.core.disclosed import DISCLOSURE_SET, UNACCOUNTED
from openveil.core.errors import GuaranteeError, RequestError
from openveil.workflow.verify import verify

ILLS = ["flu", "cold", "asthma", "cough", "migraine"]
CANARY = "Zaphod-7341"


def table(rows=64):
    return pl.DataFrame(
        {
            "age": [20 + row * 7 % 60 for row in range(rows)],
            "ward": [f"w{row % 4}" for row in range(rows)],
            "ill": [ILLS[row * row % 5 if row % 7 else 0] for row in range(rows)],
        }
    )


def plan(method, **others):
    return {
        "columns": {
            "age": {"role": "quasi-identifier", "hierarchy": {"kind": "intervals", "widths": [10, 20, 40]}},
            "ward": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"frequency-l-diversity": {"l": 2}},
        "method": method,
        **others,
    }


STEPS = [{"age": 1}, {"age": 2}, {"ward": 1}, {"age": 4}]
METHODS = [
    {"name": "exclusive", "levels": STEPS, "refusal": "safe"},
    {"name": "inclusive", "levels": STEPS, "refusal": "safe"},
    {"name": "exclusive", "refusal": "safe", "scheme": "bucketisation"},
    {"name": "rotation"},
    {"name": "rotation", "refusal": "safe", "levels": STEPS},
    {"name": "mondrian-even"},
    {"name": "mondrian-even++", "scheme": "bucketisation"},
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: "-".join(map(str, method.values()))[:40])
def test_a_release_is_verified_and_says_in_what_sense_it_is_safe(tmp_path, method):
    written = openveil.publish(table(), plan(method)).write(tmp_path / "out")
    assert verify(tmp_path / "out").holds
    findings = {(each["name"], each["on"]): each for each in written.certificate["findings"]}
    assert findings[DISCLOSURE_SET]["verdict"] == findings[UNACCOUNTED]["verdict"] == "holds"
    told = "of the groups, answered: [0-9]+ (exact|bounded|sampled) |everyone has each value with the chance"
    assert re.match(told, findings[DISCLOSURE_SET]["note"])
    assert "for what someone who knows the method can tell" in (tmp_path / "out" / "report.html").read_text()


BUCKETISED = [METHODS[2], {"name": "rotation", "refusal": "safe", "scheme": "bucketisation"}, METHODS[6]]


@pytest.mark.parametrize("method", BUCKETISED, ids=["exclusive", "rotation", "mondrian-even++"])
def test_a_bucketised_release_is_counted_again_from_the_release_alone(tmp_path, method):
    chosen = plan(method)
    openveil.publish(table(), chosen).write(tmp_path / "out")
    verified = verify(tmp_path / "out", public=table().select("age", "ward"), plan=chosen)
    assert verified.holds
    assert [each for each in verified if each.name.startswith("the disclosure set, worked out")]


@pytest.mark.parametrize("name", ["value", "verdict"])
def test_a_certificate_that_leaves_out_or_changes_the_disclosure_set_is_refused(tmp_path, name):
    openveil.publish(table(), plan(METHODS[0])).write(tmp_path / "out")
    path = tmp_path / "out" / "certificate.json"
    written = json.loads(path.read_text())
    of_set = next(each for each in written["findings"] if each["name"] == DISCLOSURE_SET[0])
    if name == "value":
        of_set["value"] = of_set["limit"] = 0
    else:
        written["findings"].remove(of_set)
    path.write_text(json.dumps(written))
    assert not verify(tmp_path / "out").holds


@pytest.mark.parametrize("name", ["exclusive", "inclusive"])
def test_silence_is_told_with_its_caution(name):
    frame = pl.DataFrame({"age": [1, 1, 2, 2, 2, 2], "ward": ["a"] * 6, "ill": [CANARY, CANARY, *"wxyz"]})
    chosen = plan({"name": name, "partitions": [[0, 0, 1, 1, 1, 1], [0] * 6]})
    with pytest.raises(GuaranteeError, match="nothing was released tells something") as caught:
        openveil.publish(frame, chosen)
    assert "l = 2 was asked for" in str(caught.value)
    assert CANARY not in str(caught.value)


def test_what_cannot_be_asked_of_a_sequence_is_refused():
    wrong = [
        ({"name": "exclusive", "levels": [{"age": 9}, {"wars": 1}]}, "no such level"),
        ({"name": "inclusive", "partitions": [[0, 1]]}, "one group a row"),
        ({"name": "inclusive", "partitions": [[0] * 64], "levels": STEPS}, "levels are given as well"),
        ({"name": "rotation", "steps": 0}, "steps must be"),
    ]
    for method, said in wrong:
        with pytest.raises(RequestError, match=said):
            openveil.publish(table(), plan(method))
    with pytest.raises(RequestError, match="does not speak of shares"):
        openveil.publish(table(), {**plan(METHODS[0]), "privacy": {"t-closeness": {"t": 0.5}}})


def test_strategies_are_compared_in_text_and_chart(tmp_path, capsys):
    table(48).write_csv(tmp_path / "people.csv")
    lines = [
        '[input]\npath = "people.csv"',
        "[columns]",
        'age = { role = "quasi-identifier", hierarchy = { kind = "intervals", widths = [10, 20, 40] } }',
        'ward = { role = "quasi-identifier", hierarchy = { kind = "suppression" } }',
        'ill = { role = "sensitive" }',
        "[privacy]\nfrequency-l-diversity = { l = 2 }",
        '[method]\nname = "exclusive"\nlevels = [{ age = 1 }, { age = 2 }, { ward = 1 }, { age = 4 }]',
    ]
    (tmp_path / "plan.toml").write_text("\n".join(lines))
    picture = tmp_path / "chart.svg"
    assert main(["compare-strategies", str(tmp_path / "plan.toml"), "--chart", str(picture)]) == 0
    shown = capsys.readouterr().out
    released, silence = shown.split("If nothing is released")
    for name in ("first that holds", "inclusive, never silent", "exclusive", "rotation, never silent"):
        assert name in released
        assert name in silence
    assert re.search(r"rotation, never silent +none", silence)
    root = ET.fromstring(picture.read_text())
    assert len(root.findall("{http://www.w3.org/2000/svg}g")) == 7
    assert main(["compare-strategies", str(tmp_path / "plan.toml"), "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert compared["strategies"][0]["strategy"] == "first that holds"
    shares = {each["strategy"]: each["silence"]["share"] for each in compared["strategies"]}
    assert all(0 <= low <= high <= 1 for low, high in shares.values())
    assert all(share == [0, 0] for name, share in shares.items() if "never" in name)
    assert not any(ill in json.dumps(compared) for ill in ILLS)
    assert main(["compare-strategies", str(tmp_path / "plan.toml"), "--chart", str(picture)]) == 2


ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")


# What the page says that the session shows.
SAID = {
    "first that holds": "function 2",
    "inclusive": "function 3 +2 +[0-9.]+% +0\\.400",
    "inclusive, never silent": "function 3",
    "exclusive": "nothing",
    "exclusive, never silent": "function 3",
    "rotation": "nothing",
    "rotation, never silent": "function [23]",
}


def test_the_session_of_the_page_works_when_pasted(tmp_path):
    [session] = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        ["bash", "-euc", session.replace(". .venv/bin/activate\n", "")],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    released, silence = done.stdout.split("If nothing is released")
    for strategy, what in SAID.items():
        assert re.search(rf"^  {strategy} +{what} ", released, re.MULTILINE), strategy
    assert re.search(r"chance of 0\.528;.* exact", released)
    assert re.search(r"^  exclusive +11\.97% +0\.460 ", silence, re.MULTILINE)
    assert "The release in release holds" in done.stdout
    assert (tmp_path / "try-strategies" / "strategies.svg").exists()


SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_finite_setting_of_the_page_is_that_of_figure_5(capsys):
    pytest.importorskip("highspy", reason="the extra `optimal` is not installed")
    exec(compile(SNIPPETS[0], "strategies.md", "exec"), {})
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == "(2, 0, 0, 0) False"
    assert second.startswith("(1, 1, 0, 0) ")
    assert third == "2 False True"


def test_the_page_shows_that_claim_6_fails(capsys):
    exec(compile(SNIPPETS[1], "strategies.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        "['AABB', 'BBAA'] True",
        "['AABC', 'AACB', 'BCAA', 'CBAA'] True",
    ]
