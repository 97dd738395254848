"""Bounds against the formulas written out, and what they say of themselves."""

import math

import pytest

from swapregret.errors import InvalidInput
from swapregret.regret.bounds import (
    lazy_comband_bound,
    lazy_combcp_bound,
    lower_bound,
    swap_comband_bound,
    swap_combcp_bound,
    table1,
)


def test_the_main_theorem() -> None:
    """45·log(d log T)·T/log T, vacuous at every horizon people play (12.8–25.5 a round for T ≤ 10⁷)."""
    for horizon in (10**4, 10**5, 10**7):
        bound = swap_combcp_bound(10, horizon)
        log = math.log(horizon)
        assert bound.value == pytest.approx(45 * math.log(10 * log) * horizon / log)
        assert bound.is_vacuous
        assert 12.0 < bound.per_round < 26.0
        assert "vacuous" in str(bound)


def test_the_line_of_the_proof_with_h_and_k() -> None:
    """(1/K) Σ_{k<K} ⌈T/H^k⌉ g H^{k−1} H^{2/3} + T/K, summed by hand for K = 3."""
    d, m, t, h = 4, 2, 1000, 8
    g = 3 * d**3 * m**1.5 * math.log(d)
    expected = (g * 4 * (math.ceil(t / 8) + math.ceil(t / 64) * 8) + t) / 3
    bound = swap_combcp_bound(d, t, size=m, branching=h, n_scales=3)
    assert bound.value == pytest.approx(expected)
    g = m * d + m**2 * math.log(d) / 0.5 + 2
    expected = (g * 4 * (math.ceil(t / 8) + math.ceil(t / 64) * 8) + t) / 3
    found = swap_comband_bound(d, m, t, smallest_eigenvalue=0.5, branching=h, n_scales=3)
    assert found.value == pytest.approx(expected)
    with pytest.raises(InvalidInput, match="together"):
        swap_combcp_bound(d, t, branching=8)


def test_lazy_learners() -> None:
    """External bounds of one interval; vacuous until H^{1/3} exceeds the factor in front."""
    assert lazy_combcp_bound(4, 2, 8, 2).value == pytest.approx(3 * 8 * 4 * 64 * 2**1.5 * math.log(4))
    value = lazy_comband_bound(4, 2, 8, 1, smallest_eigenvalue=0.25).value
    assert value == pytest.approx(4 * (8 + 16 * math.log(4) + 2))
    assert lazy_combcp_bound(4, 2, 8, 2).is_vacuous
    assert not lazy_comband_bound(4, 2, 10**6, 1, smallest_eigenvalue=1 / 3).is_vacuous
    with pytest.raises(InvalidInput, match="positive"):
        lazy_comband_bound(4, 2, 8, 1, smallest_eigenvalue=0.0)


def test_the_rows_of_table_1() -> None:
    """Rows at d = 3, m = 1, T = 10⁴ equal the table's formulas, and say that their constants are 1."""
    rows = table1(3, 1, 10**4)
    t, log = 10**4, math.log(10**4)
    assert rows["Stoltz (2005)"].value == pytest.approx(3 * math.sqrt(t * math.log(3)))
    assert rows["Blum and Mansour (2007)"].value == pytest.approx(3 * math.sqrt(3 * t * math.log(3)))
    assert rows["Ito (2020)"].value == pytest.approx(300.0)
    assert rows["Dagan et al. (2024)"].value == pytest.approx(
        t * math.log(log) / math.log(t / 3) + math.sqrt(3 * t * math.log(3 * t))
    )
    assert rows["Swap-ComBCP"].value == pytest.approx(t * math.log(3 * log) / log)
    assert all("constant 1" in bound.statement for bound in rows.values())
    assert table1(60, 30, 10**4)["Ito (2020)"].is_vacuous
    assert table1(2000, 1000, 10**4)["Ito (2020)"].value == math.inf


def test_the_lower_bound_knows_where_it_holds() -> None:
    """T/log⁶T counts only for T ≤ exp(d^{1/14}) and m ≥ d^{12/13}."""
    assert lower_bound(10, 10**6).is_vacuous
    huge = 10**30
    assert not lower_bound(huge, 20).is_vacuous
    assert lower_bound(huge, 20, size=5).is_vacuous
    assert lower_bound(huge, 20).value == pytest.approx(20 / math.log(20) ** 6)
