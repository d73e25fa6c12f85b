#!/usr/bin/env bash
# A sweep by GNU parallel, on this machine or on several by ssh: a shard a job, then the merge.
# usage: Scripts/parallel-sweep.sh SWEEP SHARDS [OPTIONS OF run]
# RESULTS is the folder of results (Results/<sweep>, as under `run`), TOOL the binary (a release build), PARALLEL_OPTIONS go to GNU parallel:
# "--sshlogin 8/node1,8/node2 --workdir ." for hosts that see the same folders, "--jobs 4" for fewer at once. Started again, it goes
# on from the shards' journals.
set -euo pipefail
cd "$(dirname "$0")/.."

if (($# < 2)); then sed -n '3,6s/^# //p' "$0" >&2; exit 2; fi
command -v parallel >/dev/null || { echo "parallel-sweep: GNU parallel is not installed; take Scripts/slurm-sweep.sh or run the shards yourself" >&2; exit 2; }
sweep=$1 shards=$2; shift 2
case $shards in '' | *[!0-9]* | 0) echo "parallel-sweep: SHARDS is \"$shards\"; write a number from 1" >&2; exit 2 ;; esac
if [ -z "${TOOL:-}" ]; then
  swift build -c release --product prefetch-sweep >&2
  TOOL=.build/release/prefetch-sweep
fi
# The tool knows the name of the sweep's folder.
if [ -n "${RESULTS:-}" ]; then results=$RESULTS; else results=$("$TOOL" run "$sweep" "$@" --where) || exit; fi
mkdir -p "$results/shards"

# shellcheck disable=SC2206
more=(${PARALLEL_OPTIONS:-})
command=$(printf '%q ' "$TOOL" run "$sweep" "$@" --quiet --jobs 1)
status=0
seq 0 $((shards - 1)) | parallel --will-cite --line-buffer --tagstring 'shard {}' ${more[@]+"${more[@]}"} \
  "$command --shard {}/$shards --output $(printf '%q' "$results/shards")/{}-of-$shards" || status=$?
# parallel gives the number of jobs that failed; the merge says which.
if [ "$status" != 0 ]; then echo "parallel-sweep: $status of $shards shards did not end well" >&2; fi
folders=()
for ((index = 0; index < shards; index++)); do folders+=("$results/shards/$index-of-$shards"); done
exec "$TOOL" merge "${folders[@]}" --output "$results"
