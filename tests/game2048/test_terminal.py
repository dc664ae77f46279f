"""2048 in the terminal: scripted commands through the loop, keys, and a real terminal."""

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from gridlab.arena.terminal import command_of
from gridlab.game2048.players import ExpectimaxPlayer
from gridlab.game2048.position import Position2048
from gridlab.game2048.rules import Rules2048
from gridlab.game2048.terminal import HELP, SHORT, play_game

SMALL = Rules2048(2, 2)


class Evening:
    """What was typed at a table, and what it said."""

    def __init__(self, *typed: str, rules: Rules2048 = SMALL, seed: int = 0) -> None:
        self.typed = list(typed)
        self.said: list[str] = []
        self.rules, self.seed = rules, seed
        play_game(rules, ExpectimaxPlayer(rules, depth=2), self.ask, self.said.append, np.random.default_rng(seed))

    def ask(self, prompt: str) -> str:
        self.said.append(prompt)
        if not self.typed:
            raise EOFError
        return self.typed.pop(0)

    @property
    def start(self) -> Position2048:
        return Position2048.start(np.random.default_rng(self.seed), self.rules)

    @property
    def boards(self) -> list[str]:
        return [text for text in self.said if " points, largest tile " in text]


def test_a_game_begins_and_the_end_of_input_leaves() -> None:
    evening = Evening()
    assert evening.said[0] == "2048:2x2; arrow keys or words move, help lists the commands"
    assert evening.said[1].startswith(evening.start.draw())
    assert evening.said[2:] == ["move: ", "", "goodbye"]


@pytest.mark.parametrize("words", [("up", "w"), ("down", "s"), ("left", "a"), ("right", "d")])
def test_words_and_letters_move(words: tuple[str, str]) -> None:
    by_word, by_letter = (Evening(word, rules=Rules2048(), seed=3) for word in words)
    assert by_word.said == by_letter.said
    legal = words[0] in by_word.start.moves()
    assert len(by_word.boards) == (2 if legal else 1)
    if legal:
        after = by_word.start.play(words[0])
        assert sum(tile > 0 for tile in after.tiles) + 1 == sum(text.isdigit() for text in tiles_of(by_word.boards[1]))


def tiles_of(board: str) -> list[str]:
    return " ".join(board.splitlines()[:-1]).split()


def test_a_move_that_changes_nothing_says_which_do() -> None:
    rules = Rules2048()
    starts = (Position2048.start(np.random.default_rng(seed), rules) for seed in range(1000))
    seed = next(seed for seed, start in enumerate(starts) if start.moves() == ["down", "right"])
    evening = Evening("up", "left", rules=rules, seed=seed)
    assert evening.said[3] == "up changes nothing; down, right does"
    assert evening.said[5] == "left changes nothing; down, right does"
    assert len(evening.boards) == 1


def test_undo_goes_back_to_the_beginning_and_no_further() -> None:
    evening = Evening("auto 2", "undo", "u", "undo", "quit", rules=Rules2048(3, 3))
    assert len(evening.boards) == 4
    assert evening.boards[-1] == evening.boards[0]
    assert evening.said[-3:] == ["there is no move to take back", "move: ", "goodbye"]


def test_hint_and_values_agree() -> None:
    evening = Evening("hint", "values", rules=Rules2048(3, 3))
    player = ExpectimaxPlayer(Rules2048(3, 3), depth=2)
    values = player.values(evening.start, np.random.default_rng(0))
    best = max(values, key=values.__getitem__)
    assert f"the best move is {best}" in evening.said
    shown = [text for text in evening.said if text.split(" ")[0] in ("up", "down", "left", "right")]
    assert [text.split()[0] for text in shown] == ["up", "down", "left", "right"]
    assert [text.split()[0] for text in shown if "[" in text] == [best]
    assert all(f"{value:,.1f}" in " ".join(shown) for value in values.values())


