"""Sizes as people write them, whatever their decimal sign is at home."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.units import GIB, KIB, parse_size, without_commas
from explorer.errors import InputError


@pytest.mark.parametrize(
    ("text", "size"),
    [("123", 123), ("64KiB", 64 * KIB), ("1.5GiB", 3 * GIB // 2), ("0x1000", 4096), ("10MB", 10_000_000),
     ("1,024", 1024), ("1,048,576 B", 1 << 20), ("12,345.5KiB", 12345 * KIB + 512), ("1_000", 1000)],
)  # fmt: skip
def test_that_a_size_is_read(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["1,5GiB", "1,5", "12,34", "1.024,5KiB", "1,0000", "0,5GiB", "1,,000", "1,024,", "1.5"]
)
def test_that_a_decimal_comma_is_refused_and_never_read_as_another_size(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_size(text)
    assert caught.value.complaint.found
    assert caught.value.complaint.accepted


def test_that_the_refusal_of_a_decimal_comma_names_the_decimal_sign() -> None:
    with pytest.raises(InputError, match="point is the decimal sign"):
        parse_size("1,5GiB")


@settings(deadline=None)
@given(st.integers(0, 2**62))
def test_that_every_number_with_its_separators_is_read_back(number: int) -> None:
    assert parse_size(f"{number:,}") == number
    assert without_commas(f"{number:,}") == str(number)
