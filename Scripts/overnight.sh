#!/usr/bin/env bash
# Overnight runs: runs all sweeps one after the other; after an interruption, start it again and it continues.
# usage: Scripts/overnight.sh [--keep N] [SWEEP …] [-- OPTIONS OF run]     by default all of Sweeps/
# Results go to Results/<name of the sweep>, or to that folder in RESULTS; with --keep N to a folder by date in it, of which the newest N
# stay. Results of a sweep that has been edited since move aside to <name>.until-<date>. A failed sweep does not stop the next one. A sweep
# whose folder belongs to an earlier sweep of this start is refused. A sweep whose first five lines contain "needs a device" is skipped
# unless DEVICE=1. TOOL is the tool (a release build). Results are added to history.jsonl in RESULTS. At the end overnight.md says what ran, what won, what failed, and what changed since
# the results before; OVERNIGHT_HOOK, a command, is run with its path. Status: 0 good, 1 a sweep failed, 2 a sweep was refused, 3 a point
# is worse than in the results before, or results differ without a reason; 129, 130 and 143 stopped by SIGHUP, SIGINT or SIGTERM: start it again.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

sweeps=() keep=0
while (($#)); do
  case $1 in
    --) shift; break ;;
    -h | --help)
      echo "usage: Scripts/overnight.sh [--keep N] [SWEEP …] [-- OPTIONS OF run]     by default all of Sweeps/"
      echo "--keep N: results go to a folder by date, of which the newest N stay"
      echo "environment: RESULTS is the folder of all results; TOOL is the program; DEVICE=1 runs sweeps that need a device;"
      echo "OVERNIGHT_HOOK is a command that is run at the end with the path of overnight.md"
      exit 0 ;;
    --keep)
      [[ ${2:-} =~ ^[1-9][0-9]{0,3}$ ]] || { echo "Scripts/overnight.sh: --keep: write the number of folders to keep, 1 to 9999" >&2; exit 2; }
      keep=$2; shift 2 ;;
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

# The folder of this start's results, and of those before it.
root=$results before=""
if ((keep)); then
  # A start after a stop continues the folder of the stopped one.
  date=$(cat "$results/.unfinished" 2>/dev/null || date +%F)
  mkdir -p "$results/$date" && echo "$date" > "$results/.unfinished" || exit 1
  root=$results/$date
  before=$(find "$results" -mindepth 1 -maxdepth 1 -type d -name '[0-9]*-[0-9]*-[0-9]*' ! -name "$date" | sort | tail -n 1)
fi
report=$root/overnight.md history=$results/history.jsonl rows="" changes="" since="" worse=0

# Adds a row to overnight.md: sweep, state, seconds, answer.
row() { rows+="| $1 | $2 | $3 | ${4//|/\\|} |"$'\n'; }
# Prints the answer of a sweep's report: the last paragraph before the first list, chart or heading.
answer() { awk 'NR > 2 && /^(What next|#|!|<|\[\^)/ { exit } NR > 2 && NF { line = $0 } END { print line }' "$1/report.md" 2>/dev/null | sed 's/\[\^[0-9]*\]//g'; }
# Moves the results of an edited sweep aside; prints their new folder. False if the folder was refused for another reason.
aside() {
  local text target number=1
  text=$("$TOOL" run "$1" --results "$root" "${@:3}" 2>&1 >/dev/null </dev/null)
  [[ $text =~ holds\ [0-9]+\ runs\ (made\ with\ other\ settings|of\ an\ earlier\ version) ]] || return 1
  target=$2.until-$(date +%F)
  while [ -e "$target" ]; do number=$((number + 1)); target=$2.until-$(date +%F)-$number; done
  mv -- "$2" "$target" && echo "$target"
}
# Adds what changed since the results in folder $2 to overnight.md.
compare() {
  local status=0 text
  text=$("$TOOL" report "$3" --compare "$2" --fail-on-worse 2>/dev/null) || status=$?
  # An edited sweep is another question: its answer is not worse than the one before.
  if ((status == 3)) && [ -z "$moved" ]; then worse=1; fi
  if ((status == 0 || status == 3)); then changes+="- $1: $text"$'\n'; fi
}
# Adds the results in folder $2 to the history, and since when their winner wins to overnight.md.
add_to_history() {
  "$TOOL" history add "$2" --history "$history" >/dev/null || return 0
  local text
  text=$("$TOOL" history show "$history" --sweep "${2##*/}" 2>/dev/null) || worse=1
  since+="- $1: $(printf '%s' "$text" | sed -n 2p)"$'\n'
}
# Writes overnight.md, deletes the oldest folders by date, and runs the hook.
finish() {
  if [ -n "$since" ]; then "$TOOL" history show "$history" --output "$root" >/dev/null 2>&1; fi
  {
    echo "# Overnight run of $(date +%F)"; echo
    echo "$1."; echo
    echo "| sweep | state | seconds | answer |"; echo "| --- | --- | ---: | --- |"
    printf '%s' "$rows"
    if [ -n "$changes" ]; then echo; echo "## Since the results before"; echo; printf '%s' "$changes"; fi
    if [ -n "$since" ]; then echo; echo "## Since when"; echo; printf '%s' "$since"; echo; echo "[All runs](history.html)"; fi
  } > "$report.partial" && mv -- "$report.partial" "$report" || exit 1
  if ((keep)); then
    rm -f "$results/.unfinished"
    find "$results" -mindepth 1 -maxdepth 1 -type d -name '[0-9]*-[0-9]*-[0-9]*' | sort | head -n "-$keep" | while read -r old; do rm -rf -- "$old"; done
  fi
  if [ -n "${OVERNIGHT_HOOK:-}" ]; then $OVERNIGHT_HOOK "$report" || say "the hook ended with status $?"; fi
}

