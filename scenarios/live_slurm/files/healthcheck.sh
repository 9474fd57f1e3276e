#!/bin/sh
# Run by each slurmd: takes a node out of service before a job finds that its scratch is full.
export PATH=/usr/bin:/usr/sbin
export SLURM_CONF=/box/etc/slurm/slurm.conf
node=$SLURMD_NODENAME
[ -n "$node" ] || exit 0
LIMIT_MB=2
free=$(df -Pm /box/scratch/ | awk 'NR == 2 { print $4 }')
if [ "$free" -lt "$LIMIT_MB" ]; then
    /usr/bin/scontrol update NodeName="$node" State=DRAIN Reason="healthcheck: scratch $free MB free"
fi
exit 0
