"""Players can be told apart: by colour whatever the eye, on both papers, and by dash and symbol without colour."""

import itertools

import numpy as np
import pytest

from swapregret.arrays import Matrix, Vector
from swapregret.experiments.report.style import marker, numbers, stroke
from swapregret.notebook import band_of, colour, log_axis

_LOOKS = {"dash": [stroke(index, 1) for index in range(24)], "symbol": [marker(index, 1) for index in range(24)]}
COLOURS = [colour(index) for index in range(8)]
# How red, green and blue light are seen without one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1).
EYES: dict[str, Matrix] = {
    "normal": np.eye(3),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "tritanopia": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def light(code: str) -> Vector:
    """Return the linear light of an sRGB colour."""
    values = np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(linear: Vector) -> Vector:
    """Return CIELAB coordinates, in which distances are about as large as they look."""
    ratio = _TO_XYZ @ np.clip(linear, 0.0, 1.0) / np.array([0.9505, 1.0, 1.089])
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of the web's guidelines."""
    low, high = sorted(float(_TO_XYZ[1] @ light(code)) for code in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("eye", EYES)
def test_any_two_colours_differ_for_every_eye(eye: str) -> None:
    """All eight are at least 20 apart in CIELAB, as normal, red-, green- and blue-blind eyes see them."""
    seen = [lab(EYES[eye] @ light(code)) for code in COLOURS]
    assert min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2)) > 20.0


def test_the_distance_can_be_too_small() -> None:
    """A red and a green of one lightness, plain to most, are nearly one colour to green-blind eyes."""
    red, green = (lab(EYES["deuteranopia"] @ light(code)) for code in ("#d55e00", "#b07d00"))
    assert float(np.linalg.norm(red - green)) < 5.0


@pytest.mark.parametrize("paper", ["#ffffff", "#12161c"])
def test_colours_stand_out_from_the_paper(paper: str) -> None:
    """On white and on the dark paper of the style sheet each has a contrast of at least 2.6."""
    assert min(contrast(code, paper) for code in COLOURS) > 2.55


def test_neighbours_differ_without_colour() -> None:
    """The first six players have six dashes, the first nine nine symbols; later ones repeat in another combination."""
    dashes, symbols = ([each[key] for each in made] for key, made in _LOOKS.items())
    assert (len(set(dashes[:6])), len(set(symbols[:9]))) == (6, 9)
    assert len({(colour(index), dashes[index], symbols[index]) for index in range(24)}) == 24


def test_numbers_and_axes_are_what_json_can_hold() -> None:
    """Numbers that are not finite become null; a logarithmic axis shows powers; a band is its colour, thinned."""
    assert numbers([np.inf, 0.1 + 0.2]) == [None, 0.3]
    assert log_axis("t", [1.0, 2.0])["type"] == "log"
    assert band_of(0) == "rgba(20,118,177,0.16)"
