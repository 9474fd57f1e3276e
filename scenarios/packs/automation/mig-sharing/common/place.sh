#!/bin/bash
# place.sh - put inference pods on MIG slices, start trainings, write the bill
# systemd timer on mgmt-1, every 4 minutes
# 2024-02  first version, for two teams and one model each (rk)
# 2024-06  trainings too (rk)
# 2024-11  DO NOT change the MIG layout from here, last time n02 was gone for an evening (jt)
# 2025-03  bill for finance, once an hour (rk)

NS="{{tenants_shell}}"
LOCK=/tmp/place.lock
[ -e $LOCK ] && exit 0; touch $LOCK

# --- inference: first free slice with exactly the profile that the deployment asks for
for ns in $NS; do
  for d in $(kubectl -n $ns get deploy -o name); do
    want=$(kubectl -n $ns get $d -o jsonpath='{.spec.replicas}')
    have=$(kubectl -n $ns get pods -l app=${d##*/} --no-headers 2>/dev/null | wc -l)
    prof=$(kubectl -n $ns get $d -o jsonpath='{.metadata.annotations.slices/profile}')
    while [ "$have" -lt "$want" ]; do
      slot=$(/opt/ops/free_slices.py --profile $prof | head -1)
      [ -z "$slot" ] && break              # none left, next service
      /opt/ops/bind.py $ns ${d##*/} $slot  # does not look who else is on that GPU
      have=$((have + 1))
    done
    while [ "$have" -gt "$want" ]; do
      /opt/ops/unbind.py $ns ${d##*/} --first; have=$((have - 1))
    done
  done
done

# --- training: strictly first come, first served, on the first whole GPUs in the list
for job in $(/opt/ops/trainings.py --pending --oldest-first); do
  n=$(/opt/ops/trainings.py --gpus $job)
  free=$(/opt/ops/whole_gpus.py | head -$n)
  [ $(echo "$free" | wc -w) -lt $n ] && break
  /opt/ops/start_gang.py $job $free
done

# --- bill: replicas as they are wanted now, times one hour. Trainings are "free until further notice"
if [ $(date +%M) -lt 4 ]; then
  for ns in $NS; do
    kubectl -n $ns get deploy -o json | jq -r '.items[] | [.metadata.annotations["slices/profile"], .spec.replicas * 3600] | @tsv' \
      | /opt/ops/bill.py $ns --hour last
  done
fi

rm $LOCK
# TODO GPUs in state "failed" (ask jt), drained nodes, tenants on the same card, ...
exit 0
