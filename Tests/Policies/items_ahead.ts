// Plans the active item, then the next `ahead` items: a policy for protocol 1 of prefetch-sweep, in TypeScript.
// Types stand in comments, so that every version of node runs the file as it is: node items_ahead.ts

/** @typedef {{ item: number, bytes?: number | "ready", priority?: number }} Fetch */

const lines = require("node:readline").createInterface({ input: process.stdin });
let ahead = 3;
let listed = 0;

lines.on("line", (/** @type {string} */ line) => {
  const message = JSON.parse(line);
  if (message.type === "begin") {
    ahead = message.settings.ahead ?? 3;
    listed = message.items.length;
    console.log(JSON.stringify({ ready: 1 }));
  } else if (message.type === "plan") {
    // Each line has only what is new since the line before.
    listed += message.items.length;
    const active = message.activeItem;
    /** @type {Fetch[]} */
    const fetches = [{ item: active }];
    for (let item = active + 1; item <= active + ahead && item < listed; item++) {
      fetches.push({ item, bytes: "ready", priority: item - active });
    }
    console.log(JSON.stringify({ id: message.id, fetches }));
  }
});
