"""What stronger readers found elsewhere is said where a benchmark's name tells it."""

import pytest

from measurand.audits.leakage.choices import find_published, published_warnings


@pytest.mark.parametrize(
    ("name", "accuracy"),
    [
        ("hellaswag_val", 0.872),
        ("HellaSwag", 0.872),
        ("mmlu-pro test", 0.41),
        ("mmlu", 0.39),
        ("SuperGPQA", 0.34),
    ],
)
def test_a_known_benchmark_is_known_by_its_name(name, accuracy):
    assert find_published(name).accuracy == accuracy


@pytest.mark.parametrize("name", ["swag", "my hellaswag", "boats", ""])
def test_another_name_is_not_taken_for_it(name):
    assert published_warnings(name) == []


def test_the_line_names_who_read_and_where_it_stands():
    (line,) = published_warnings("hellaswag_val")
    assert "DeBERTa" in line
    assert "0.872" in line
    assert "arXiv" in line
