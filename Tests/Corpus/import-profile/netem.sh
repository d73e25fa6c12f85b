#!/bin/sh
# down is shaped where it arrives
tc qdisc del dev eth0 root
tc qdisc add dev eth0 root handle 1: netem delay 40ms 10ms 25% distribution normal loss 0.5% 20% rate 1mbit limit 200
tc qdisc add dev ifb0 root handle 1: tbf rate 250kbps \
  burst 16kb latency 60ms
tc qdisc add dev ifb0 parent 1:1 netem delay 50000 loss gemodel 1% 20% 80% 0.1% duplicate 1% reorder 5% 50% gap 4
tc filter add dev eth0 parent ffff: protocol ip u32 match u32 0 0 flowid 1:1
