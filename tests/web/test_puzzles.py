"""Puzzles: asked without their answers, judged by the key of the exam, and solved in a real browser."""

import re
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from gridlab import Oracle, Position
from gridlab.arena.exam import Puzzle, book_of, books, read_exam, standard_exams
from gridlab.games.registry import game
from tests.web.conftest import Ask

pytestmark = pytest.mark.compiled

GAMES = ["tictactoe", "4x4:4-3", "squava", "5x5:4", "2048:3x3"]
SHARES = [(1, 2), (1, 3), (1, 5)]  # of right moves, below which a level is harder
STAKES = [0.1, 0.01, 0.001]  # of what the second best direction gives away


def puzzle(name: str, level: int = 1, number: int = 1) -> Puzzle:
    return book_of(game(name)).puzzle(level, number)


def wrong_of(one: Puzzle) -> str:
    return next(move for move in one.question.legal if move not in one.right)


# ---- the interface


def test_every_question_of_every_exam_is_one_puzzle() -> None:
    for name in standard_exams():
        exam = read_exam(name)
        found = [each for level in book_of(exam.rules).levels.values() for each in level.puzzles]
        assert sorted(each.question.id for each in found) == list(range(1, len(exam.questions) + 1))


def test_the_games_and_levels_are_listed(ask: Ask) -> None:
    said = ask("/puzzles")
    assert {each["game"] for each in said} == set(GAMES)
    for each in said:
        assert [level["level"] for level in each["levels"]] == [1, 2, 3, 4]
        assert sum(level["puzzles"] for level in each["levels"]) >= 300
        assert all(level["right"][1] < level["legal"][1] for level in each["levels"])


@pytest.mark.parametrize("name", GAMES)
def test_a_puzzle_is_asked_without_its_answer(ask: Ask, name: str) -> None:
    one = puzzle(name, 2, 3)
    said = ask("/puzzles/question", game=name, level=2, number=3)
    assert (said["game"], said["level"], said["number"], said["question"]) == (name, 2, 3, one.question.id)
    assert said["legal"] == list(one.question.legal)
    assert said["position"]["board"] == one.question.board
    assert said["aim"] in ("win", "draw", "points")
    assert set(said) == {"game", "level", "number", "of", "question", "aim", "legal", "position"}
    assert set(said["position"]) <= {"rows", "cols", "board", "to_move", "marked", "tiles"}


@pytest.mark.parametrize("name", GAMES[:-1])
def test_the_level_is_the_share_of_right_moves(name: str) -> None:
    for number, level in book_of(game(name)).levels.items():
        for each in level.puzzles:
            right, legal = len(each.right), len(each.question.legal)
            assert 1 + sum(right * below < legal * part for part, below in SHARES) == number
            assert level.right[0] <= right <= level.right[1]
            assert level.legal[0] <= legal <= level.legal[1]


def test_the_level_of_2048_is_what_the_second_direction_gives_away() -> None:
    for number, level in book_of(game("2048:3x3")).levels.items():
        for each in level.puzzles:
            least = min(each.judge(move).regret or 0.0 for move in each.question.legal if move not in each.right)
            assert 1 + sum(least / each.key.value < stake for stake in STAKES) == number


@pytest.mark.parametrize("name", GAMES)
def test_right_and_wrong_are_told_with_every_value(ask: Ask, name: str) -> None:
    one = puzzle(name, 3, 2)
    body = {"game": name, "level": 3, "number": 2}
    for move, right in ((one.right[0], True), (wrong_of(one), False)):
        said = ask("/puzzles/answer", body | {"move": move})
        assert (said["move"], said["right"], said["best"]) == (move, right, one.key.best)
        assert [each["move"] for each in said["moves"]] == list(one.question.legal)
        assert [each["move"] for each in said["moves"] if each["right"]] == one.right


def test_values_in_a_row_are_the_oracles(ask: Ask) -> None:
    one = puzzle("tictactoe", 2, 7)
    truth = Oracle(one.position.rules, search_only=True).ask(one.position)
    said = ask("/puzzles/answer", {"game": "tictactoe", "level": 2, "number": 7, "move": one.right[0]})
    assert {(each["cell"], each["value"], each["distance"]) for each in said["moves"]} == set(truth.moves)
    assert all(each["right"] == (each["value"] == truth.value) for each in said["moves"])


