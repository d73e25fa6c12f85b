#!/usr/bin/env python3
"""Reads public archives, and prints how many of each program are read, refused or rebuilt, and each reason of a refusal.

Usage: archives.py TOOL FOLDER, in a folder for its files; FOLDER has a folder of archives for each repository, of any names. An archive of
several pages is read as the one with the most entries. Prints tables in Markdown. Exits with 1 if the tool crashes or gives no reason.
"""
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import sys

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def program(data):
    """Returns the name of the program that made an archive, as the archive says it."""
    try:
        text = data.decode("utf-8-sig")
        text = text[text.index("{"):text.rindex("}") + 1]
        creator = json.loads(text)["log"]["creator"]["name"]
        return re.sub(r"[^A-Za-z0-9 .()-]", "", str(creator)).strip() or "unnamed"
    except (ValueError, KeyError, TypeError):
        return "no JSON with a creator"


def read(path, *options):
    """Imports an archive, or the page of it with the most entries; returns the status and the first error."""
    def call(*more):
        done = subprocess.run([TOOL, "import", path, *options, *more], capture_output=True, text=True, errors="replace", timeout=600)
        lines = done.stderr.strip().splitlines()
        return done.returncode, next((line for line in lines if line.startswith(str(path))), lines[-1] if lines else "")
    status, error = call()
    pages = re.findall(r'"((?:[^"\\]|\\.)*)" \((\d+)\)', error) if "pages or loads" in error else []
    if pages:
        status, error = call("--page", max(pages, key=lambda page: int(page[1]))[0])
    return status, error


def reason(error):
    """Returns the problem of an error without its place, names and numbers."""
    text = re.sub(r"\.\.\.|…", "", error).split("; ")[0]
    text = re.sub(r"^.*?:\d+:\d+: ", "", text)
    return re.sub(r"\d+", "N", re.sub(r'"[^"]*"?', '"…"', re.sub(r"\([^)]*\)?", "", text)))[:90].strip(" :")


seen, bad = set(), 0
counts = collections.defaultdict(collections.Counter)
reasons = collections.Counter()
for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        key = hashlib.sha256(data).digest()
        if key in seen:
            continue
        seen.add(key)
        row = counts[program(data)]
        row["files"] += 1
        row[folder.name] += 1
        status, error = read(path, "--output", "feed.json", "--quiet")
        row["read" if status == 0 else "refused"] += 1
        if status != 0:
            reasons[reason(error)] += 1
            bad += status != 2 or not error
            if status != 2:
                print(f"{path}: status {status}: {error}", file=sys.stderr)
            continue
        status, error = read(path, "--scenario", "session.json5", "--quiet")
        row["rebuilt"] += status == 0
        if status not in (0, 2):
            bad += 1
            print(f"{path}: --scenario: status {status}: {error}", file=sys.stderr)

repositories = ", ".join(folder.name.replace("+", "/") for folder in sorted(FOLDER.iterdir()) if folder.is_dir())
print(f"{len(seen)} different files of {repositories}.\n")
print("| program that made it | archives | read | refused | rebuilt by --scenario |\n| --- | ---: | ---: | ---: | ---: |")
for name, row in sorted(counts.items(), key=lambda item: (-item[1]["files"], item[0])):
    print(f"| {name} | {row['files']} | {row['read']} | {row['refused']} | {row['rebuilt']} |")
total = sum(counts.values(), collections.Counter())
print(f"| **all** | {total['files']} | {total['read']} | {total['refused']} | {total['rebuilt']} |")
print("\n| refused because it | archives |\n| --- | ---: |")
for text, count in reasons.most_common():
    print(f"| {text.replace('|', '/')} | {count} |")
sys.exit(1 if bad else 0)
