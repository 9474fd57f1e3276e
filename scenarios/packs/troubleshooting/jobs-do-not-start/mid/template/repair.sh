# Shell lines, played in this order on a fresh cluster. A line '#sleep 5' waits five seconds.
sinfo
squeue
