"""What `gridlab warm` runs: the one list to extend when commands come to need new kernels.

Which kernels commands need is found by running them, on the smallest inputs that reach them all. Commands of one job
share kernels. Seconds are of CPU, as benchmarks/startup.py prints them, of a job when its turn comes, the longest
first: one that only adds a little to a long one finds its work done.
"""

from gridlab.core.warming import WarmJob

JOBS = (
    WarmJob("2048 solved", 15, (
        "tablebase build 2048:2x2 -o t.tb --workers 1",
        "tablebase verify t.tb --full --workers 1",
        "tablebase stats t.tb",
        "tablebase probe t.tb '2 ./. 2'",
        "2048 evaluate 'perfect tablebase=t.tb' --rules 2048:2x2 --games 1",
        "grade random 'expectimax depth=2' perfect --game 2048:2x2 --tablebase t.tb --positions 4 --whole",
    )),
    WarmJob("tablebases", 11, (
        "tablebase build tictactoe -o t.tb --workers 1",
        "tablebase verify t.tb --full --workers 1",
        "tablebase stats t.tb",
        "tablebase build 2x4:3 -o even.tb --workers 1",
        "tablebase verify even.tb --workers 1",
    )),
    WarmJob("learning", 13, (
        "train inspect X..../...../...../...../..... --depth 3",
        "match dqn 'dqn-minimax depth=2' --game squava --games 2",
        "train squava --preset best --episodes 1 --out best",
        "train squava --preset guide --episodes 1 --out guide",
    ), needs=("torch", "safetensors")),
    WarmJob("2048 datasets", 8, (
        "2048 generate -g 1 -d 4 --max-moves 20 --seed 1 -o games.jsonl",
        "2048 generate -g 1 -d 2 --max-moves 20 --seed 1 --metadata -o detailed.jsonl",
        "2048 verify detailed.jsonl --max-moves 20",
        "2048 stats games.jsonl",
        "2048 split games.jsonl",
        "2048 export games.jsonl --format csv",
        "2048 export games.jsonl --format json",
        "2048 verify games.json --max-moves 20",
    )),
    WarmJob("forced wins", 6, ("solve 4x4:3 --prove", "best-first start --forced")),
    WarmJob("terminals", 6, (
        "terminals build tictactoe -o wins --workers 1",
        "terminals verify wins --full --workers 1",
        "terminals verify wins --sample 10 --workers 1",
        "terminals show wins 5",
        "terminals contains wins XXX/OO./...",
        "terminals export wins --format csv -o wins.csv --workers 1",
        "terminals find wins --winner x --workers 1",
        "terminals adopt bare --game 1x2:1 --workers 1",
        "terminals merge wins -o merged",
    )),
    WarmJob("alpha-beta", 3.5, (
        "solve tictactoe --search-only",
        "solve tictactoe --search-only --value-only",
        "match heuristic 'alpha-beta depth=3' --game tictactoe --games 2 --out games.jsonl",
        "games verify games.jsonl",
    )),
    WarmJob("2048 games", 2, (
        "2048 evaluate 'expectimax depth=3' --games 1",
        "2048 evaluate random --games 1",
        "2048 evaluate 'mcts playouts=4' --games 1",
        "play 2048 --seed 1",
        "play 2048 --seed 1 --against 'mcts playouts=4'",
    )),
    WarmJob("n-tuple networks", 9, (
        "train 2048 --games 20 --tuples 5x4 --workers 1 -o small.ntuple",
        "2048 evaluate 'ntuple file=small.ntuple' --games 1",
        "2048 evaluate 'expectimax evaluator=ntuple:small.ntuple depth=3' --games 1",
        "play 2048 --seed 1 --against 'ntuple file=small.ntuple'",
        "play 2048 --seed 1 --against 'expectimax evaluator=ntuple:small.ntuple depth=3'",
    )),
    WarmJob("2048 networks", 4, (
        "2048 generate -g 8 -d 2 --max-moves 20 --seed 1 -o games.jsonl",
        "train 2048 --method dual --data games.jsonl --epochs 1 --setting width=8 --workers 1 -o small.dual",
        "2048 evaluate 'dual checkpoint=small.dual' --games 1",
        "2048 evaluate 'expectimax evaluator=dual:small.dual depth=2' --games 1",
        "play 2048 --seed 1 --against 'mcts playouts=4 checkpoint=small.dual'",
    ), needs=("torch", "safetensors")),
    WarmJob("2048 deep", 3.3, (
        "2048 generate -g 1 -d 5 --evaluator rows --max-moves 20 --seed 1 -o deep.jsonl",
        "play 2048 --seed 1 --against 'expectimax depth=5'",
    )),
    WarmJob("mcts", 3, (
        "match 'mcts playouts=50' 'mcts playouts=50 proofs=0 careful=0' --game tictactoe --games 2",
        "match mcts best-first --game tictactoe --games 2",
    )),
    WarmJob("census", 1, (
        "census tictactoe --workers 1",
        "states tictactoe -o all.csv --workers 1",
        "states tictactoe --canonical -o canonical.csv --workers 1",
    )),
    WarmJob("probes", 0.2, ("tablebase probe squava X..../...../...../...../.....",)),
    WarmJob("grades", 0.3, (
        "tablebase build tictactoe -o t.tb --workers 1",
        "grade random perfect --game tictactoe --positions 4",
        "grade perfect --game tictactoe --tablebase t.tb --positions 4",
        "play tictactoe --side o",
        "exam make tictactoe --positions 20 -o exam.jsonl",
        "exam make 2048:2x2 --positions 5 -o exam2048.jsonl",
        "exam sit exam.jsonl random -o answers.jsonl --workers 1",
        "exam mark exam.jsonl answers.jsonl",
    )),
    WarmJob("labelled positions", 0.6, (
        "tablebase build tictactoe -o t.tb --workers 1",
        "tablebase sample t.tb --positions 100 -o sample.parquet",
        "tablebase export t.tb --positions 100 -o positions",
    ), needs=("pyarrow",)),
    WarmJob("terminals as Parquet and HDF5", 0.5, (
        "terminals build tictactoe -o wins --workers 1",
        "terminals export wins --format parquet -o wins.parquet --workers 1",
        "terminals export wins --format hdf5 -o wins.h5 --workers 1",
    ), needs=("pyarrow", "h5py")),
    WarmJob("2048 as Parquet, HDF5 and NPZ", 0.6, (
        "2048 generate -g 1 -d 2 --max-moves 20 --seed 1 -o games.jsonl",
        "2048 export games.jsonl --format npz -o games.npz",
        "2048 export games.npz --format json -o games.json",
        "2048 export games.jsonl --format parquet -o games.parquet",
        "2048 verify games.parquet --max-moves 20",
        "2048 export games.jsonl --format hdf5 -o games.h5",
        "2048 verify games.h5 --max-moves 20",
    ), needs=("pyarrow", "h5py")),
)  # fmt: skip
TOUR = {job.name for job in JOBS if not set(job.needs) & {"pyarrow", "h5py"}} - {"2048 deep"}  # what the tour needs
