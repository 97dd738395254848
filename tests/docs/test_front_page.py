"""The story of a shop's front page ends as its page says: stock is kept, the restart loses nothing, the uplift is there."""

from pathlib import Path
from typing import Any

import pytest
from page_blocks import blocks_of

import swapregret as sr

PAGE = Path(__file__).parents[2] / "docs" / "gallery" / "front_page.md"


def test_the_story_ends_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the visits come after a restart; each kind of visitor sees its favourites, and the old page is beaten for sure."""
    monkeypatch.chdir(tmp_path)
    shown: list[tuple[set[str], set[str]]] = []
    act = sr.Session.act

    def watched(self: Any, **given: Any) -> Any:
        decision = act(self, **given)
        shown.append((set(decision.elements), set(given["without"])))
        return decision

    monkeypatch.setattr(sr.Session, "act", watched)
    told: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks_of(PAGE.read_text(encoding="utf-8")):
        exec(compile(block.text, "front_page.md", "exec"), told)
    summary = told["shop"].summary()
    assert not any(elements & missing for elements, missing in shown)
    assert sum(bool(missing) for _, missing in shown) > 1_000
    assert len(shown) == 6_000, "4,000 visits, of which the restart plays 2,000 again from the journal"
    assert told["shop"].day + len(summary.open_days) == 4_000
    assert sorted(f"visit-{day}" for day in summary.open_days) == sorted(which for _, which, _ in told["waiting"])
    assert summary.n_past == 365
    assert 0.3 < summary.uplift.lower < summary.uplift.value
    assert {each.context for each in summary.contexts} == {None, "phone", "desk"}, "the log knows no contexts"
    for visitor, best in {"phone": {"hat", "kite", "lamp"}, "desk": {"easel", "globe", "lamp"}}.items():
        chances = told["shop"].marginals(context=visitor)
        assert set(sorted(chances, key=chances.get)[-3:]) == best
