"""The value network: how a position looks to the player to move, from -1 (lost) to 1 (won).

    50 -> 512 ─┬─> 512 ─> dropout ─> 512 ─(+)─> 256 ─> dropout ─> 1 ─> tanh
               └──────────────────────────┘
         each of the first three: linear, LayerNorm, ReLU;  256: linear, ELU

686,081 numbers are learnt. The last layer begins with zeros: with random ones the first steps of Adam, of one size for
every weight, drive tanh to its end, where it has no slope and nothing is learnt any more.
"""

import torch
from torch import Tensor, nn

from gridlab.nets.features import FEATURES

WIDTH, NARROW, DROPOUT = 512, 256, 0.1
PARAMETERS = 686_081


class ValueNetwork(nn.Module):
    """Features [position, 50] to values [position]."""

    def __init__(self, dropout: float = DROPOUT) -> None:
        super().__init__()
        self.input_layer, self.input_norm = nn.Linear(FEATURES, WIDTH), nn.LayerNorm(WIDTH)
        self.hidden1, self.norm1 = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.hidden2, self.norm2 = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.dropout = nn.Dropout(dropout)
        self.output_layer = nn.Sequential(
            nn.Linear(WIDTH, NARROW), nn.ELU(), nn.Dropout(dropout), last := nn.Linear(NARROW, 1), nn.Tanh()
        )
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)

    def forward(self, features: Tensor) -> Tensor:
        first = torch.relu(self.input_norm(self.input_layer(features)))
        second = self.dropout(torch.relu(self.norm1(self.hidden1(first))))
        third = torch.relu(self.norm2(self.hidden2(second))) + first
        value: Tensor = self.output_layer(third)
        return value.squeeze(-1)


def new_network(seed: int, dropout: float = DROPOUT) -> ValueNetwork:
    """A network of random weights that hang on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ValueNetwork(dropout)


def parameters_of(network: nn.Module) -> int:
    return sum(each.numel() for each in network.parameters())
