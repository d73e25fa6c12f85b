"""Plans the active item, then the next `ahead` items: a policy for protocol 1 of prefetch-sweep, in Python."""
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "begin":
        ahead = message["settings"].get("ahead", 3)
        listed = len(message["items"])
        answer = {"ready": 1}
    elif message["type"] == "plan":
        # Each line has only what is new since the line before.
        listed += len(message["items"])
        active = message["activeItem"]
        following = range(active + 1, min(active + 1 + ahead, listed))
        fetches = [{"item": item, "bytes": "ready", "priority": item - active} for item in following]
        answer = {"id": message["id"], "fetches": [{"item": active}] + fetches}
    else:
        continue
    print(json.dumps(answer), flush=True)
