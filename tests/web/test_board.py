"""The board as people use it: pointers that rest, double clicks, quick clicks, a slow network, phones, variations."""

import base64
import json
import random
import re
from collections.abc import Callable
from io import BytesIO
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.conftest import in_long_runs
from tests.web.conftest import Server

pytestmark = pytest.mark.compiled

SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}  # 1.6 Mbit/s


def cell(page: Page, number: int) -> Any:
    return page.locator(f".cell[data-cell='{number}']")


def press(page: Page, number: int, times: int = 1) -> None:
    """A click as a hand makes it, whatever the page thinks of it."""
    box = cell(page, number).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, click_count=times)


def slow(page: Page, latency: int = SLOW["latency"]) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW | {"latency": latency})


def settled(page: Page) -> None:
    """Nothing is on its way."""
    expect(page.locator(".status")).not_to_contain_text("thinking")
    page.wait_for_load_state("networkidle")


def moves_of(page: Page) -> str:
    found = re.search(r"[?&]moves=([^&]*)", page.url)
    return found.group(1) if found else ""


def ink(page: Page, number: int, colour: tuple[int, int, int]) -> float:
    """The share of a cell that has a colour, as it is seen."""
    box = cell(page, number).bounding_box()
    picture = np.asarray(Image.open(BytesIO(page.screenshot(clip=box))).convert("RGB")).astype(int)
    return float((np.abs(picture - colour).max(axis=2) < 12).mean())


def colour_of(page: Page, kind: str) -> tuple[int, int, int]:
    """The colour in which stones are drawn."""
    text = page.locator(f".board-svg .{kind}").first.evaluate("each => getComputedStyle(each).stroke")
    red, green, blue = (int(each) for each in re.findall(r"\d+", text)[:3])
    return red, green, blue


