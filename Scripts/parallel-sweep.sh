#!/usr/bin/env bash
# Runs a sweep with GNU parallel, on this machine or on several by ssh: one job for each shard, then the merge.
# usage: Scripts/parallel-sweep.sh SWEEP SHARDS [OPTIONS OF run]
# RESULTS is the folder of results (Results/<sweep>, as for `run`), TOOL the tool (prefetch-sweep on PATH; in a clone without it, a release
# build). PARALLEL_OPTIONS go to GNU parallel: "--sshlogin 8/node1,8/node2 --workdir ." for hosts with shared folders, "--jobs 4" for fewer
# jobs at once. After an interruption, start it again and it resumes from the shards' journals.
set -euo pipefail

if (($# < 2)); then sed -n '3,6s/^# //p' "$0" >&2; exit 2; fi
command -v parallel >/dev/null || { echo "parallel-sweep: GNU parallel is not installed; use Scripts/slurm-sweep.sh or run the shards yourself" >&2; exit 2; }
sweep=$1 shards=$2; shift 2
case $shards in '' | *[!0-9]* | 0) echo "parallel-sweep: SHARDS is \"$shards\"; write a number from 1" >&2; exit 2 ;; esac
for option in "$@"; do
  case $option in --output | --output=* | --shard | --shard=* | --wait | --wait=*) echo "parallel-sweep: $option is set for each shard; RESULTS names the folder of results" >&2; exit 2 ;; esac
  if [ "$option" = --fresh ]; then echo "parallel-sweep: --fresh would delete a shard's runs at each start; delete its folders instead" >&2; exit 2; fi
done
tool=${TOOL:-$(command -v prefetch-sweep || true)}
if [ -z "$tool" ]; then
  clone=$(cd "$(dirname "$0")/.." && pwd)
  [ -e "$clone/Package.swift" ] || { echo "parallel-sweep: prefetch-sweep is not on PATH; install it, or name it with TOOL" >&2; exit 2; }
  swift build --package-path "$clone" -c release --product prefetch-sweep >&2 || exit 2
  tool=$clone/.build/release/prefetch-sweep
fi
command -v "$tool" >/dev/null || { echo "parallel-sweep: there is no program $tool; name another one with TOOL" >&2; exit 2; }
# The tool checks the sweep and prints the folder of its results.
folder=$("$tool" run "$sweep" "$@" --where) || exit
results=${RESULTS:-$folder}
mkdir -p "$results/shards"

# shellcheck disable=SC2206
more=(${PARALLEL_OPTIONS:-})
command=$(printf '%q ' "$tool" run "$sweep" "$@" --quiet --jobs 1)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A shard of a search ends with status 75 if the next round needs runs of the others; they would wait for ever for one that failed.
while true; do
  status=0
  seq 0 $((shards - 1)) | parallel --will-cite --line-buffer --joblog "$log" --tagstring 'shard {}' ${more[@]+"${more[@]}"} \
    "$command --wait 1 --shard {}/$shards --output $(printf '%q' "$results/shards")/{}-of-$shards" || status=$?
  awk 'NR > 1 { if ($7 == 75) waits = 1; else if ($7 || $8) failed = 1 } END { exit failed || !waits }' "$log" || break
done
# The status of parallel is the number of failed jobs; the merge names them.
if [ "$status" != 0 ]; then echo "parallel-sweep: $status of $shards shards failed" >&2; fi
folders=()
for ((index = 0; index < shards; index++)); do folders+=("$results/shards/$index-of-$shards"); done
"$tool" merge "${folders[@]}" --output "$results"
