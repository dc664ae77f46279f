"""Charts as SVG: every value is there, axes have round numbers."""

import xml.etree.ElementTree as ElementTree

import pytest

from gridlab.core.charts import bars_svg, lines_svg, marks, short


@pytest.mark.parametrize(
    ("high", "expected"),
    [(10, [0, 5, 10]), (1, [0, 0.5, 1]), (1680, [0, 500, 1000, 1500]), (0.013, [0, 0.005, 0.01])],
)
def test_round_numbers(high: float, expected: list[float]) -> None:
    assert marks(0, high) == pytest.approx(expected)


@pytest.mark.parametrize(("value", "text"), [(1_200_000, "1.2M"), (0.5, "0.5"), (1500, "1.5k"), (2e9, "2G"), (0, "0")])
def test_short(value: float, text: str) -> None:
    assert short(value) == text


def axes(chart: ElementTree.Element) -> list[str | None]:
    """What the axes are called: the one below, then the one beside."""
    return [each.text for each in chart.iter("text") if each.get("class") == "axis"]


def test_bars() -> None:
    chart = ElementTree.fromstring(bars_svg("a <title>", ["x", "y & z"], {"one": [1, 4], "two": [2, 0]}, "<x>", "y"))
    heights = [float(each.get("height", "")) for each in chart.iter("rect")]
    assert heights[1] == pytest.approx(4 * heights[0])
    assert heights[2] == pytest.approx(2 * heights[0])
    assert heights[3] == 0
    assert chart.get("aria-label") == "a <title>"
    assert axes(chart) == ["<x>", "y"]
    assert [each.text for each in chart.iter("title")] == ["x: 1", "y & z: 4", "x: 2", "y & z: 0"]


def test_lines() -> None:
    chart = ElementTree.fromstring(lines_svg("curve", {"score": [(0, 0), (5, 50), (10, 100)]}, "s", "points"))
    assert axes(chart) == ["s", "points"]
    (line,) = chart.iter("polyline")
    places = [tuple(map(float, each.split(","))) for each in line.get("points", "").split()]
    assert places[1] == pytest.approx(((places[0][0] + places[2][0]) / 2, (places[0][1] + places[2][1]) / 2), abs=0.1)


def test_nothing_at_all_is_drawn_too() -> None:
    ElementTree.fromstring(bars_svg("", ["a"], {"none": [0]}, "", ""))
    ElementTree.fromstring(lines_svg("", {"none": []}, "", ""))
