"""The independent audit of a saved play agrees with the certificate."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from swapregret.games import BlottoGame, MatrixGame, certify, normal_form

_SCRIPT = Path(__file__).parents[2] / "benchmarks" / "audit_play.py"


@pytest.mark.parametrize("seed", [0, 1])
def test_the_script_finds_the_same_gaps(seed: int, make_play: Any, tmp_path: Path) -> None:
    """A script that shares no code with the library reads a saved play and prints its gaps to 1e-9."""
    game = (
        normal_form(BlottoGame((4, 3), 3))
        if seed
        else MatrixGame(list(np.random.default_rng(0).normal(size=(3, 2, 3, 2))))
    )
    play = make_play(game, seed)
    play.save(tmp_path / "play")
    done = subprocess.run(
        [sys.executable, str(_SCRIPT), str(tmp_path / "play")], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()[: game.n_players]
    swap = [float(line.split("swap gap ")[1].split(",")[0]) for line in lines]
    assert swap == pytest.approx([gap.in_payoffs for gap in certify(play).swap], abs=1e-9)
    external = [float(line.split("external gap ")[1].split(" ")[0]) for line in lines]
    assert external == pytest.approx([gap.in_payoffs for gap in certify(play).external], abs=1e-9)


def test_an_altered_file_is_refused(make_play: Any, tmp_path: Path) -> None:
    """One changed byte ends the audit."""
    path = tmp_path / "play"
    make_play(MatrixGame([np.eye(2)] * 2), 0).save(path)
    data = bytearray(path.read_bytes())
    data[-40] ^= 1
    path.write_bytes(data)
    done = subprocess.run([sys.executable, str(_SCRIPT), str(path)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "altered" in done.stderr
