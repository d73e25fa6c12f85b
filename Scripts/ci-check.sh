#!/usr/bin/env bash
# Holds a candidate against the production settings, for any CI; all words are options of `prefetch-sweep check`.
# usage: Scripts/ci-check.sh --candidate candidate.json5 [--margin 2%] [--strict] …
# Writes gate.json, gate.xml (JUnit), gate.md and gate.bench (for benchstat) to the folder OUTPUT, by default .build/gate. The tool is
# TOOL, by default a release build. Status: 0 not worse, 1 runs failed, 2 usage, bad input or no build, 3 regression, 4 inconclusive.
set -uo pipefail
here=$(cd "$(dirname "$0")/.." && pwd) || exit 2
output=${OUTPUT:-$here/.build/gate}
if [ -z "${TOOL:-}" ]; then
  swift build --package-path "$here" -c release --product prefetch-sweep >&2 || exit 2
  TOOL=$here/.build/release/prefetch-sweep
fi
# A report of an earlier run must not pass for this one's, should this one be refused.
rm -f "$output"/gate.json "$output"/gate.xml "$output"/gate.md "$output"/gate.bench
exec "$TOOL" check --json "$output/gate.json" --junit "$output/gate.xml" --markdown "$output/gate.md" --bench "$output/gate.bench" "$@"
