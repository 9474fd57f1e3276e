"""The shipped program with a rest after each step: slower, and otherwise the same."""

from __future__ import annotations

import time

import numpy as np
import torch
import torch.nn.functional as F

import task


def load(plan, number, dx, dy, flip, gain):
    """One record from the file, changed as it was drawn, as a tensor on the device, and its label."""
    size, side = task.record_size(plan), plan.side
    with open(task.SHARD, "rb") as file:
        file.seek(int(number) * size)
        raw = np.frombuffer(file.read(size), dtype=np.uint8)
    image = np.zeros((side, side))
    pairs = raw[1:].reshape(side, side // 2)
    image[:, 0::2] = pairs >> 4
    image[:, 1::2] = pairs & 15
    moved = np.zeros((side, side))
    for row in range(side):
        source = row - dy
        if 0 <= source < side:
            moved[row, max(0, dx) : side + min(0, dx)] = image[source, max(0, -dx) : side + min(0, -dx)]
    if flip:
        moved = moved[:, ::-1]
    moved = moved * gain
    moved = (moved - moved.mean()) / (moved.std() + 1e-3)
    pixels = torch.tensor(moved.flatten(), dtype=torch.float32).to(task.DEVICE)
    return pixels, torch.tensor(int(raw[0])).to(task.DEVICE)


def main():
    plan = task.begin()
    model = task.build(plan)
    optimiser = torch.optim.SGD(model.parameters(), lr=plan.rate, momentum=plan.momentum)
    step, epoch, losses = 0, 0, []
    while step < plan.steps:
        order, dx, dy, flip, gain = task.draws(plan, epoch)
        for at in range(0, plan.records, plan.batch):
            if step == plan.steps:
                break
            samples = [
                load(plan, order[n], dx[n], dy[n], flip[n], gain[n])
                for n in range(at, min(at + plan.batch, plan.records))
            ]
            pixels = torch.stack([pixels for pixels, _ in samples])
            labels = torch.stack([label for _, label in samples])
            loss = F.cross_entropy(model(pixels), labels)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.detach())
            time.sleep(0.01)
            step += 1
        epoch += 1
    task.report(0, torch.stack(losses).tolist())
    task.finish(plan, model)


if __name__ == "__main__":
    main()
