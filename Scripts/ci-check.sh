#!/usr/bin/env bash
# Runs the gate for any CI: compares candidate settings with the production settings.
# usage: Scripts/ci-check.sh --candidate candidate.json5 [--margin 2%] [--strict] …     options of `prefetch-sweep check`
# Writes gate.json, gate.xml (JUnit), gate.md and gate.bench (benchstat) to the folder OUTPUT (.build/gate). TOOL is the tool (a release
# build). Status: 0 not worse, 1 runs failed, 2 usage, bad input or no build, 3 regression, 4 inconclusive.
set -uo pipefail
here=$(cd "$(dirname "$0")/.." && pwd) || exit 2
output=${OUTPUT:-$here/.build/gate}
if [ -z "${TOOL:-}" ]; then
  swift build --package-path "$here" -c release --product prefetch-sweep >&2 || exit 2
  TOOL=$here/.build/release/prefetch-sweep
fi
# If this run is refused, no report of an earlier run may remain.
rm -f "$output"/gate.json "$output"/gate.xml "$output"/gate.md "$output"/gate.bench
exec "$TOOL" check --json "$output/gate.json" --junit "$output/gate.xml" --markdown "$output/gate.md" --bench "$output/gate.bench" "$@"