# ---- clicks


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_stone_is_seen_under_the_pointer(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto("/#/board?game=tictactoe&x=you&o=you")
    cell(page, 4).click()
    page.wait_for_timeout(300)
    resting = ink(page, 4, colour_of(page, "cross"))
    page.mouse.move(2, 2)
    page.wait_for_timeout(300)
    away = ink(page, 4, colour_of(page, "cross"))
    assert away > 0.05
    assert resting == pytest.approx(away, rel=0.05)


@pytest.mark.parametrize("opponent", ["you", "heuristic"])
def test_a_double_click_is_one_move(page: Page, opponent: str) -> None:
    page.goto(f"/#/board?game=tictactoe&x=you&o={opponent}&seed=1")
    slow(page)
    expect(page.locator(".status")).to_contain_text("move")
    cell(page, 4).dblclick()
    expect(cell(page, 4)).to_have_attribute("aria-label", re.compile("row 2 column 2, X"))
    expect(page).to_have_url(re.compile(r"moves=22&" if opponent == "you" else r"moves=22\.\d\d&"))
    settled(page)
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    page.locator(".cell[aria-disabled='false']").first.click()
    expect(page).to_have_url(re.compile(r"moves=22\.\d\d" + ("&" if opponent == "you" else r"\.\d\d\.\d\d&")))


def test_two_quick_clicks_do_not_move_for_the_opponent(page: Page, ask: Callable[..., Any]) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=heuristic&seed=1")
    expect(page.locator(".status")).to_contain_text("Your move")
    slow(page, 1500)  # so that the second click is before the reply on a busy machine too
    press(page, 0)
    page.wait_for_timeout(60)
    press(page, 8)
    expect(page).to_have_url(re.compile(r"moves=11\.\d\d&"))
    settled(page)
    assert moves_of(page) != "11.33"
    expect(page.locator(".status")).to_contain_text("Your move")
    expect(cell(page, 8)).to_have_attribute("aria-label", re.compile("empty"))


def test_quick_clicks_of_two_people_all_count(page: Page) -> None:
    page.goto("/#/board?game=squava&x=you&o=you")
    expect(page.locator(".status")).to_contain_text("X to move")
    slow(page)
    for number in (12, 0, 24, 4, 20):
        press(page, number)
    expect(page).to_have_url(re.compile(r"moves=33\.11\.55\.15\.51&"))
    settled(page)
    expect(page.locator(".status")).to_contain_text("O to move")
    expect(page).to_have_url(re.compile(r"moves=33\.11\.55\.15\.51&"))


def test_clicks_after_the_end_are_dropped(page: Page) -> None:
    """The page cannot know that the game is over before the server has said so; what was played on goes again."""
    page.goto("/#/board?game=tictactoe&moves=11.21.12.22&x=you&o=you")
    expect(page.locator(".status")).to_contain_text("X to move")
    slow(page)
    for number in (2, 8, 7):
        press(page, number)
    expect(page.locator(".status")).to_contain_text("X wins")
    settled(page)
    assert moves_of(page) == "11.21.12.22.13"


@pytest.mark.parametrize("actions", [120, *in_long_runs(2000)])
@pytest.mark.parametrize("opponent", ["you", *in_long_runs("heuristic")])
def test_page_and_server_agree_whatever_is_pressed_when(
    page: Page, server: Server, opponent: str, actions: int
) -> None:
    """Random clicks and keys at random moments on a slow network."""
    chance = random.Random(actions)
    page.goto(f"/#/board?game=4x4:3&x=you&o={opponent}&seed=3")
    expect(page.locator(".cell")).to_have_count(16)
    slow(page)
    names = ("Undo", "Redo", "First move", "Last move", "Values", "Hint")
    for number in range(actions):
        if chance.random() < 0.75:
            press(page, chance.randrange(16), chance.choice((1, 1, 1, 2)))
        elif chance.random() < 0.5:
            page.keyboard.press(chance.choice((",", ".", "u", "r", "v", "h")))
        else:
            page.get_by_role("button", name=chance.choice(names), exact=True).click(force=True)
        page.wait_for_timeout(chance.choice((0, 0, 20, 100, 300)))
        if number % 60 == 59:
            page.get_by_role("button", name="New game").click()
    page.wait_for_timeout(400)
    settled(page)
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    shown = "/".join(
        "".join(
            re.findall(r", (X|O|empty)", each.get_attribute("aria-label") or "")[0]
            for each in page.locator(".cell").all()[row : row + 4]
        )
        for row in range(0, 16, 4)
    ).replace("empty", ".")
    with page.expect_request("**/api/v1/play") as sent:
        page.reload()  # the address makes the same position again
    asked = json.loads(sent.value.post_data or "{}")
    answer = httpx.post(f"{server.address}/api/v1/play", json=asked, timeout=30)
    first = json.loads(answer.text.splitlines()[0])
    assert first["part"] == "game", first
    assert first["position"]["board"] == shown


# ---- every game, and nobody in the dark


def test_every_game_of_the_menu_is_playable(page: Page) -> None:
    page.goto("/#/board?game=tictactoe")
    menu = page.get_by_role("combobox", name="Game", exact=True)
    for name, middle in (("tictactoe5", 12), ("tictactoe4", 5), ("squava", 12)):
        menu.select_option(name)
        expect(page.locator(".status")).to_contain_text("Your move")
        cell(page, middle).click()
        expect(page.locator(".status")).to_contain_text("Your move", timeout=6000)  # two seconds, on idle cores
        if name == "tictactoe5":
            expect(page.locator(".status")).to_contain_text("not proved")


def test_what_takes_a_while_is_said(page: Page) -> None:
    page.goto("/#/board?game=tictactoe5&x=you&o=perfect&seed=1")
    expect(page.locator(".status")).to_contain_text("Your move")
    cell(page, 12).click()
    expect(page.locator(".status")).to_contain_text("O is thinking")
    expect(page.locator(".status .what")).to_contain_text("perfect")
    expect(page.locator(".status")).to_contain_text("tree search")


def test_exact_answers_come_move_by_move_and_stay(page: Page) -> None:
    page.goto("/#/board?game=4x5:4&moves=11&x=you&o=you")
    card = page.get_by_role("region", name="Analysis")
    chips = page.locator(".cell .value:not(.opinion)")
    find = card.get_by_role("button", name=re.compile("Find out exactly|Go on finding out"))
    expect(find).to_be_visible()
    before = chips.count()
    find.click()
    expect(chips).not_to_have_count(before)
    card.get_by_role("button", name="Cancel").click()
    expect(find).to_have_text("Go on finding out")
    found = chips.count()
    assert before < found < 19
    page.get_by_role("button", name="Undo").click()
    expect(chips).not_to_have_count(found)
    page.get_by_role("button", name="Redo").click()
    expect(chips).to_have_count(found)  # kept
    find.click()
    expect(card).to_contain_text("Exact, from a complete search", timeout=60_000)
    expect(chips).to_have_count(19)


def test_a_scorecard_says_what_is_not_known(page: Page) -> None:
    page.goto("/#/board?game=tictactoe5&moves=11.21.12.22.13.23.14.24.15&x=you&o=you")
    expect(page.locator(".status")).to_contain_text("X wins")
    card = page.get_by_role("region", name="Scorecard")
    expect(card).to_contain_text("cannot be judged: the truth there is not known")
    expect(card).not_to_contain_text("No move could change the value")


def test_refused_rules_change_nothing(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&moves=22&x=you&o=you")
    expect(cell(page, 0).locator(".value")).to_be_visible()
    page.get_by_role("combobox", name="Game", exact=True).select_option("own")
    for rules in ((8, 8, 5), (15, 15, 5), (3, 3, 9)):
        for name, value in zip(("Rows", "Columns", "In a row to win"), rules, strict=True):
            page.get_by_role("spinbutton", name=name, exact=True).fill(str(value))
        page.get_by_role("button", name="Use these rules").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Tic-tac-toe 3×3")
        expect(page.locator(".cell")).to_have_count(9)
    assert "bitboard" not in page.locator("main").inner_text()
    page.goto("/#/about")
    page.goto("/#/board")
    expect(page.locator(".cell")).to_have_count(9)


# ---- looking


def test_the_line_after_a_move_leaves_the_values(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=you")
    expect(page.locator(".cell .value")).to_have_count(9)
    cell(page, 0).hover()
    expect(page.locator(".cell .ghost")).to_have_count(4)
    expect(page.locator(".cell .value")).to_have_count(9)


def test_values_are_off_against_an_opponent_and_on_in_analysis(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=perfect")
    expect(page.locator(".status")).to_contain_text("Your move")
    settled(page)
    expect(page.locator(".cell .value")).to_have_count(0)
    expect(page.get_by_role("region", name="Analysis")).to_be_hidden()
    page.get_by_role("button", name="Analysis board").click()
    expect(page.locator(".cell .value")).to_have_count(9)
    expect(page.locator(".line-text")).to_contain_text("W17 wins in 17 plies")
    expect(page.locator(".line-text")).to_contain_text("a ply is one move of one player")
    page.locator(".line-text a").click()
    expect(page.get_by_role("heading", name="What is exact, and how it is known")).to_be_in_viewport()


def test_an_opinion_comes_with_its_visits(page: Page) -> None:
    page.goto("/#/board?game=7x9:4&x=you&o=you")
    expect(page.locator(".line-text")).to_contain_text("is what a tree search thinks")
    page.locator(".cell:has(.opinion)").first.hover()
    expect(page.locator(".line-text")).to_contain_text(re.compile(r"not proved, after [\d,]+ visits"))


def test_nothing_is_known_of_a_position_being_set_up(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&moves=22&x=you&o=you")
    card = page.get_by_role("region", name="Analysis")
    expect(card).to_contain_text("Exact")
    page.get_by_role("button", name="Set up a position").click()
    expect(card).to_be_hidden()
    expect(page.locator(".cell .value")).to_have_count(0)
    page.get_by_role("button", name="Cancel").click()
    expect(card).to_contain_text("Exact")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1024, 768), (1920, 1080)])
@pytest.mark.parametrize("name", ["tictactoe", *in_long_runs("squava", "7x9:4")])
def test_the_board_takes_the_room_there_is(page: Page, name: str, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"/#/board?game={name}&x=you&o=you")
    expect(page.locator(".cell .value").first).to_be_visible()
    box = page.locator(".board").bounding_box()
    assert box is not None
    assert max(box["width"], box["height"]) >= 0.7 * min(width, height)
    expect(page.get_by_role("button", name="New game")).to_be_in_viewport()
    first = cell(page, 0).bounding_box()
    size = cell(page, 0).locator(".value").evaluate("each => parseFloat(getComputedStyle(each).fontSize)")
    assert first is not None
    assert size >= min(28, 0.2 * first["height"])


def test_full_screen(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=you&o=you")
    expect(page.locator(".cell .value").first).to_be_visible()
    page.get_by_role("button", name="Full screen").click()
    expect(page.locator(".board-card:fullscreen")).to_be_visible()
    cell(page, 4).click()
    expect(page.locator(".status")).to_contain_text("O to move")
    page.keyboard.press("f")
    expect(page.locator(".board-card:fullscreen")).to_have_count(0)


def test_a_finger_that_rests_shows_the_line(browser: Browser, server: Server) -> None:
    options: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with browser.new_context(base_url=server.address, **options) as context:
        page = context.new_page()
        page.goto("/#/board?game=tictactoe&moves=22.12&x=you&o=you")
        expect(cell(page, 0).locator(".value")).to_have_text("W5")
        box = cell(page, 0).bounding_box()
        assert box is not None
        touch = context.new_cdp_session(page)
        at = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}]
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": at})
        page.wait_for_timeout(700)
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(page.locator(".line-text")).to_contain_text("11 wins in 5 plies: 11 33")
        expect(cell(page, 0)).to_have_attribute("aria-label", re.compile("empty"))
        cell(page, 0).tap()
        expect(cell(page, 0)).to_have_attribute("aria-label", re.compile("X"))


PASTED = """async () => {
  const [item] = await navigator.clipboard.read();
  const bytes = new Uint8Array(await (await item.getType("image/png")).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}"""


def test_the_board_as_a_picture(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&moves=22.12&x=you&o=you")
    expect(cell(page, 0).locator(".value")).to_have_text("W5")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy picture").click()
    expect(page.locator(".toast")).to_have_text("Picture copied")
    data = page.evaluate(PASTED)
    picture = np.asarray(Image.open(BytesIO(base64.b64decode(data))).convert("RGB")).astype(int)
    blue = np.abs(picture - colour_of(page, "cross")).max(axis=2) < 12
    assert picture.shape[:2] == (3 * 172, 3 * 172)
    assert 0.005 < blue.mean() < 0.1


def test_the_first_board_is_light(page: Page) -> None:
    session, sizes = page.context.new_cdp_session(page), list[float]()
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto("/#/board?game=tictactoe&x=you&o=you")
    expect(page.locator(".cell .value")).to_have_count(9)
    settled(page)
    assert 10_000 < sum(sizes) < 120_000


# ---- variations, in and out


def test_a_move_after_undo_is_a_variation(page: Page, browser: Browser, server: Server) -> None:
    page.goto("/#/board?game=tictactoe&moves=22.11.13&x=you&o=you")
    settled(page)
    page.get_by_role("button", name="Undo").click()
    cell(page, 8).click()
    settled(page)
    assert moves_of(page) == "22.11.13%2833%29"
    others = page.locator(".variations")
    expect(others).to_contain_text("Instead of move 3: 13")
    others.get_by_role("button", name="13", exact=True).click()
    expect(cell(page, 2)).to_have_attribute("aria-label", re.compile("X"))
    expect(others).to_contain_text("Instead of move 3: 33")
    with browser.new_context(base_url=server.address) as context:
        other = context.new_page()
        other.goto(page.url)
        expect(other.locator(".variations")).to_contain_text("Instead of move 3: 33")
        expect(cell(other, 2)).to_have_attribute("aria-label", re.compile("X"))
    others.get_by_role("button", name=re.compile("Remove")).click()
    expect(others).to_have_text("")
    assert moves_of(page) == "22.11.13"


def test_lines_are_walked_by_keys(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&moves=22.11.13(33.31).12&x=you&o=you&at=0")
    strip = page.get_by_role("toolbar", name="Moves of the game")
    here = strip.locator("[aria-current=true]")
    expect(here).to_contain_text("·")
    for key, move in ((".", "22"), (".", "11"), (",", "22")):
        page.keyboard.press(key)
        expect(here).to_contain_text(move)
    here.focus()
    for key, move in (
        ("ArrowRight", "11"),
        ("ArrowRight", "13"),
        ("ArrowDown", "33"),
        ("ArrowRight", "31"),
        ("Home", "·"),
    ):
        page.keyboard.press(key)
        expect(here).to_contain_text(move)
        expect(here).to_be_focused()


@pytest.mark.parametrize("text", ["12,24,43", "1. 12 24 2. 43", "b1 d2 c4", "12 24 43", "12.24.43", "1.12 24 2.43"])
def test_moves_are_read_in_any_usual_form(page: Page, text: str) -> None:
    page.goto("/#/board?game=squava&moves=33&x=you&o=you")
    card = page.get_by_role("region", name="Share and save")
    card.get_by_text("Paste moves").first.click()
    card.get_by_label("Moves, or a record").fill(text)
    card.get_by_role("button", name="Paste moves").click()
    expect(card).to_contain_text("3 moves pasted")
    assert moves_of(page) == "12.24.43"


def test_nothing_pasted_changes_nothing(page: Page) -> None:
    page.goto("/#/board?game=squava&moves=33&x=you&o=you")
    card = page.get_by_role("region", name="Share and save")
    card.get_by_text("Paste moves").first.click()
    for text, said in (("", "nothing to paste"), ("{", "not a record"), ("12 12", "occupied"), ("99", "not a cell")):
        card.get_by_label("Moves, or a record").fill(text)
        card.get_by_role("button", name="Paste moves").click()
        expect(card).to_contain_text(said)
        assert moves_of(page) == "33"


# ---- watching


def test_two_players_are_watched(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&x=heuristic&o=random&seed=5")
    watch = page.get_by_role("group", name="Watch")
    watch.get_by_label("Pace").select_option("fastest")
    expect(page.locator(".status")).to_contain_text(re.compile("wins|draw"))
    page.get_by_role("button", name="New game").click()
    watch.get_by_role("button", name="Pause").click()
    settled(page)
    played = moves_of(page).count(".") + bool(moves_of(page))
    watch.get_by_role("button", name="Step").click()
    expect(page.locator(".strip button")).to_have_count(played + 2)
    page.wait_for_timeout(400)
    expect(page.locator(".strip button")).to_have_count(played + 2)


def test_a_recorded_game_is_watched_from_its_start(page: Page) -> None:
    page.goto("/#/board?game=tictactoe&moves=22.11.13.31.21.23.12.32.33&x=mcts&o=heuristic&at=0&watch=1")
    page.get_by_label("Pace").select_option("fastest")
    expect(page.locator(".status")).to_contain_text("A draw")
    assert moves_of(page) == "22.11.13.31.21.23.12.32.33"
    expect(page.get_by_role("region", name="Scorecard")).to_contain_text("mcts")
