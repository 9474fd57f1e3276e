#!/bin/bash
# gpumail.sh - which GPUs are idle?
# crontab on gpu-01:  0 7 * * *  /opt/ops/gpumail.sh 2>/dev/null
# 2023-11  first version (pk)
# 2024-02  also mail the group list, nobody reacted (pk)
# 2024-06  one mail per GPU, easier to filter (pk)

TO="ops@example.org research-all@example.org"

nvidia-smi --query-gpu=index,utilization.gpu --format=csv,noheader,nounits |
while IFS=', ' read -r GPU UTIL; do
    # not a number means 0
    [ "$UTIL" -eq "$UTIL" ] 2>/dev/null || UTIL=0
    if [ "$UTIL" -eq 0 ]; then
        echo "GPU $GPU on $(hostname) is idle! Please check your jobs." |
            mail -s "[GPU] idle GPU $GPU" $TO
    fi
done

# TODO: look at the mean, not at 07:00
# TODO: who does it belong to?  nvidia-smi pmon -c 1 | ...
exit 0
