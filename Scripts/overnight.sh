#!/usr/bin/env bash
# Runs all sweeps one after the other; started again after whatever happened in the night, it goes on where it was.
# usage: Scripts/overnight.sh [SWEEP …] [-- OPTIONS OF run]     by default all of Sweeps/
# Results go to Results/, or to the folder RESULTS. A sweep that fails does not stop the next. A sweep whose first lines say that it
# "needs a device" is skipped unless DEVICE=1. The tool is TOOL, by default a release build. Status: 0 good, 1 something failed, 2 a
# sweep was refused, 130 and 143 stopped: start it again.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

sweeps=()
while (($#)); do
  if [ "$1" = -- ]; then shift; break; fi
  sweeps+=("$1"); shift
done
if ((${#sweeps[@]} == 0)); then sweeps=(Sweeps/*.json5); fi
results=${RESULTS:-Results}
if [ -z "${TOOL:-}" ]; then
  swift build -c release --product prefetch-sweep >&2 || exit 1
  TOOL=.build/release/prefetch-sweep
fi

say() { echo "$(date '+%F %T')  $*"; }
child="" stopped=""
# The first signal is handed on: the sweep finishes the runs in hand, keeps them, and says how to go on.
stop() { stopped=$1; if [ -n "$child" ]; then kill -"$1" "$child" 2>/dev/null; fi; }
trap 'stop INT' INT
trap 'stop TERM' TERM

good=0 failed=0 refused=0 skipped=0 ended=()
for sweep in "${sweeps[@]}"; do
  name=$(basename "$sweep" .json5)
  if head -n 5 "$sweep" 2>/dev/null | grep -q 'needs a device' && [ "${DEVICE:-0}" != 1 ]; then
    say "$name: skipped, it needs a device; DEVICE=1 runs it"
    skipped=$((skipped + 1)); continue
  fi
  say "$name: starts"
  started=$SECONDS
  # An asynchronous child of a script ignores SIGINT unless it asks for it, which the tool does.
  "$TOOL" run "$sweep" --output "$results/$name" "$@" & child=$!
  status=0; wait "$child" || status=$?
  # A signal ends the wait, not the child.
  while [ -n "$stopped" ] && kill -0 "$child" 2>/dev/null; do status=0; wait "$child" || status=$?; done
  child=""
  case $status in
    0) good=$((good + 1)); say "$name: good, $((SECONDS - started)) s" ;;
    2) refused=$((refused + 1)); ended+=("$name"); say "$name: refused or not readable, see above" ;;
    130 | 143) say "$name: stopped; start this script again and it goes on"; exit "$status" ;;
    *) failed=$((failed + 1)); ended+=("$name"); say "$name: failed with status $status after $((SECONDS - started)) s" ;;
  esac
  if [ -n "$stopped" ]; then say "stopped; start this script again and it goes on"; if [ "$stopped" = TERM ]; then exit 143; else exit 130; fi; fi
done
say "$good good, $failed failed, $refused refused, $skipped skipped${ended[*]:+: ${ended[*]}}"
if ((failed > 0)); then exit 1; fi
if ((refused > 0)); then exit 2; fi
