"""SciPy's cKDTree on uniform points, for bench/index.c: build, radius, nearest in us."""
import time
import numpy as np
from scipy.spatial import cKDTree

for count in 2000, 100000, 1000000:
    rng = np.random.default_rng(11)
    points = rng.random((count, 2)) * 1000
    centres = rng.random((10000, 2)) * 1000
    radius = (32e6 / (np.pi * count)) ** 0.5
    took = {"build": [], "radius": [], "nearest": []}
    for _ in range(3):
        begin = time.process_time()
        tree = cKDTree(points)
        built = time.process_time()
        tree.query_ball_point(centres, radius, return_length=True)
        asked = time.process_time()
        tree.query(centres, 1)
        end = time.process_time()
        took["build"].append(built - begin)
        took["radius"].append((asked - built) / len(centres))
        took["nearest"].append((end - asked) / len(centres))
    print(f"# {count} uniform, cKDTree: " + ", ".join(
        f"{task} {sorted(s)[1] * 1e6:.3g} us" for task, s in took.items()))
