"""The exact squared distance of every centre of a cell from the nearest solid, in half cells.

Along an axis, the distance from a centre to a cube d cells away is |2d| - 1 half cells, or none in
the same cell: that to the nearer face of the cube. Rows, columns and layers are transformed one
after the other, each by the lower envelope of the parabolas that rise from its cells (Felzenszwalb,
Huttenlocher, "Distance transforms of sampled functions", 2012), evaluated at the two faces of each
cell instead of its centre.
"""

import numpy as np

from noctule.core.jit import kernel


@kernel
def distances_in_rows(free3, counted, distance):
    """Write the squared distances along the last axis only; the border counts as solid."""
    na, nb, nc = distance.shape
    for a in range(na):
        for b in range(nb):
            s = counted.first + a * counted.step_a + b * counted.step_b
            row, n = distance[a, b], 0
            for c in range(nc):
                n = n + 1 if free3[s + c * counted.step_c] & 2 else 0
                row[c] = n
            n = 0
            for c in range(nc - 1, -1, -1):
                n = min(n + 1, np.int64(row[c]))
                row[c] = (2 * n - 1) ** 2 if n > 0 else 0


@kernel
def distances_along_columns(table, values, place, since):
    """Extend squared distances by steps along the columns of a table, from border to border.

    The parabola of cell i is its value and (u - 2i)^2 more, where u counts half cells. `place`
    lists the cells whose parabolas are the lowest of all somewhere, and `since` from which u on.
    """
    n, columns = table.shape
    for column in range(columns):
        last = -1
        for i in range(n):
            values[i] = table[i, column]
            u = -1
            while last >= 0:
                j = place[last]
                more = values[i] - values[j] + 4 * (i * i - j * j)
                u = -(-more // (4 * (i - j)))  # the lowest that is not below it
                if u > since[last]:
                    break
                last -= 1
            if last < 0:
                u = -1
            last += 1
            place[last], since[last] = i, u
        k, below = 0, values[place[0]] + (1 + 2 * place[0]) ** 2  # at the lower face
        for i in range(n):
            u = 2 * i + 1
            while k < last and since[k + 1] <= u:
                k += 1
            above = values[place[k]] + (u - 2 * place[k]) ** 2
            border = min(u, 2 * n - u) ** 2
            table[i, column] = min(values[i], below, above, border)
            below = above
