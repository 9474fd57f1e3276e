#!/bin/bash
# autoscale.sh - scale the pool by queue length
# crontab on mgmt-1:  */5 * * * *  /opt/ops/autoscale.sh >/dev/null 2>&1
# 2023-02  first version (dh)
# 2024-05  no scale-down by day, too many complaints (mk)
# 2024-09  5 was too nervous, 12 (dh)

CLOUD_TOKEN=$(cat /home/dh/.cloudtoken)
POOL=ondemand
MAX={{ondemand_max}}
MIN={{ondemand_min}}
STATE=/tmp/autoscale.count
HOUR=$(date +%-H)

# how many jobs are waiting?
WAITING=$(squeue --states=PENDING --noheader 2>/dev/null | wc -l)

# how many nodes do we have?
SIZE=$(curl -s -H "Authorization: Bearer $CLOUD_TOKEN" \
        "https://cloud.example/v1/pools/$POOL" | jq -r .size 2>/dev/null)
[ -z "$SIZE" ] && SIZE=$(cat $STATE)

if [ "$WAITING" -gt 12 ]; then
    NEW=$((SIZE + 1))
elif [ "$WAITING" -eq 0 ] && { [ "$HOUR" -lt 2 ] || [ "$HOUR" -ge 23 ]; }; then
    # queue empty at night, save money
    NEW=$((SIZE - 1))
else
    exit 0
fi

[ "$NEW" -gt "$MAX" ] && NEW=$MAX
[ "$NEW" -lt "$MIN" ] && NEW=$MIN

curl -s -X PUT -H "Authorization: Bearer $CLOUD_TOKEN" \
     -d "{\"size\": $NEW}" \
     "https://cloud.example/v1/pools/$POOL" >/dev/null

echo $NEW > $STATE
exit 0
