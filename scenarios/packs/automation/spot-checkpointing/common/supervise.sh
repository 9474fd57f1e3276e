#!/bin/bash
# supervise.sh - keep the fine-tuning running on spot
# crontab on mgmt-1:  */10 * * * *  /opt/ops/supervise.sh >>/tmp/supervise.out 2>&1
# 2025-03  first version, one zone only because the others need a new subnet (rs)
# 2025-06  go one checkpoint back when latest does not load (rs)
# 2025-09  kill it when the loss goes through the roof (tk)
# 2025-11  TODO verify. TODO notices: 10 minutes of cron is too slow for 2 minutes anyway?

RUN={{run}}
ZONE={{zone}}
NODES={{gang}}
KEEP=10
CKPT=/ckpt/$RUN
BACK=/tmp/$RUN.back            # how many checkpoints to go back

# are there enough nodes? dead ones do not count, but nobody removes them either
UP=$(cloudctl nodes --pool spot-$ZONE --state starting,ready --count 2>/dev/null)
if [ "${UP:-0}" -lt "$NODES" ]; then
    SIZE=$(cloudctl pool get spot-$ZONE -o size)
    cloudctl pool set spot-$ZONE --size $((SIZE + NODES - UP))
fi

STATE=$(trainctl status $RUN -o state)
REASON=$(trainctl status $RUN -o reason)

# diverged? then stop it here, the next round starts one further back
LOSS=$(trainctl status $RUN -o loss)
[ "$STATE" = training ] && [ "${LOSS%.*}" -ge 4 ] && trainctl stop $RUN && exit 0

if [ "$STATE" = stopped ]; then
    FREE=$(cloudctl nodes --pool spot-$ZONE --state ready --idle -o name | head -$NODES)
    [ "$(echo $FREE | wc -w)" -lt "$NODES" ] && exit 0

    if [ "$REASON" = "join timeout" ] && [ ! -e /tmp/$RUN.fresh ]; then
        # they do not find each other: new nodes, new luck
        touch /tmp/$RUN.fresh; for n in $FREE; do cloudctl node release $n; done; exit 0
    fi
    rm -f /tmp/$RUN.fresh

    FROM=$(cat $CKPT/latest)
    case "$REASON" in
        "load failed"|"stopped") B=$(( $(cat $BACK) + 1 )) ;;
        *) B=0 ;;
    esac
    echo $B > $BACK
    [ $B -gt 0 ] && FROM=$(ls -1tr $CKPT | grep -v latest | tail -$((B + 1)) | head -1)

    # save every 1,000 steps as in the example of the framework
    trainctl launch $RUN --nodes $FREE --resume "$FROM" --save-every 1000 --save-mode sync
fi

# keep the newest ten, they are big
ls -1tr $CKPT | grep -v latest | head -n -$KEEP | head -1 | xargs -r -I{} rm -rf $CKPT/{}
