"""`openveil demo`: publish the bundled table."""

from __future__ import annotations

from pathlib import Path

from openveil.cli import publishing, showing


def run(folder: Path, *, as_json: bool) -> int:
    """Copy the demonstration into `folder`, publish it and say what was done."""
    from openveil.demo import unpack
    from openveil.workflow.plan import Plan

    plan_file = unpack(folder)
    if as_json:
        publishing.tell(publishing.published(Plan.from_toml(plan_file)), as_json=True)
        return 0
    showing.say(f"The UCI Adult table, its hierarchies and a plan are in {folder}")
    showing.say()
    plan = Plan.from_toml(plan_file)
    publishing.summarise(publishing.published(plan))
    showing.say()
    showing.say("Next")
    showing.aligned(
        [
            (f"openveil verify {folder / plan.output.folder}", "measure the release again, from its files alone"),
            (f"openveil publish {plan_file}", "publish again, after changing the plan"),
            (f"openveil scan {folder / 'adult.parquet'}", "see what would be proposed without a plan"),
        ]
    )
    return 0
