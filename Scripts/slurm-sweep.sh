#!/usr/bin/env bash
# Runs a sweep on a Slurm cluster: a job array with one task for each shard, then a merge that checks that all are complete.
# usage: Scripts/slurm-sweep.sh SWEEP SHARDS [OPTIONS OF run]
# All nodes must see this folder, the results and the tool. RESULTS is the folder of results (Results/<sweep>, as for `run`), TOOL the tool
# (prefetch-sweep on PATH; in a clone without it, .build-package/prefetch-sweep, from Scripts/package), CPUS the threads of a task (1);
# WAIT=1 waits for the merge and returns its status; SBATCH_OPTIONS go to sbatch (--partition=short --time=1:00:00). A killed and requeued
# task resumes from its journal. If shards are missing at the end, the merge names them: submit again, and only the missing runs are made.
# A task of a search waits 20 s for the others and then goes back into the queue, so it is fastest if all tasks run at once.
# If a task fails, those of a search stay in the queue until it is requeued and ends, or until scancel.
set -euo pipefail

if (($# < 2)); then sed -n '3,10s/^# //p' "$0" >&2; exit 2; fi
sweep=$1 shards=$2; shift 2
case $shards in '' | *[!0-9]* | 0) echo "slurm-sweep: SHARDS is \"$shards\"; write a number from 1" >&2; exit 2 ;; esac
for option in "$@"; do
  case $option in --output | --output=* | --shard | --shard=* | --wait | --wait=*) echo "slurm-sweep: $option is set for each shard; RESULTS names the folder of results" >&2; exit 2 ;; esac
  if [ "$option" = --fresh ]; then echo "slurm-sweep: --fresh would delete a shard's runs at each start; delete its folders instead" >&2; exit 2; fi
done
tool=$(realpath -m "${TOOL:-$(command -v prefetch-sweep || echo "$(dirname "$0")/../.build-package/prefetch-sweep")}")
[ -x "$tool" ] || { echo "slurm-sweep: prefetch-sweep is not on PATH; install it, build it with Scripts/package, or name it with TOOL" >&2; exit 2; }
# The tool checks the sweep and prints the folder of its results.
folder=$("$tool" run "$sweep" "$@" --where) || exit
results=$(realpath -m "${RESULTS:-$folder}")
cpus=${CPUS:-1}
mkdir -p "$results/shards"
# shellcheck disable=SC2206
more=(${SBATCH_OPTIONS:-})

command=$(printf '%q ' "$tool" run "$sweep" "$@" --quiet --progress lines --jobs "$cpus")
# Slurm sets the task's number. A requeued task uses the same folder.
command="$command --wait 20 --shard \$SLURM_ARRAY_TASK_ID/$shards --output $(printf '%q' "$results/shards")/\$SLURM_ARRAY_TASK_ID-of-$shards"
# A task of a search that needs runs of the others ends with status 75 and goes back into the queue.
command="$command & tool=\$!; trap 'kill \$tool' TERM; while true; do status=0; wait \$tool || status=\$?; kill -0 \$tool 2>/dev/null || break; done
[ \$status != 75 ] || scontrol requeue \${SLURM_ARRAY_JOB_ID}_\$SLURM_ARRAY_TASK_ID; exit \$status"
array=$(sbatch --parsable --job-name=sweep --array=0-$((shards - 1)) --cpus-per-task="$cpus" --requeue --open-mode=append \
  --signal=B:TERM@60 --output="$results/shards/slurm-%A-%a.log" ${more[@]+"${more[@]}"} --wrap "$command")
array=${array%%;*}

folders=()
for ((index = 0; index < shards; index++)); do folders+=("$results/shards/$index-of-$shards"); done
merge=$(printf '%q ' "$tool" merge "${folders[@]}" --output "$results")
wait=()
if [ "${WAIT:-0}" = 1 ]; then wait=(--wait); fi
echo "array $array: $shards tasks; then the merge into $results" >&2
# afterany, not afterok, because a merge cancelled by Slurm would look like a success.
status=0
sbatch --parsable ${wait[@]+"${wait[@]}"} --job-name=sweep-merge --dependency="afterany:$array" --output="$results/shards/merge-%j.log" \
  ${more[@]+"${more[@]}"} --wrap "exec $merge" || status=$?
if [ "${WAIT:-0}" = 1 ] && [ "$status" != 0 ]; then cat "$results"/shards/merge-*.log >&2; fi
exit "$status"
