"""Job scripts for the users' wiki. They are not good enough yet."""

from __future__ import annotations

TRAINING = """#!/bin/bash
#SBATCH --job-name=my-training
#SBATCH --gres=gpu:a100:1

srun python train.py
"""

INFERENCE = """#!/bin/bash
#SBATCH --job-name=my-inference
#SBATCH --gres=gpu:t4:1

srun python infer.py
"""
