"""An interrupted import: what comes after it says why it cannot work."""

import subprocess
import sys

import pytest

from swapregret import extras as module
from swapregret.errors import ProtocolError
from swapregret.extras import loading

INTERRUPTED = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            sys.meta_path.remove(self)
            raise KeyboardInterrupt

def play():
    import swapregret as sr
    session = sr.Session(sr.baselines.uniform(sr.MSets(4, 2)), rng=0)
    session.act()
    session.observe(0.5)

sys.meta_path.insert(0, Interrupt())
try:
    play()
except KeyboardInterrupt:
    print("interrupted")
try:
    play()
except BaseException as fault:
    print(type(fault).__name__)
"""


@pytest.mark.parametrize(
    "name", ["swapregret.sessions.session", "numpy.linalg", "numba", "numba.core.typing", "numba.np.arraymath"]
)
def test_after_an_interrupt_people_learn_why_nothing_works(name: str) -> None:
    """Nothing of NumPy's or Numba's own confusion reaches the user."""
    run = [sys.executable, "-c", INTERRUPTED, name]
    printed = subprocess.run(run, capture_output=True, text=True, timeout=300, check=True).stdout
    assert printed.split() == ["interrupted", "ProtocolError"]


def test_what_is_missing_is_no_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that is not installed is reported as Python does; after an interrupt, nothing more is loaded."""
    monkeypatch.setattr(module, "_interrupted", [])
    for _ in range(2):
        with pytest.raises(ImportError, match="no such"), loading("a part"):
            raise ImportError("no such thing")
    with pytest.raises(KeyboardInterrupt), loading("a part"):
        raise KeyboardInterrupt
    sentence = r"another must be .*: got an interrupt while a part was loaded\. Start Python again"
    with pytest.raises(ProtocolError, match=sentence), loading("another"):
        pass
