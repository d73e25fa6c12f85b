#!/usr/bin/env bash
# Runs the gate for any CI: compares candidate settings with the production settings.
# usage: Scripts/ci-check.sh --candidate candidate.json5 [--margin 2%] [--strict] …     options of `prefetch-sweep check`
# A sweep with a backend (--sweep) runs on its devices, where this machine drives them.
# Writes gate.json, gate.xml (JUnit), gate.md and gate.bench (benchstat) to the folder OUTPUT (.build/gate). TOOL is the tool (prefetch-sweep
# on PATH; in a clone without it, a release build). Status: 0 not worse, 1 runs failed, 2 usage, bad input or no build, 3 regression, 4 inconclusive or unfit.
set -uo pipefail
output=${OUTPUT:-.build/gate}
tool=${TOOL:-$(command -v prefetch-sweep || true)}
if [ -z "$tool" ]; then
  clone=$(cd "$(dirname "$0")/.." && pwd)
  [ -e "$clone/Package.swift" ] || { echo "ci-check: prefetch-sweep is not on PATH; install it, or name it with TOOL" >&2; exit 2; }
  swift build --package-path "$clone" -c release --product prefetch-sweep >&2 || exit 2
  tool=$clone/.build/release/prefetch-sweep
fi
# If this run is refused, no report of an earlier run may remain.
rm -f "$output"/gate.json "$output"/gate.xml "$output"/gate.md "$output"/gate.bench
exec "$tool" check --json "$output/gate.json" --junit "$output/gate.xml" --markdown "$output/gate.md" --bench "$output/gate.bench" "$@"