def test_autoplay_to_the_end() -> None:
    evening = Evening("auto", "hint", "values", "left", "undo", "new", "q")
    assert "and the game is over" in evening.boards[1]
    assert evening.said.count("the game is over: there is no move left") == 2
    assert "left changes nothing; the game is over, no direction does" in evening.said
    assert "over: undo, new or quit: " in evening.said
    assert "and the game is over" not in evening.boards[2]
    assert len(evening.boards) == 4


def test_help_names_every_key() -> None:
    assert HELP in Evening("help").said
    assert HELP in Evening("?").said
    assert all(f" {key} " in f"{HELP} ".replace("\n", " ") for key in SHORT)


@pytest.mark.parametrize("typed", ["castle", "", "auto x", "auto -1", "left now"])
def test_what_is_no_command_gets_one_sentence(typed: str) -> None:
    evening = Evening(typed)
    assert len(evening.boards) == 1
    assert any("help lists them" in text or "is not a number of moves" in text for text in evening.said)


def test_control_c_says_goodbye_and_is_passed_up() -> None:
    said: list[str] = []

    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_game(SMALL, ExpectimaxPlayer(SMALL, depth=1), interrupted, said.append, np.random.default_rng(0))
    assert said[-1] == "\ngoodbye"


def typed(text: str) -> Callable[[float | None], str]:
    keys = list(text)
    return lambda seconds: keys.pop(0) if keys else ""


@pytest.mark.parametrize(
    ("keys", "command"),
    [("\x1b[A", "up"), ("\x1b[B", "down"), ("\x1b[C", "right"), ("\x1bOD", "left"), ("u", "u"), ("\x1b", "unknown key"),
     ("\x1b[Z", "unknown key"), ("\x1bx", "unknown key")],
)  # fmt: skip
def test_keys(keys: str, command: str) -> None:
    assert command_of(typed(keys)) == command


@pytest.mark.parametrize("keys", ["", "\x04"])
def test_the_end_of_the_keys(keys: str) -> None:
    with pytest.raises(EOFError):
        command_of(typed(keys))


# ---- real terminals


@pytest.mark.compiled
def test_a_real_terminal() -> None:
    """Arrow keys, undo and quit, one key each; the terminal is as it was afterwards."""
    keyboard, terminal = pty.openpty()
    command = [sys.executable, "-m", "gridlab", "play", "2048", "--seed", "5"]
    environment = os.environ | {"TERM": "xterm"}
    game = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
    try:
        shown = [read_until(keyboard, "move: ", 60)]
        for keys in ["\x1b[D", "\x1b[B", "u", "u", "v", "h", "q"]:
            os.write(keyboard, keys.encode())
            shown.append(read_until(keyboard, "goodbye" if keys == "q" else "move: ", 60))
        assert game.wait(10) == 0
    finally:
        game.kill()
        game.wait()
        os.close(keyboard)
        os.close(terminal)
    start, left, down, once, twice, values, hint, _ = shown
    assert left.startswith("left\r\n")
    assert down.startswith("down\r\n")
    assert once.replace("u\r\n", "", 1) == left.replace("left\r\n", "", 1)
    assert twice.replace("u\r\n", "", 1) in start
    assert values.count("[") == 1
    assert "the best move is " in hint


def read_until(keyboard: int, ending: str, seconds: float) -> str:
    """What a terminal shows up to and with an ending."""
    shown, end = "", time.monotonic() + seconds
    while ending not in shown:
        assert select.select([keyboard], [], [], max(0, end - time.monotonic()))[0], f"{ending!r} not in {shown!r}"
        shown += os.read(keyboard, 1000).decode()
    return shown


@pytest.mark.compiled
@pytest.mark.parametrize("redirection", ["</dev/null", "<&-"])
def test_the_end_of_input_leaves_cleanly(redirection: str) -> None:
    shell = ["sh", "-c", f'exec "$0" -m gridlab play 2048 --seed 1 {redirection}', sys.executable]
    ended = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.replace("compiling, first run only\n", "")) == (0, "")
    assert ended.stdout.endswith("goodbye\n")
