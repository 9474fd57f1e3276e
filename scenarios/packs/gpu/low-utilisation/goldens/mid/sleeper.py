"""The shipped program with a rest after each step: slower, and otherwise the same."""

from __future__ import annotations

import time

import numpy as np
import torch
import torch.nn.functional as F

import task


def load(plan, number, dx, dy, flip, gain):
    """One record from the file, changed as it was drawn, and its label."""
    size, side = task.record_size(plan), plan.side
    with open(task.SHARD, "rb") as file:
        file.seek(int(number) * size)
        raw = np.frombuffer(file.read(size), dtype=np.uint8)
    image = np.zeros((side, side))
    pairs = raw[1:].reshape(side, side // 2)
    image[:, 0::2] = pairs >> 4
    image[:, 1::2] = pairs & 15
    image = np.pad(image, 2)[2 - dy : 2 - dy + side, 2 - dx : 2 - dx + side]
    if flip:
        image = image[:, ::-1]
    image = image * gain
    image = (image - image.mean()) / (image.std() + 1e-3)
    return image.flatten().tolist(), int(raw[0])


def train_step(plan, model, optimiser, samples):
    """One update from a batch, in micro-batches so that activations stay small. Returns the loss."""
    parts = [samples[at : at + plan.micro] for at in range(0, len(samples), plan.micro)]
    optimiser.zero_grad()
    total = 0.0
    for part in parts:
        pixels = torch.tensor([pixels for pixels, _ in part]).to(task.DEVICE)
        labels = torch.tensor([label for _, label in part]).to(task.DEVICE)
        loss = F.cross_entropy(model(pixels), labels) / len(parts)
        loss.backward()
        if task.DEVICE.type == "cuda":
            torch.cuda.synchronize()
        total += loss.item()
    optimiser.step()
    return total


def main():
    plan = task.begin()
    model = task.build(plan)
    optimiser = torch.optim.SGD(model.parameters(), lr=plan.rate, momentum=plan.momentum)
    step, epoch = 0, 0
    while step < plan.steps:
        order, dx, dy, flip, gain = task.draws(plan, epoch)
        for at in range(0, plan.records, plan.batch):
            if step == plan.steps:
                break
            samples = [
                load(plan, order[n], dx[n], dy[n], flip[n], gain[n])
                for n in range(at, min(at + plan.batch, plan.records))
            ]
            loss = train_step(plan, model, optimiser, samples)
            print(f"epoch {epoch} step {step} loss {loss:.4f}", flush=True)
            task.report(step, [loss])
            time.sleep(0.01)
            step += 1
        epoch += 1
    task.finish(plan, model)


if __name__ == "__main__":
    main()
