"""Exits with 0 when two reports count right images that differ by at most one, and both reach an accuracy.

usage: same_accuracy.py TRAINING_OUTPUT EVALUATION_OUTPUT LEAST_ACCURACY
"""
import pathlib
import re
import sys

ours = re.findall(r"\((\d+) of (\d+)\)", pathlib.Path(sys.argv[1]).read_text())
theirs = re.findall(r"(\d+) of (\d+) images right", pathlib.Path(sys.argv[2]).read_text())
if not ours or not theirs:
    sys.exit("a report has no count of right images")
(right, total), (right_too, total_too) = (tuple(map(int, counts[-1])) for counts in (ours, theirs))
if total != total_too or abs(right - right_too) > 1 or right < float(sys.argv[3]) * total:
    sys.exit(f"{right} of {total} images right, onnxruntime: {right_too} of {total_too}")