# Runs a sweep, and sets `status`.
run_sweep() {
  "$TOOL" run "$1" --results "$root" "${@:2}" & child=$!
  # A signal may have come before the child was started.
  if ((stopped)); then kill -TERM "$child" 2>/dev/null; fi
  status=0; wait "$child" || status=$?
  # A signal ends the wait but not the child.
  while ((stopped)) && kill -0 "$child" 2>/dev/null; do status=0; wait "$child" || status=$?; done
  child=""
}

good=0 failed=0 refused=0 skipped=0 ended=() folders=() owners=()
for sweep in "${sweeps[@]}"; do
  name=$(basename -- "$sweep" .json5)
  if ((stopped)); then end "$stopped"; fi
  if head -n 5 -- "$sweep" 2>/dev/null | grep -q 'needs a device' && [ "${DEVICE:-0}" != 1 ]; then
    say "$name: skipped, it needs a device; DEVICE=1 runs it"
    skipped=$((skipped + 1)); row "$name" "skipped: needs a device" 0 ""; continue
  fi
  # The tool prints the folder of results.
  if ! folder=$("$TOOL" run "$sweep" --results "$root" "$@" --where); then
    if ((stopped)); then end "$stopped"; fi
    refused=$((refused + 1)); ended+=("$name"); say "$name: refused or unreadable, see above"; row "$name" refused 0 ""; continue
  fi
  owner=""
  for i in ${folders[@]+"${!folders[@]}"}; do
    if [ "$folder" = "${folders[$i]}" ] || [ "$folder" -ef "${folders[$i]}" ]; then owner=${owners[$i]}; fi
  done
  if [ -n "$owner" ]; then
    refused=$((refused + 1)); ended+=("$name")
    row "$name" "refused: a second sweep of this name" 0 ""
    say "$name: refused, its results would go to $folder, which has the results of $owner; rename one of the two sweeps"; continue
  fi
  folders+=("$folder") owners+=("$sweep")
  say "$name: starts; results in $folder"
  started=$SECONDS last="" moved="" status=0
  if [ -n "$before" ] && [ -e "$before/${folder##*/}/runs.csv" ]; then last=$before/${folder##*/}; fi
  run_sweep "$sweep" "$@"
  if ((status == 2 && !stopped)) && moved=$(aside "$sweep" "$folder" "$@"); then
    say "$name: has been edited; its results before are now in $moved"
    last=$moved
    run_sweep "$sweep" "$@"
  fi
  if ((stopped)); then end "$stopped"; fi
  took=$((SECONDS - started))
  case $status in
    0) good=$((good + 1)); say "$name: good, $took s"; row "$name" good "$took" "$(answer "$folder")" ;;
    2) refused=$((refused + 1)); ended+=("$name"); say "$name: refused or unreadable, see above"; row "$name" refused "$took" "" ;;
    129 | 130 | 143) say "$name: stopped"; end "$status" ;;
    *) failed=$((failed + 1)); ended+=("$name"); say "$name: failed with status $status after $took s"; row "$name" "failed ($status)" "$took" "$(answer "$folder")" ;;
  esac
  if ((status < 2)) && [ -n "$last" ]; then compare "$name" "$last" "$folder"; fi
  if ((status < 2)) && [ -e "$folder/summary.csv" ]; then add_to_history "$name" "$folder"; fi
done
summary="$good good, $failed failed, $refused refused, $skipped skipped${ended[*]:+: ${ended[*]}}"
say "$summary"
finish "$summary"
if ((failed > 0)); then exit 1; fi
if ((refused > 0)); then exit 2; fi
if ((worse)); then exit 3; fi
