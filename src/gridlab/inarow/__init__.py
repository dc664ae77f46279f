"""In-a-row games: rows × cols boards, a length that wins, optionally a length that loses."""
