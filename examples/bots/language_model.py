"""A language model as a player, over any endpoint that speaks the chat protocol of OpenAI; the standard library alone.

    export OPENAI_BASE_URL=http://localhost:8000/v1 OPENAI_MODEL=my-model OPENAI_API_KEY=…
    gridlab exam sit squava-v1 'command="python language_model.py" protocol=json seconds=120 retries=2' -o answers.jsonl

The model hears the rules in words, the board and the legal moves, and ends its answer with `move: 33`. A wrong move is
given back to it with the reason. Too many requests and troubles of the server are tried again for as long as there is
time. What it wrote and the tokens it took go into the record.
"""

import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from typing import Any

SYSTEM = "You play a board game. Think briefly. End your answer with one line: move: and one of the legal moves."
PASSING = (408, 409, 429, 500, 502, 503, 504)  # troubles that may be over in a moment


def question(asked: dict[str, Any]) -> str:
    board = "\n".join(row if isinstance(row, str) else "\t".join(map(str, row)) for row in asked["rows"])
    so_far = f"\nMoves so far: {' '.join(asked['moves'])}" if asked["moves"] else ""
    return (
        f"{asked['words']}\n\nThe board, a dot or 0 is an empty cell:\n{board}\n\nTo move: {asked['to_move']}{so_far}\n"
        f"Legal moves: {' '.join(asked['legal'])}"
    )


def complete(messages: list[dict[str, str]], seconds: float) -> dict[str, Any]:
    """The answer of the endpoint; RuntimeError with the reason if there is none in time."""
    address = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/") + "/chat/completions"
    body = {"model": os.environ.get("OPENAI_MODEL", "gpt-4o-mini"), "messages": messages}
    head = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"}
    late, pause = time.monotonic() + seconds, 0.5
    while True:
        request = urllib.request.Request(address, json.dumps(body).encode(), head)
        try:
            with urllib.request.urlopen(request, timeout=max(0.1, late - time.monotonic())) as response:
                found: dict[str, Any] = json.load(response)
                return found
        except urllib.error.HTTPError as error:
            reason, passing = f"HTTP {error.code}: {error.read(300).decode(errors='replace')}", error.code in PASSING
        except (OSError, ValueError) as error:
            reason, passing = str(error), True
        if not passing or time.monotonic() + pause > late:
            raise RuntimeError(reason)
        time.sleep(pause)
        pause *= 2


def move_of(text: str, legal: list[str]) -> str | None:
    """The move that a text ends with: after `move:`, else the last legal one that it names."""
    said = re.findall(r"move\W{0,5}(\d+\s*,\s*\d+|\w+)", text, re.IGNORECASE)
    if said:
        return re.sub(r"\s", "", said[-1]).lower()
    named = [word for word in re.findall(r"\d+,\d+|\w+", text.lower()) if word in legal]
    return named[-1] if named else None


def main() -> None:
    messages: list[dict[str, str]] = []
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["try"] == 1:
            messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question(asked)}]
        else:
            messages.append({"role": "user", "content": f"That was no legal move: {asked['error']}. Try again."})
        try:
            found = complete(messages, 0.9 * asked["seconds"])
            text = found["choices"][0]["message"]["content"] or ""
            tokens = (found.get("usage") or {}).get("total_tokens")
            reply = {"move": move_of(text, asked["legal"]), "text": text, "tokens": tokens}
            messages.append({"role": "assistant", "content": text})
        except (RuntimeError, LookupError, TypeError) as error:
            reply = {"move": None, "text": f"the endpoint gave no answer: {error}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
