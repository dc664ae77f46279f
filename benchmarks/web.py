"""The web lab under load: fifty clients, one request a second each, for a minute, on the same cores as the server.

python benchmarks/web.py                   the claims: no error, 95 % of the answers within 300 ms; see below
python benchmarks/web.py --seconds 10      a short look

Each client walks through games of its own: positions, exact values that are known at once, moves of players. The second
run is the same with one more client, who asks for the value of a position that takes minutes. In the third, twenty
clients ask for the dearest things there are, one after the other: replies of `perfect` on boards that no search
exhausts, deep searches, exact values, long searches, grades. A twenty-first plays tic-tac-toe against `perfect`, with
values and review: 95 % of its answers within half a second. Last, every game of the menu is answered by its usual
opponent while two processes keep the cores busy: within two seconds, and it says whether the answer is exact.
"""

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import numpy as np

from gridlab import Position
from gridlab import game as find_game

CLIENTS = 50
GAMES = ("tictactoe", "4x4:3", "squava")
HARD = {"game": "6x6:5", "board": "", "seconds": 300}
LIMIT, LIMIT_BESIDE = 0.3, 0.5  # seconds
DEAR = 20  # clients
MENU = {"tictactoe": "22", "tictactoe4": "22", "tictactoe5": "33", "squava": "33"}  # a first move of each
DEAREST = (
    {"game": "5x5:5", "next": ["33"], "o": "perfect", "reply": True, "values": True, "opinion": True},
    {"game": "7x9:5", "next": ["45"], "o": "mcts playouts=200000", "reply": True},
    {"game": "6x6:5", "next": ["33"], "o": "perfect errs=0.2", "reply": True, "values": True, "review": "always"},
    {"game": "7x7:4", "next": ["44"], "o": "alpha-beta depth=9", "reply": True},
)
JOBS = (("solve", {"game": "5x5:5", "seconds": 300}), ("grade", {"game": "squava", "player": "mcts", "positions": 500}))


