"""The web lab under load: fifty clients, one request a second each, for a minute, on the same cores as the server.

python benchmarks/web.py                   the claim: no error, 95 % of the answers within 300 ms
python benchmarks/web.py --seconds 10      a short look

Each client walks through games of its own: positions, exact values that are known at once, moves of players. The second
run is the same with one more client, who asks for the value of a position that takes minutes.
"""

import argparse
import asyncio
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import numpy as np

from gridlab import Position
from gridlab import game as find_game

CLIENTS = 50
GAMES = ("tictactoe", "4x4:3", "squava")
HARD = {"game": "6x6:5", "board": "", "seconds": 300}
LIMIT = 0.3  # seconds


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
        answer = await client.post("/game/reply", json=body)
        answer.raise_for_status()
        state = answer.json()
        return [] if state["position"]["over"] or len(state["moves"]) > 5 else list(state["moves"])
    if chance.random() < 0.5:
        answer = await client.post("/review", json={"game": game, "moves": moves})
    else:
        answer = await client.get("/values", params={"game": game, "board": board_of(game, moves)})
    answer.raise_for_status()
    return moves


def board_of(text: str, moves: list[str]) -> str:
    position = Position(find_game(text, "mnk"))
    for move in moves:
        position = position.play(move)
    return str(position)


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


async def listen(client: httpx.AsyncClient) -> None:
    """The client with the hard question, who stays until the answer comes."""
    job = (await client.post("/jobs/solve", json=HARD)).json()
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


if __name__ == "__main__":
    main()
