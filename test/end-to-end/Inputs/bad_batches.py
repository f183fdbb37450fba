"""Writes damaged variants of a batch of the MLP: usage: bad_batches.py batch.npz DIR."""
import sys

import numpy as np

source, folder = sys.argv[1:]
good = dict(np.load(source))


def write(name, **changes):
    arrays = {**good, **changes}
    np.savez(f"{folder}/{name}.npz", **{key: value for key, value in arrays.items() if value is not None})


def changed(key, value):
    array = good[key].copy()
    array[(3,) + (0,) * (array.ndim - 1)] = value
    return array


write("good")
write("name", labels=None, lables=good["labels"])
write("type", labels=good["labels"].astype(np.float32))
write("shape", x=good["x"][:, :63])
write("rows", x=good["x"][:15])
write("label", labels=changed("labels", 10))
write("nan", x=changed("x", np.nan))
write("infinity", x=changed("x", -np.inf))
with open(f"{folder}/good.npz", "rb") as whole, open(f"{folder}/truncated.npz", "wb") as cut:
    cut.write(whole.read()[:-100])
np.save(f"{folder}/x.npy", good["x"])
np.save(f"{folder}/labels.npy", good["labels"])
with open(f"{folder}/x.npy", "rb") as whole, open(f"{folder}/truncated.npy", "wb") as cut:
    cut.write(whole.read()[:-1])
