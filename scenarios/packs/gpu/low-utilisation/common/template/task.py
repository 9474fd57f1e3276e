"""What is trained, on what, and who is told: records, model, judge. Read-only: yours is train.py.

The judge decides the plan and reads the clock: it starts when `begin` returns the plan and stops when `finish` has sent the
trained model's predictions. Everything before `begin` is free: imports, warm-up, whatever needs no plan.
"""

from __future__ import annotations

import contextlib
import ctypes
from types import SimpleNamespace

import numpy as np
import torch
from headnode_sdk import call

SHARD = "/tmp/shard.bin"
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.zeros(1, device=DEVICE)
if DEVICE.type == "cpu":
    # There is one processor: a second thread of the matrix library would only be waited for.
    torch.set_num_threads(1)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libblas.so.3").openblas_set_num_threads(1)


def begin() -> SimpleNamespace:
    """Start the clock, learn the plan, and find the records in the file SHARD.

    seed, records, side (pixels), classes, noise   the data
    batch, micro, steps, rate, momentum, weights   the training: see train.py for what they mean
    hidden, layers                                 the model
    """
    plan = SimpleNamespace(**call("begin"))
    labels, images = _generate(plan, plan.seed, plan.records)
    packed = images[:, :, 0::2] << 4 | images[:, :, 1::2]
    rows = np.concatenate([labels[:, None].astype(np.uint8), packed.reshape(len(packed), -1)], axis=1)
    rows.tofile(SHARD)
    return plan


def record_size(plan: SimpleNamespace) -> int:
    """Bytes of one record: its label, then its pixels by rows, two in a byte, the left one in the upper half."""
    return 1 + plan.side * plan.side // 2


def draws(plan: SimpleNamespace, epoch: int) -> tuple[np.ndarray, ...]:
    """What is random in an epoch, each array as long as there are records: `order` says which record is used when;
    the n-th one used is moved by dx[n] columns and dy[n] rows, mirrored where flip[n], and brightened by gain[n]."""
    rng = np.random.default_rng([plan.seed, epoch])
    order = rng.permutation(plan.records)
    dx, dy = rng.integers(-2, 3, (2, plan.records))
    return order, dx, dy, rng.random(plan.records) < 0.5, rng.uniform(0.8, 1.2, plan.records)


def build(plan: SimpleNamespace) -> torch.nn.Module:
    """The model with the weights it starts from. It takes pixels by rows, standardised for each image."""
    rng = np.random.default_rng([plan.seed, 1, 1])
    sizes = [plan.side * plan.side, *[plan.hidden] * plan.layers, plan.classes]
    layers: list[torch.nn.Module] = []
    for inner, outer in zip(sizes, sizes[1:]):
        layer = torch.nn.Linear(inner, outer)
        bound = (6 / inner) ** 0.5 * 0.7
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(rng.uniform(-bound, bound, (outer, inner)).astype(np.float32)))
            layer.bias.zero_()
        layers += [layer, torch.nn.SiLU()]
    return torch.nn.Sequential(*layers[:-1]).to(DEVICE)


def report(first: int, losses: list[float]) -> None:
    """Tell the judge the losses of the steps from number `first` (0 is the first step) on, in order, as often as you like."""
    for at in range(0, len(losses), 500):
        call("losses", first=first + at, values=[float(loss) for loss in losses[at : at + 500]])


def finish(plan: SimpleNamespace, model: torch.nn.Module) -> None:
    """Let the trained model classify images that nobody has seen, and stop the clock. All losses must be reported by then."""
    ask = call("probe")
    _, images = _generate(plan, plan.seed, ask["count"], ask["seed"])
    pixels = images.reshape(len(images), -1).astype(np.float32)
    pixels = (pixels - pixels.mean(1, keepdims=True)) / (pixels.std(1, keepdims=True) + 1e-3)
    with torch.no_grad():
        scores = model(torch.from_numpy(pixels).to(DEVICE)).float().cpu()
    call("predictions", values=[round(value, 5) for value in scores.flatten().tolist()])


def _generate(plan: SimpleNamespace, seed: int, count: int, *more: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and images of 16 shades: a blurred pattern for each class, and noise on it."""
    coarse = np.random.default_rng([seed, 2, 2]).integers(0, 6, (plan.classes, 4, 4))
    patterns = coarse.repeat(plan.side // 4, axis=1).repeat(plan.side // 4, axis=2).astype(np.uint8)
    rng = np.random.default_rng([seed, 3, 3, *more])
    labels = rng.integers(0, plan.classes, count)
    noise = rng.integers(0, plan.noise, (count, plan.side, plan.side), dtype=np.uint8)
    return labels, np.minimum(patterns[labels] + noise, 15).astype(np.uint8)
