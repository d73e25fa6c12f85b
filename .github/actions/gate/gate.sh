#!/usr/bin/env bash
# The step of action.yml: finds the program and runs `prefetch-sweep check` with the inputs, which are environment variables.
# The program is TOOL, else the release whose version CHANGELOG.md names, else a build of the sources beside this file.
# Status: that of `check` (0 not worse, 1 runs failed, 3 regression, 4 inconclusive or unfit); 2 also if there is no program.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
error() { echo "::error title=prefetch gate::$*"; exit 2; }

# Downloads the archive of the release and its SHA-256, and unpacks it. Fails where there is no such release.
download() { # folder
  local version system archive address repository
  version=$(sed -nE 's/^## ([0-9]+\.[0-9]+\.[0-9]+).*/\1/p' "$root/CHANGELOG.md" | head -n 1)
  system=$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
  archive=prefetch-sweep-$version-$system.tar.gz
  # GitHub unpacks the action of another repository to …/_actions/owner/name/ref; a checkout knows where it comes from.
  repository=${ACTION_REPOSITORY:-$(sed -nE 's|.*/_actions/([^/]+/[^/]+)/.*|\1|p' <<< "$root/")}
  if [ -z "$repository" ]; then
    repository=$(git -C "$root" remote get-url origin 2>/dev/null | sed -nE 's#/?(\.git)?/?$##; s#.*[/:]([^/:]+/[^/:]+)$#\1#p') || true
  fi
  address=${RELEASES:-${GITHUB_SERVER_URL:-https://github.com}/$repository/releases/download}/v$version/$archive
  mkdir -p "$1"
  for part in "" .sha256; do
    curl --fail --silent --location --retry 3 --output "$1/$archive$part" "$address$part" || { echo "no release at $address$part"; return 1; }
  done
  (cd "$1" && { sha256sum --check --quiet "$archive.sha256" 2>&1 || shasum -a 256 --check "$archive.sha256" 2>&1; }) ||
    error "$address does not have the SHA-256 beside it"
  tar -xzf "$1/$archive" -C "$1" --strip-components 1
}

tool=${TOOL:-}
if [ -z "$tool" ]; then
  folder=${RUNNER_TEMP:-/tmp}/prefetch-sweep
  if download "$folder"; then
    tool=$folder/prefetch-sweep
  elif command -v swift >/dev/null; then
    echo "::group::swift build"
    swift build --package-path "$root" --scratch-path "$folder/build" -c release --product prefetch-sweep ||
      error "the program does not build: it needs Swift 6.3"
    echo "::endgroup::"
    tool=$folder/build/release/prefetch-sweep
  else
    error "there is no release for this system and no Swift to build one; name the program in the input tool"
  fi
fi
[ -x "$tool" ] || error "$tool is not a program"
tool=$(cd "$(dirname "$tool")" && pwd)/$(basename "$tool")
# Later steps of the job may use it too.
if [ -n "${GITHUB_PATH:-}" ]; then dirname "$tool" >> "$GITHUB_PATH"; fi

options=()
add() { if [ -n "$2" ]; then options+=("$1" "$2"); fi; }
# One option for each line that is not blank.
add_lines() { while IFS= read -r line; do if [[ $line == *[![:space:]]* ]]; then options+=("$1" "$line"); fi; done <<< "$2"; }
usual=Sweeps/featured-3g.json5
if [ -z "${SWEEP:-}" ] && [ ! -e "$usual" ]; then SWEEP=$root/$usual; fi
add --candidate "${CANDIDATE:-}"
add --baseline "${BASELINE:-}"
add --sweep "${SWEEP:-}"
add --margin "${MARGIN:-}"
add_lines --set "${SET:-}"
add_lines --scenario "${SCENARIO:-}"
add_lines --guard "${GUARDS:-}"
while IFS= read -r line; do if [[ $line == *[![:space:]]* ]]; then options+=("$line"); fi; done <<< "${OPTIONS:-}"
if [ "${STRICT:-false}" = true ]; then options+=(--strict); fi

report=${REPORT:-prefetch-gate}
mkdir -p "$report"
OUTPUT=$report TOOL=$tool exec "$root/Scripts/ci-check.sh" ${options[@]+"${options[@]}"}
