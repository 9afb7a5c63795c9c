"""Do the README and the docs say what is true, and does what they show work when pasted?"""

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import openveil

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def in_a_shell(session, folder):
    """What comes of a session that is pasted into a shell in which openveil is installed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euc", session],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_shell_session_of_the_readme_works_when_pasted(tmp_path):
    [session] = [block for block in blocks(ROOT / "README.md", "sh") if "openveil scan" in block]
    pasted = session.replace(". .venv/bin/activate\n", "")
    done = in_a_shell(pasted, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "holds" in done.stdout
    assert {path.name for path in (tmp_path / "try" / "release").iterdir()} == {
        "table.csv",
        "report.html",
        "certificate.json",
    }


def test_the_python_session_of_the_readme_works_when_pasted(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [session] = blocks(ROOT / "README.md", "python")
    exec(compile(session, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert shown.startswith("Every person in this table shares")
    assert "diagnosis" in shown
    assert "smallest class" in shown
    assert (tmp_path / "release-from-python" / "certificate.json").exists()
    assert not (tmp_path / "release").exists(), "it would replace the release of the shell session"


def test_the_session_of_the_audit_page_shows_what_the_page_says(tmp_path):
    page = ROOT / "docs" / "audit.md"
    [session], [shown] = blocks(page, "sh"), blocks(page, "text")
    done = in_a_shell(session, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("exit code 1\n")
    printed = done.stdout.splitlines()
    assert [line for line in shown.splitlines() if line != "..." and line not in printed] == []


def test_every_key_of_a_certificate_is_described(tmp_path):
    frame = pl.DataFrame({"age": [30] * 4, "ill": ["a", "b"] * 2})
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": {"kind": "suppression"}},
        "ill": {"role": "sensitive"},
    }
    release = openveil.publish(frame, {"columns": columns, "privacy": {"k-anonymity": {"k": 2}}})
    written = release.write(tmp_path / "out").certificate
    described = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "certificate.md").read_text(), re.MULTILINE)
    assert set(written) <= set(described)


def test_the_reference_is_up_to_date():
    done = subprocess.run(
        [sys.executable, "-c", "import make_reference; print(make_reference.reference(), end='')"],
        cwd=ROOT / "docs",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == (ROOT / "docs" / "reference.md").read_text(encoding="utf-8"), "run docs/make_reference.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_the_six_rows_of_the_readme_are_as_told():
    zips, diseases = (
        re.findall(rf"\| (?:\*\*)?{name}(?:\*\*)? \| (.*) \|", (ROOT / "README.md").read_text())[0]
        for name in ("zip", "disease")
    )
    rows = list(zip(zips.split(" | "), diseases.split(" | "), strict=True))
    everyone = [ill for _, ill in rows]
    assert everyone.count("HIV") / len(everyone) == pytest.approx(1 / 3)
    assert max(everyone.count(ill) for ill in everyone) <= len(everyone) / 2
    others = [ill for code, ill in rows if code == "1302"]
    assert max(others.count(ill) for ill in others) <= len(others) / 2
    assert {ill for code, ill in rows if code == "1301"} == {"HIV"}


def test_pages_that_the_code_speaks_of_are_there():
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    named = {page for source in sources for page in re.findall(r"docs/[\w/-]+\.md", source)}
    assert named
    assert [page for page in named if not (ROOT / page).exists()] == []


def test_the_session_on_personal_privacy_works_when_pasted(tmp_path):
    [session] = blocks(ROOT / "docs" / "personal.md", "sh")
    done = in_a_shell(session.replace(". .venv/bin/activate\n", ""), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "holds" in done.stdout
    table = (tmp_path / "try-personal" / "release" / "table.csv").read_text()
    assert len({line.rsplit(",", 1)[0] for line in table.splitlines()[1:]}) > 10
