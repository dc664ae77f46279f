"""The README.md of a dataset: what it is, how much of it there is, how to read a record."""

from collections.abc import Sequence
from typing import Any

from gridlab.games.mnk.rules import Rules

CARD = """---
license: mit
pretty_name: All terminal wins of {rules}
tags: [board-games, {rules}, exact]
---
# All terminal wins of {rules}

Every position of the game {rules} (rows x columns : winning length - losing length) that has just been won: one
winner, right counts, completed by the last move. One representative of each symmetry orbit: the smallest image as a
tuple of cells from the top left, empty 0 < X 1 < O 2. {records:,} records in {layers} layers, one for each ply.

| ply | records | X wins | O wins | bytes |
|---:|---:|---:|---:|---:|
{table}

A layer file is little-endian: magic `0x54545435`, number of records (both uint32), then the records (uint64),
ascending. A record has 2 bits a cell, cell 0 (top left) lowest, row-major: 00 empty, 01 X, 10 O.

```python
import numpy as np
records = np.fromfile("{example}", dtype="<u8", offset=8)
cells = records[0] >> np.arange(0, {bits}, 2, dtype=np.uint64) & np.uint64(3)
for row in cells.reshape({rows}, {cols}):
    print(*(".XO"[int(cell)] for cell in row))
```

Sizes and SHA-256 of all files are in `manifest.json`. Made {when} by {by}: `{command}`.
"""


def is_card(text: bytes, rules: Rules) -> bool:
    """Whether a file begins as the card of a game does."""
    return text.startswith(CARD.partition("# All")[0].format(rules=rules).encode())


def card_text(rules: Rules, made: dict[str, str], layers: Sequence[dict[str, Any]]) -> str:
    table = "\n".join(
        f"| {each['ply']} | {each['records']:,} | {each['x_wins']:,} | {each['o_wins']:,} | {each['bytes']:,} |"
        for each in layers
    )
    return CARD.format(
        rules=rules,
        rows=rules.rows,
        cols=rules.cols,
        bits=2 * rules.cells,
        records=sum(each["records"] for each in layers),
        layers=len(layers),
        table=table,
        example=next((each["file"] for each in layers if each["records"]), "layer.bin"),
        **made,
    )
