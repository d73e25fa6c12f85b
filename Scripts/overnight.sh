#!/usr/bin/env bash
# Overnight runs: runs all sweeps one after the other; after an interruption, start it again and it continues.
# usage: Scripts/overnight.sh [SWEEP …] [-- OPTIONS OF run]     by default all of Sweeps/
# Results go to Results/<name of the sweep>, or to that folder in RESULTS. A failed sweep does not stop the next one. A sweep whose
# folder belongs to an earlier sweep of this start is refused. A sweep whose first five lines contain "needs a device" is skipped unless
# DEVICE=1. TOOL is the tool (a release build). Status: 0 good, 1 a sweep failed, 2 a sweep was refused; 129, 130 and 143 stopped by
# SIGHUP, SIGINT or SIGTERM: start it again.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

sweeps=()
while (($#)); do
  case $1 in
    --) shift; break ;;
    -h | --help)
      echo "usage: Scripts/overnight.sh [SWEEP …] [-- OPTIONS OF run]     by default all of Sweeps/"
      echo "environment: RESULTS is the folder of all results; TOOL is the program; DEVICE=1 runs sweeps that need a device"
      exit 0 ;;
    -*) echo "Scripts/overnight.sh: ${1:0:200}: unknown option; write the options of \`run\` after --" >&2; exit 2 ;;
    *) sweeps+=("$1"); shift ;;
  esac
done
if ((${#sweeps[@]} == 0)); then sweeps=(Sweeps/*.json5); fi
results=${RESULTS:-Results}
if [ -z "${TOOL:-}" ]; then
  swift build -c release --product prefetch-sweep >&2 || exit 1
  TOOL=.build/release/prefetch-sweep
fi

say() { echo "$(date '+%F %T')  $*"; }
child="" stopped=0
# The first signal is passed on as SIGTERM: the sweep finishes and saves its current runs. SIGINT would be ignored, because a background
# process of a script ignores it.
stop() { stopped=$1; if [ -n "$child" ]; then kill -TERM "$child" 2>/dev/null; fi; }
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM
end() { say "stopped; start this script again to continue"; exit "$1"; }

good=0 failed=0 refused=0 skipped=0 ended=() folders=() owners=()
for sweep in "${sweeps[@]}"; do
  name=$(basename -- "$sweep" .json5)
  if ((stopped)); then end "$stopped"; fi
  if head -n 5 -- "$sweep" 2>/dev/null | grep -q 'needs a device' && [ "${DEVICE:-0}" != 1 ]; then
    say "$name: skipped, it needs a device; DEVICE=1 runs it"
    skipped=$((skipped + 1)); continue
  fi
  # The tool prints the folder of results.
  if ! folder=$("$TOOL" run "$sweep" --results "$results" "$@" --where); then
    if ((stopped)); then end "$stopped"; fi
    refused=$((refused + 1)); ended+=("$name"); say "$name: refused or unreadable, see above"; continue
  fi
  owner=""
  for i in ${folders[@]+"${!folders[@]}"}; do
    if [ "$folder" = "${folders[$i]}" ] || [ "$folder" -ef "${folders[$i]}" ]; then owner=${owners[$i]}; fi
  done
  if [ -n "$owner" ]; then
    refused=$((refused + 1)); ended+=("$name")
    say "$name: refused, its results would go to $folder, which has the results of $owner; rename one of the two sweeps"; continue
  fi
  folders+=("$folder") owners+=("$sweep")
  say "$name: starts; results in $folder"
  started=$SECONDS
  "$TOOL" run "$sweep" --results "$results" "$@" & child=$!
  # A signal may have come before the child was started.
  if ((stopped)); then kill -TERM "$child" 2>/dev/null; fi
  status=0; wait "$child" || status=$?
  # A signal ends the wait but not the child.
  while ((stopped)) && kill -0 "$child" 2>/dev/null; do status=0; wait "$child" || status=$?; done
  child=""
  if ((stopped)); then end "$stopped"; fi
  case $status in
    0) good=$((good + 1)); say "$name: good, $((SECONDS - started)) s" ;;
    2) refused=$((refused + 1)); ended+=("$name"); say "$name: refused or unreadable, see above" ;;
    129 | 130 | 143) say "$name: stopped"; end "$status" ;;
    *) failed=$((failed + 1)); ended+=("$name"); say "$name: failed with status $status after $((SECONDS - started)) s" ;;
  esac
done
say "$good good, $failed failed, $refused refused, $skipped skipped${ended[*]:+: ${ended[*]}}"
if ((failed > 0)); then exit 1; fi
if ((refused > 0)); then exit 2; fi