def test_what_a_direction_gives_away_adds_up(ask: Ask) -> None:
    said = ask("/puzzles/answer", {"game": "2048:3x3", "level": 1, "number": 1, "move": "right"})
    most = max(each["points"] for each in said["moves"])
    assert all(each["points"] + each["lost"] == pytest.approx(most) for each in said["moves"])


@pytest.mark.parametrize("name", GAMES[:-1])
def test_a_line_is_played_to_its_end(ask: Ask, name: str) -> None:
    one = puzzle(name, 3, 5)
    move = one.key.best[0]
    said = ask("/puzzles/line", game=name, level=3, number=5, move=move)
    assert said["steps"][0]["move"] == move
    assert said["whole"]
    assert len(said["steps"]) == one.key.distance
    position = one.position
    for step in said["steps"]:
        assert step["side"] == position.to_move
        position = position.play(position.parse_move(step["move"]))
        assert step["position"]["board"] == str(position)
    assert isinstance(position, Position)
    assert position.over


@pytest.mark.parametrize(
    ("path", "parameters", "sentence"),
    [
        ("question", {"game": "chess"}, "'chess' is not a game"),
        ("question", {"game": "3x3:2"}, "there are puzzles of tictactoe, 4x4:4-3"),
        ("question", {"game": "squava", "level": 7}, "squava has no puzzles of level 7; there are 1, 2, 3, 4"),
        ("question", {"game": "squava", "number": 999}, "they are numbered 1 to 98"),
        ("question", {"game": "squava", "number": 0}, "number: input should be greater"),
        ("question", {"game": "squava", "level": "hard"}, "level: input should be a valid integer"),
        ("line", {"game": "squava", "move": "99"}, "'99' is not a cell"),
        ("line", {"game": "2048:3x3", "move": "up"}, "chance adds a tile"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(
    api: httpx.Client, path: str, parameters: dict[str, Any], sentence: str
) -> None:
    refused = api.get(f"/puzzles/{path}", params=parameters)
    assert refused.status_code in (400, 422)
    assert sentence in refused.json()["error"]


@pytest.mark.parametrize(
    ("name", "move", "sentence"),
    [("tictactoe", "77", "is not a cell"), ("2048:3x3", "north", "is not a direction"), ("tictactoe", "", "no")],
)
def test_an_answer_that_is_no_move_is_refused(api: httpx.Client, name: str, move: str, sentence: str) -> None:
    refused = api.post("/puzzles/answer", json={"game": name, "level": 1, "number": 1, "move": move})
    assert refused.status_code == 400
    assert sentence in refused.json()["error"]


def test_an_occupied_cell_is_refused(api: httpx.Client) -> None:
    one = next(each for each in books()[game("tictactoe")].levels[2].puzzles if each.question.board[0] == "X")
    body = {"game": "tictactoe", "level": 2, "number": one.number, "move": "11"}
    assert "11 is not a move in X" in api.post("/puzzles/answer", json=body).json()["error"]


# ---- the page


def go_to(page: Page, name: str, level: int, number: int) -> Puzzle:
    page.goto(f"/#/puzzles?game={name}&level={level}&number={number}")
    expect(page.get_by_role("heading", level=2)).to_contain_text(re.compile("Find a move|Which direction"))
    return puzzle(name, level, number)


def press(page: Page, one: Puzzle, move: str) -> None:
    page.locator(f".cell[data-cell='{one.position.parse_move(move)}']").click()


def amounts(page: Page) -> Any:
    return page.get_by_role("region", name="Score")


def test_a_right_answer_lengthens_the_streak_which_survives_a_reload(page: Page) -> None:
    for number in (1, 2):
        one = go_to(page, "tictactoe", 2, number)
        press(page, one, one.key.best[0])
        expect(page.locator(".sign")).to_have_text(re.compile("Right"))
        expect(page.get_by_role("button", name="Next puzzle")).to_be_focused()
    expect(page.locator("#live")).to_contain_text(re.compile(r"^Right\. .* Streak 2\."))
    expect(page.locator(".cell .value")).to_have_count(len(one.question.legal))
    page.reload()
    expect(amounts(page)).to_contain_text(re.compile(r"Streak\s*2\s*Best\s*2\s*Solved\s*2 of 2"))
    press(page, one, wrong_of(one))
    expect(page.get_by_role("region", name="Answer")).to_contain_text("Not counted")
    expect(amounts(page)).to_contain_text(re.compile(r"Streak\s*2"))


def test_a_wrong_answer_ends_the_streak_and_is_explained(page: Page) -> None:
    one = go_to(page, "squava", 3, 5)
    move = wrong_of(one)
    press(page, one, move)
    expect(page.locator(".sign")).to_have_text(re.compile("Wrong"))
    expect(page.locator("[data-answer='wrong']")).to_have_attribute("data-cell", str(one.position.parse_move(move)))
    expect(amounts(page)).to_contain_text(re.compile(r"Streak\s*0\s*Best\s*0\s*Solved\s*0 of 1"))
    best = page.get_by_role("group", name="Best play, move by move")
    expect(best.get_by_role("button")).to_have_count(1 + one.key.distance)
    best.get_by_role("button").nth(1).click()
    expect(page.locator(f".cell[data-cell='{one.position.parse_move(one.key.best[0])}']")).to_have_attribute(
        "aria-label", re.compile(f", {one.position.to_move}")
    )
    best.get_by_role("button", name="Puzzle").click()
    expect(page.locator(".cell .value")).to_have_count(len(one.question.legal))
    other = next(each for each in one.question.legal if each not in (move, one.key.best[0]))
    press(page, one, other)
    expect(page.get_by_role("group", name="What if, move by move")).to_be_visible()
    expect(page.locator(f".cell[data-cell='{one.position.parse_move(other)}'] .ghost")).to_contain_text("1")
    press(page, one, other)
    expect(page.locator(".cell .value")).to_have_count(len(one.question.legal))
    page.get_by_role("link", name="Explore on the board").click()
    expect(page).to_have_url(re.compile(r"#/board\?game=squava&start="))


def test_a_link_restores_a_puzzle_and_the_score_can_start_over(page: Page) -> None:
    one = go_to(page, "squava", 2, 17)
    marks = one.question.board.replace("/", "")
    expect(page.locator(".cell[aria-disabled='true']")).to_have_count(len(marks.replace(".", "")))
    expect(page.get_by_label("Number")).to_have_value("17")
    expect(page.locator(".puzzle-about")).to_contain_text("1 to 10 of 3 to 23 moves are right")
    press(page, one, one.right[0])
    page.get_by_role("button", name="Next puzzle").click()
    expect(page).to_have_url(re.compile("game=squava&level=2&number=18"))
    page.goto("/#/puzzles")
    expect(page).to_have_url(re.compile("game=squava&level=2&number=1$"))  # the first that was not tried
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("button", name="Forget this score?").click()
    expect(amounts(page)).to_contain_text("0 of 0")
    page.goto("/#/puzzles?game=squava&level=2&number=99")
    expect(page.get_by_role("alert")).to_have_text("squava has no puzzle 99 of level 2; they are numbered 1 to 38")
    page.get_by_role("button", name="First puzzle").click()
    expect(page).to_have_url(re.compile("game=squava&level=1&number=1$"))


def test_game_and_level_can_be_chosen(page: Page) -> None:
    go_to(page, "tictactoe", 4, 1)
    page.get_by_label("Game").select_option("5x5:4")
    expect(page).to_have_url(re.compile(r"game=5x5%3A4&level=4&number=1$"))
    page.get_by_label("Level").focus()
    page.get_by_label("Level").select_option("easy")
    expect(page).to_have_url(re.compile(r"level=1&number=1$"))
    expect(page.get_by_label("Level")).to_be_focused()


def test_puzzles_are_solved_by_keys_alone(page: Page) -> None:
    one = go_to(page, "tictactoe", 2, 4)
    page.keyboard.press("n")
    expect(page).to_have_url(re.compile("number=5"))
    expect(page.locator(".cell:focus")).to_have_count(1)
    one = puzzle("tictactoe", 2, 5)
    row, col = divmod(one.position.parse_move(one.right[0]), 3)
    for key, times in (("Home", 1), ("ArrowUp", 2), ("ArrowDown", row), ("ArrowRight", col), ("Enter", 1)):
        for _ in range(times):
            page.keyboard.press(key)
    expect(page.locator(".sign")).to_have_text(re.compile("Right"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("number=6"))
    expect(page.locator(".sign")).to_have_count(0)


def test_2048_is_answered_by_a_key_and_by_a_button(page: Page) -> None:
    one = go_to(page, "2048:3x3", 1, 1)
    expect(page.get_by_role("heading", level=2)).to_have_text("Which direction is worth most?")
    page.keyboard.press(f"Arrow{wrong_of(one).capitalize()}")
    expect(page.locator(".sign")).to_have_text(re.compile("Wrong"))
    expect(page.get_by_role("region", name="Answer")).to_contain_text("given away")
    expect(page.get_by_role("row")).to_have_count(1 + len(one.question.legal))
    expect(page.get_by_role("row", name=re.compile(f"{one.right[0]}.*{one.key.value:,.1f} best"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("number=2"))
    page.get_by_role("button", name=puzzle("2048:3x3", 1, 2).right[0]).click()
    expect(page.locator(".sign")).to_have_text(re.compile("Right"))
    expect(amounts(page)).to_contain_text(re.compile(r"Streak\s*1\s*Best\s*1\s*Solved\s*1 of 2"))


def test_a_tiny_difference_is_seen(page: Page) -> None:
    one = go_to(page, "2048:3x3", 4, 17)
    page.get_by_role("button", name=wrong_of(one)).click()
    expect(page.locator(".worths")).to_contain_text("0.00016")
    values = page.locator(".worths tbody td:nth-child(3)").all_inner_texts()
    assert len(set(values)) == len(values)


@pytest.mark.parametrize("name", ["squava", "2048:3x3"])
def test_a_phone_shows_task_board_and_verdict_without_scrolling(page: Page, name: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    one = go_to(page, name, 2, 17)
    nav = page.get_by_role("navigation").bounding_box()
    assert nav is not None
    for part in (page.get_by_role("heading", level=2), page.locator(".puzzle-stage > *")):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= nav["y"]
    if name == "squava":
        press(page, one, wrong_of(one))
    else:
        page.keyboard.press(f"Arrow{wrong_of(one).capitalize()}")
    onward = page.get_by_role("button", name="Next puzzle").bounding_box()
    assert onward is not None
    assert onward["y"] + onward["height"] <= nav["y"]
    expect(page.get_by_role("link", name=re.compile("Explore|Play"))).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth && scrollY === 0")


def test_the_board_is_large_on_a_desktop(page: Page) -> None:
    for width, height in ((1280, 800), (1920, 1080), (1024, 768)):
        page.set_viewport_size({"width": width, "height": height})
        for name in ("tictactoe", "2048:3x3"):
            go_to(page, name, 1, 1)
            expect(page.locator(".tiles" if "2048" in name else ".board")).to_be_visible()
            box = page.locator(".puzzle-stage > *").bounding_box()
            assert box is not None
            assert box["width"] >= 0.7 * min(width, height)
            assert box["y"] + box["height"] <= height


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["tictactoe", "2048:3x3"])
def test_axe_finds_nothing(page: Page, name: str, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    one = go_to(page, name, 3, 5)
    before = findings(page)
    if name == "tictactoe":
        press(page, one, wrong_of(one))
    else:
        page.get_by_role("button", name=wrong_of(one)).click()
    expect(page.get_by_role("link", name=re.compile("Explore|Play"))).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert before + findings(page) == []


def findings(page: Page) -> list[Any]:
    """What axe-core complains of: all that is serious, and names that do not fit what is seen."""
    rules = ("label-content-name-mismatch", "landmark-unique", "empty-table-header")
    found = Axe().run(page, options={"rules": {"label-content-name-mismatch": {"enabled": True}}})
    return [
        (each["id"], each["nodes"][0]["html"][:200], each["nodes"][0].get("failureSummary", "")[:300])
        for each in found.response["violations"]
        if each["impact"] in ("serious", "critical") or each["id"] in rules
    ]
