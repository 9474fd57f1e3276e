#!/bin/bash
# admit.sh - let workloads in, every half hour
# crontab on mgmt-1:  */30 * * * *  /opt/ops/admit.sh >/dev/null 2>&1
# 2024-02  first version, while Kueue is "being evaluated" (rw)
# 2024-09  production first, see the incident with the price model (rw)
# 2025-01  batch limit, people complained that nothing else runs (tl)
# 2025-03  kubectl times out now and then, just runs again in half an hour (tl)

NODES=$(kubectl get nodes -l node-lifecycle --no-headers | wc -l)
MAX_BATCH=$(( NODES / 3 )); [ "$MAX_BATCH" -lt 2 ] && MAX_BATCH=2

running_batch() {
    kubectl get workloads -A -o json | jq '[.items[]
        | select(.spec.priorityClassName == "batch")
        | select(.status.conditions[]? | .type == "Admitted" and .status == "True")] | length'
}

pending() {     # production first, then oldest first. Priority of the others: later
    kubectl get workloads -A --sort-by=.metadata.creationTimestamp -o json |
        jq -r '.items[] | select((.status.conditions // []) | map(.type) | index("QuotaReserved") | not)
               | [.spec.priorityClassName, .metadata.namespace, .metadata.name,
                  .spec.podSets[0].template.spec.containers[0].resources.requests["nvidia.com/gpu"]] | @tsv' |
        sort -s -k1,1r
}

pending | while read -r CLASS NS NAME GPUS; do
    if [ "$CLASS" = batch ] && [ "$(running_batch)" -ge "$MAX_BATCH" ]; then
        continue
    fi
    # on demand is safer, spot only when that is full. Quotas: the sum fits the nodes, so what
    for FLAVOR in $(kubectl get resourceflavors -o name | sort); do
        /opt/ops/admit-one.sh "$NS" "$NAME" "${FLAVOR##*/}" "$GPUS" && break
    done
done

# production waits for more than two hours: batch has to go
OLD=$(pending | grep -c ^production)
if [ "$OLD" -gt 0 ] && [ -n "$(find /tmp/admit.waiting -mmin +120 2>/dev/null)" ]; then
    kubectl delete pods -A -l priority=batch,flavor=ondemand --grace-period=0 --force
    rm -f /tmp/admit.waiting
fi
[ "$OLD" -gt 0 ] && touch -a /tmp/admit.waiting || rm -f /tmp/admit.waiting

# pods that hang in ContainerCreating: call Tomas, he deletes them
exit 0
