#!/bin/bash
# autoscale.sh REGION - scale the on-demand pool of a region by queue length
# crontab on mgmt-1:  */5 * * * *  /opt/ops/autoscale.sh oslo   >/dev/null 2>&1
#                     */5 * * * *  /opt/ops/autoscale.sh dublin >/dev/null 2>&1
# 2023-02  first version (dh)
# 2024-05  do not touch before the migration!! (mk)
# 2025-01  second region: same script, runs twice (dh)

REGION=$1
CLOUD_TOKEN=$(cat /home/dh/.cloudtoken)
POOL=$REGION-ondemand
MIN=1
case $REGION in
    oslo)   MAX={{oslo_ondemand_max}} ;;
    dublin) MAX={{dublin_ondemand_max}} ;;
esac
STATE=/tmp/autoscale.count

# how many jobs are waiting?
WAITING=$(squeue --states=PENDING --noheader 2>/dev/null | wc -l)

# how many nodes do we have?
SIZE=$(curl -s -H "Authorization: Bearer $CLOUD_TOKEN" \
        "https://cloud.example/v1/pools/$POOL" | jq -r .size 2>/dev/null)
[ -z "$SIZE" ] && SIZE=$(cat $STATE)

if [ "$WAITING" -gt 5 ]; then
    NEW=$((SIZE + 1))
elif [ "$WAITING" -eq 0 ]; then
    # queue empty, save money
    NEW=$((SIZE - 1))
else
    exit 0
fi

[ "$NEW" -gt "$MAX" ] && NEW=$MAX
[ "$NEW" -lt "$MIN" ] && NEW=$MIN

# --force: otherwise it sometimes refuses because the pool is "busy"
curl -s -X PUT -H "Authorization: Bearer $CLOUD_TOKEN" \
     -d "{\"size\": $NEW, \"force\": true}" \
     "https://cloud.example/v1/pools/$POOL" >/dev/null

echo $NEW > $STATE

# TEMP spot is off since the two lost trainings in March, see chat
exit 0