@contextmanager
def server() -> Iterator[str]:
    """A server of an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "gridlab", "serve", "--port", "0", "--folder", folder]
        process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found
        try:
            yield found.group(0).rstrip("/") + "/api/v1"
        finally:
            process.terminate()
            process.wait()


async def visit(client: httpx.AsyncClient, chance: random.Random, moves: list[str], game: str) -> list[str]:
    """One request of a visitor, who looks at values or lets a player move; the moves of the game after it."""
    if not moves or chance.random() < 0.5:
        body = {"game": game, "moves": moves, "x": "heuristic", "o": "random", "seed": chance.randrange(1000)}
        parts = await play(client, body | {"reply": True})
        moves = [*moves, parts["reply"]["move"]]
        return [] if parts["reply"]["position"]["over"] or len(moves) > 5 else moves
    if chance.random() < 0.5:
        answer = await client.post("/review", json={"game": game, "moves": moves})
    else:
        answer = await client.get("/values", params={"game": game, "board": board_of(game, moves)})
    answer.raise_for_status()
    return moves


async def play(client: httpx.AsyncClient, body: dict[str, Any]) -> dict[str, Any]:
    """The parts of an answer, by name."""
    answer = await client.post("/play", json=body)
    answer.raise_for_status()
    return {part["part"]: part for part in map(json.loads, answer.text.splitlines())}


def find_position(text: str, moves: list[str]) -> Position:
    position = Position(find_game(text, "mnk"))
    for move in moves:
        position = position.play(move)
    return position


def board_of(text: str, moves: list[str]) -> str:
    return str(find_position(text, moves))


async def stay(address: str, number: int, seconds: float, taken: list[float], errors: list[str]) -> None:
    """A client for so long, a visit a second."""
    chance, moves, game = random.Random(number), list[str](), GAMES[number % len(GAMES)]
    async with httpx.AsyncClient(base_url=address, timeout=30) as client:
        await asyncio.sleep(chance.random())
        end = time.monotonic() + seconds
        while (begun := time.monotonic()) < end:
            try:
                moves = await visit(client, chance, moves, game)
            except httpx.HTTPError as error:
                errors.append(repr(error))
            taken.append(time.monotonic() - begun)
            await asyncio.sleep(max(0.0, 1 - taken[-1]))


async def crowd(address: str, seconds: float, hard: bool) -> tuple[list[float], list[str]]:
    taken, errors = list[float](), list[str]()
    async with httpx.AsyncClient(base_url=address, timeout=None) as client:
        asking = asyncio.create_task(listen(client)) if hard else None
        await asyncio.sleep(1)
        await asyncio.gather(*(stay(address, number, seconds, taken, errors) for number in range(CLIENTS)))
        if asking:
            assert not asking.done(), "the hard position was not hard enough"
            asking.cancel()
    return taken, errors


async def dear(address: str, number: int, waited: list[float]) -> None:
    """A client who asks for one dear thing after the other; every fifth begins long work and listens to it."""
    async with httpx.AsyncClient(base_url=address, timeout=None) as client:
        while True:
            begun = time.monotonic()
            if number % 5 == 0:
                kind, body = JOBS[number % len(JOBS)]
                await listen(client, kind, body)
            else:
                await play(client, DEAREST[number % len(DEAREST)] | {"seed": number})
                waited.append(time.monotonic() - begun)


async def beside(address: str, seconds: float) -> tuple[list[float], list[float]]:
    """What a player of tic-tac-toe waits for a click while others ask for dear things, and what those wait."""
    waited, taken = list[float](), list[float]()
    crowd = [asyncio.create_task(dear(address, number, waited)) for number in range(DEAR)]
    await asyncio.sleep(3)
    chance, moves, end = random.Random(1), list[str](), time.monotonic() + seconds
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        while (begun := time.monotonic()) < end:
            free = find_position("tictactoe", moves).moves()
            move = Position(find_game("tictactoe")).move_text(chance.choice(free))
            body = {"game": "tictactoe", "moves": moves, "next": [move], "o": "perfect", "reply": True}
            parts = await play(client, body | {"values": True, "review": "always"})
            taken.append(time.monotonic() - begun)
            moves = [*parts["game"]["moves"], *([parts["reply"]["move"]] if "reply" in parts else [])]
            if find_position("tictactoe", moves).over:
                moves = []
            await asyncio.sleep(0.2)
    for each in crowd:
        each.cancel()
    return taken, waited


def replies(address: str) -> list[tuple[str, float, str]]:
    """Games of the menu, the seconds until their usual opponent has replied to a first move, and how; on busy cores."""
    found = []
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        for game, move in MENU.items():
            body = {"game": game, "next": [move], "o": "perfect errs=0.2", "reply": True, "seed": 1}
            begun = time.monotonic()
            with httpx.stream("POST", f"{address}/play", json=body, timeout=60) as answer:
                parts = map(json.loads, answer.iter_lines())
                reply = next(part for part in parts if part["part"] == "reply")
                found.append((game, time.monotonic() - begun, str(reply["by"])))
    finally:
        for each in busy:
            each.kill()
            each.wait()
    return found


async def listen(client: httpx.AsyncClient, kind: str = "solve", body: dict[str, Any] = HARD) -> None:
    """A client with long work, who stays until it is done."""
    answer = await client.post(f"/jobs/{kind}", json=body)
    if not answer.is_success:  # too much to do
        await asyncio.sleep(2)
        return
    job = answer.json()
    async with client.stream("GET", f"/jobs/{job['id']}/events") as events:
        async for _ in events.aiter_lines():
            pass


def main() -> None:
    parser = argparse.ArgumentParser(description="The web lab under load.")
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    with server() as address:
        asyncio.run(crowd(address, 3, hard=False))  # compiled, loaded
        for name, hard in (("fifty clients", False), ("and one hard question", True)):
            taken, errors = asyncio.run(crowd(address, seconds, hard))
            middle, late, worst = (1000 * float(np.quantile(taken, share)) for share in (0.5, 0.95, 1))
            verdict = "within" if late < 1000 * LIMIT and not errors else "BEYOND"
            print(
                f"{name}: {len(taken):,} requests in {seconds:.0f} s, {len(errors)} errors, median {middle:.0f} ms, "
                f"p95 {late:.0f} ms, worst {worst:.0f} ms: {verdict} {1000 * LIMIT:.0f} ms"
            )
            for error in errors[:3]:
                print(error)
        taken, waited = asyncio.run(beside(address, seconds))
        middle, late, worst = (1000 * float(np.quantile(taken, share)) for share in (0.5, 0.95, 1))
        verdict = "within" if late < 1000 * LIMIT_BESIDE else "BEYOND"
        print(
            f"tic-tac-toe beside {DEAR} dear clients: {len(taken):,} clicks, median {middle:.0f} ms, "
            f"p95 {late:.0f} ms, worst {worst:.0f} ms: {verdict} {1000 * LIMIT_BESIDE:.0f} ms; the others waited "
            f"{np.median(waited):.1f} s (median of {len(waited)})"
        )
        for game, taken_for_it, by in replies(address):
            print(f"a reply in {game} on busy cores: {taken_for_it:.2f} s, {by}")


if __name__ == "__main__":
    main()
