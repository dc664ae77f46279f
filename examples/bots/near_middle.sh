#!/bin/sh
# The free cell nearest the middle, by shell and awk alone: a line in, "5x5:4-3 X..../...../...../...../.....", a line out, "33".
while read -r rules board; do
    echo "$board" | tr / '\n' | awk '
        { cols = length($0); for (col = 1; col <= cols; col++) if (substr($0, col, 1) == ".") free[NR, col] = 1 }
        END {
            for (place in free) {
                split(place, at, SUBSEP)
                far = (2 * at[1] - NR - 1) ^ 2 + (2 * at[2] - cols - 1) ^ 2 + (at[1] * cols + at[2]) / 10000
                if (best == "" || far < best) { best = far; row = at[1]; column = at[2] }
            }
            print row (NR > 9 || cols > 9 ? "," : "") column
        }'
done
