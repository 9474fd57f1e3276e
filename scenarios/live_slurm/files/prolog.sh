#!/bin/sh
# Before the first step of a job on a node: its scratch has to be there.
export PATH=/usr/bin:/usr/sbin
exec >>/box/log/prolog-$SLURMD_NODENAME.log 2>&1
scratch=/box/scratch/$SLURMD_NODENAME
if [ ! -d "$scratch" ]; then
    echo "job $SLURM_JOB_ID: $scratch is not there"
    exit 1
fi
exit 0
