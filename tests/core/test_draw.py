from xml.etree import ElementTree

from gridlab.core import draw


def test_a_board_as_text() -> None:
    assert draw.board_text("X.OO", 2, {0}) == "    1  2\n 1 [X] .\n 2  O  O"


def test_a_wide_board_keeps_its_columns() -> None:
    lines = draw.board_text("." * 22, 11).splitlines()
    assert lines[0].endswith(" 9 10 11")
    assert lines[1] == " 1 " + " . " * 10 + " ."


def test_blocks_stand_beside_each_other() -> None:
    assert draw.beside(["ab\nc", "d", "e\nf"]) == "ab   d   e\nc        f"


def test_a_table_is_aligned_and_marks_thousands() -> None:
    assert draw.table(["ply", "count"], [(1, 1234567), ("all", 8)]) == (
        "ply      count\n---  ---------\n  1  1,234,567\nall          8"
    )


def test_a_board_as_svg_is_a_picture_of_it() -> None:
    svg = ElementTree.fromstring(draw.board_svg("X.O2", 2, {3}, title="a < b"))
    name = "{http://www.w3.org/2000/svg}"
    assert svg.findtext(f"{name}title") == "a < b"
    assert len(svg.findall(f"{name}circle")) == 1
    assert [text.text for text in svg.findall(f"{name}text")] == ["1", "2", "1", "2", "2"]
    assert (svg.get("width"), svg.get("height")) == ("136", "136")


def test_tiles_can_be_found_and_moved_by_a_page() -> None:
    svg = ElementTree.fromstring(draw.tiles_svg([2, 0, 1024, 0], 2, "a game"))
    name = "{http://www.w3.org/2000/svg}"
    groups = svg.findall(f"{name}g")
    assert [(each.get("data-cell"), each.get("class")) for each in groups] == [
        ("0", "tile tile-1"),
        ("2", "tile tile-10"),
    ]
    assert [each.findtext(f"{name}text") for each in groups] == ["2", "1024"]
    assert len(svg.findall(f"{name}rect[@class='hole']")) == 4
