"""Whole numbers as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapregret.counts import read_count, shown
from swapregret.errors import InvalidInput


@given(st.integers(0, 10**18), st.sampled_from(["{}", "{:_}", "{}e0", "{}.0", " {} "]))
def test_a_number_is_read_as_it_was_meant(number: int, form: str) -> None:
    """Digits, underscores, an exponent and a point mean what they mean in Python, exactly."""
    assert read_count(form.format(number), "horizon", 0) == number


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "1e-1", "1.5", "0", "11", "1e5000", "9" * 5000, "1e999999999"])
def test_anything_else_is_refused_in_a_short_sentence(text: str) -> None:
    """Text, fractions, numbers out of range and numbers of any length: one sentence that fits a screen."""
    with pytest.raises(InvalidInput, match=r"`size` must be a whole number, 1\.\.10: got ") as caught:
        read_count(text, "size", 1, 10)
    assert len(str(caught.value)) < 160


def test_without_a_most_there_still_is_one() -> None:
    """A number of 5,000 digits is no count."""
    with pytest.raises(InvalidInput):
        read_count("9" * 5000, "size")


@given(st.one_of(st.text(), st.integers(), st.just(10**5000), st.lists(st.integers())))
def test_what_is_shown_is_short_and_says_when_it_is_cut(value: object) -> None:
    """At most 80 characters on one line; an ellipsis wherever something is missing, a size where there are too many digits."""
    text = shown(value)
    assert len(text) <= 80
    assert "…" in text or "10⁵⁰⁰⁰" in text or text == " ".join(repr(value).split())
