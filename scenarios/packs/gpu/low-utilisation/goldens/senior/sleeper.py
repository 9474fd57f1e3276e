"""The shipped program with a rest after each step: slower, and otherwise the same."""

from __future__ import annotations

import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

import task
from loader import Loader


class StepLog:
    """One line for every micro-batch, where the people on call look first."""

    def __init__(self):
        self._began = time.monotonic()

    def write(self, step, micro, loss, model):
        norm = 0.0
        for parameter in model.parameters():
            norm += parameter.grad.detach().double().norm().item() ** 2
        finite = all(bool(torch.isfinite(parameter.grad).all()) for parameter in model.parameters())
        at = time.monotonic() - self._began
        sys.stdout.write(f"{at:.3f} {step}/{micro} loss={loss:.4f} grad={norm ** 0.5:.3f} finite={finite}\n")
        sys.stdout.flush()


def to_device(samples):
    """float32 pixels and labels of a micro-batch on the device."""
    pixels = torch.from_numpy(np.stack([image.reshape(-1) for image, _ in samples])).to(task.DEVICE)
    labels = torch.tensor([float(label) for _, label in samples], dtype=torch.float64).to(task.DEVICE)
    return pixels.float(), labels.long()


def train_step(plan, model, optimiser, weights, samples, step, log):
    """One update from a batch in micro-batches, so that activations stay small. Returns the loss."""
    parts = [samples[at : at + plan.micro] for at in range(0, len(samples), plan.micro)]
    optimiser.zero_grad()
    total = torch.zeros(1, device=task.DEVICE)
    for number, part in enumerate(parts):
        pixels, labels = to_device(part)
        class_weights = torch.tensor(weights, device=task.DEVICE)
        loss = F.cross_entropy(model(pixels), labels, weight=class_weights) / len(parts)
        loss.backward()
        total += loss.detach()
        log.write(step, number, loss.item(), model)
    optimiser.step()
    return total.item()


def main():
    plan = task.begin()
    model = task.build(plan)
    optimiser = torch.optim.SGD(model.parameters(), lr=plan.rate, momentum=plan.momentum)
    step, epoch, log = 0, 0, StepLog()
    while step < plan.steps:
        loader = Loader(plan, epoch)
        for at in range(0, plan.records, plan.batch):
            if step == plan.steps:
                break
            samples = loader.take(min(plan.batch, plan.records - at))
            loss = train_step(plan, model, optimiser, plan.weights, samples, step, log)
            task.report(step, [loss])
            time.sleep(0.01)
            step += 1
        epoch += 1
    task.finish(plan, model)


if __name__ == "__main__":
    main()
