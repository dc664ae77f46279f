"""A bridge to engines that speak the Go Text Protocol, as many engines of five in a row do: X is black, O is white.

    command="python gtp_bridge.py my-engine --gtp" protocol=json

The engine gets `boardsize`, `clear_board`, a `play` for every stone and a `genmove`; it answers a vertex such as C3
(the columns are A, B, … without I, the rows count from the bottom), or `resign`. Square boards of up to 25 rows.
"""

import json
import subprocess
import sys

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
COLOURS = {"X": "black", "O": "white"}


class Engine:
    """A running engine."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, command: str) -> str:
        """The answer to a command: `= text`, or `? reason`, and then an empty line."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        answer = self.process.stdout.readline()
        while answer and not answer.strip():
            answer = self.process.stdout.readline()
        if not answer.startswith("="):
            sys.exit(f"the engine answers {answer.strip() or 'nothing'!r} to {command!r}")
        return answer[1:].strip()


def main() -> None:
    engine = Engine(sys.argv[1:])
    for line in sys.stdin:
        asked = json.loads(line)
        rows = asked["rows"]
        engine.ask(f"boardsize {len(rows)}")
        engine.ask("clear_board")
        for number, row in enumerate(rows):
            for column, mark in zip(COLUMNS, row, strict=False):
                if mark in COLOURS:
                    engine.ask(f"play {COLOURS[mark]} {column}{len(rows) - number}")
        answer = engine.ask(f"genmove {COLOURS[asked['to_move']]}")
        print(json.dumps(reply(answer, len(rows))), flush=True)


def reply(answer: str, size: int) -> dict[str, object]:
    """C3 on a board of 5 rows -> {"move": "33"}."""
    if answer.lower() == "resign":
        return {"resign": True}
    column, row = COLUMNS.find(answer[:1].upper()) + 1, size + 1 - int(answer[1:] or 0)
    return {"move": f"{row},{column}" if size > 9 else f"{row}{column}", "text": answer}


if __name__ == "__main__":
    main()
