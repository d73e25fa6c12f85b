"use strict";
function element(name, text, parent) {
  const made = document.createElement(name);
  made.textContent = text;
  if (parent) { parent.append(made); }
  return made;
}
// On a phone the verdict stands beside the first column, where it is on the screen.
if (matchMedia("(max-width:48rem)").matches) { document.querySelectorAll("table.verdicts tr").forEach(function (row) {
  row.insertBefore(row.lastElementChild, row.cells[1]);
}); }
document.querySelectorAll("table.sortable").forEach(function (table, number) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const names = heads.map(function (head) { return head.textContent.toLowerCase(); });
  const tools = element("div", "");
  tools.className = "tools";
  const label = element("label", "Filter rows", tools);
  const field = element("input", "", tools);
  label.htmlFor = field.id = "filter-" + number;
  field.type = "search";
  const verdict = names.indexOf("verdict"), first = verdict === 1 ? 2 : 1;
  field.placeholder = "such as: " + heads[first].textContent + " " + rows[0].cells[first].textContent + (verdict > 0 ? ", >50, verdict:better" : "");
  const count = element("output", "", tools);
  count.setAttribute("aria-live", "polite");
  count.htmlFor = field.id;
  table.parentNode.before(tools);
  function column(name) {
    const exact = names.indexOf(name);
    return exact === -1 ? names.findIndex(function (known) { return known.startsWith(name); }) : exact;
  }
  const main = heads.findIndex(function (head) { return head.dataset.main !== undefined; });
  // A test is a word of a row, `name value`, `name:value`, or a comparison such as `> 50` and `name > 500 ms`; names may have spaces.
  function tests(text) {
    const found = [], unknown = [];
    text.toLowerCase().split(",").forEach(function (clause) {
      const words = clause.replace(/\s*([>\x3c]=?|[:=])\s*/g, "$1").replace(/(\d)\s+(?=(ms|s|min|h|[kmg]?b|[kmg]?bps|%)(\s|$))/g, "$1")
        .split(/\s+/).filter(Boolean);
      let plain = [];
      // Words, of which some may be `name value`.
      function flush() {
        for (let from = 0; plain.length > from; from += 1) {
          let end = plain.length - 1;
          while (end > from ? !names.includes(plain.slice(from, end).join(" ")) : false) { end -= 1; }
          if (end > from) { found.push({ index: names.indexOf(plain.slice(from, end).join(" ")), operator: "=", value: plain[end] }); from = end; }
          else if (!names.includes(plain[from])) { found.push({ index: -1, operator: ":", value: plain[from] }); }
        }
        plain = [];
      }
      words.forEach(function (word) {
        const parts = word.match(/^([^:=>\x3c]*)([>\x3c]=?|[:=])(.*)$/);
        if (!parts) { plain.push(word); return; }
        // The longest name that ends at the operator.
        let from = 0;
        const name = function () { return plain.slice(from).concat(parts[1]).join(" "); };
        while (plain.length > from ? column(name()) === -1 : false) { from += 1; }
        const index = name() === "" ? main : column(name());
        if (index === -1) { unknown.push(name()); }
        plain = plain.slice(0, from);
        flush();
        if (parts[3] !== "") { found.push({ index: index, operator: parts[2], value: parts[3] }); }
      });
      flush();
    });
    return { found: found, unknown: unknown };
  }
  const units = { ms: 0.001, s: 1, min: 60, h: 3600, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, bps: 1, kbps: 1e3, mbps: 1e6, gbps: 1e9 };
  // A number counts in its unit only beside another with a unit.
  function amount(text) {
    const parts = text.trim().match(/^([-+]?[\d.]+)\s*([a-z]*)/);
    return parts ? { number: parseFloat(parts[1]), unit: units[parts[2]] } : { number: NaN };
  }
  function holds(test, row) {
    const text = (test.index === -1 ? row : row.cells[test.index]).textContent.toLowerCase();
    const one = amount(text), other = amount(test.value);
    if (test.operator === ":" || (test.operator === "=" ? isNaN(other.number) : false)) { return text.includes(test.value); }
    const hasUnits = one.unit ? other.unit : false;
    const number = one.number * (hasUnits ? one.unit : 1), value = other.number * (hasUnits ? other.unit : 1);
    const isSame = 1e-9 * Math.abs(value) >= Math.abs(number - value);
    if (test.operator === "=") { return isSame; }
    if (isSame) { return test.operator.endsWith("="); }
    return test.operator[0] === ">" ? number > value : value > number;
  }
  function filter() {
    const all = tests(field.value);
    let shown = 0;
    rows.forEach(function (row) {
      row.hidden = all.unknown.length > 0 || !all.found.every(function (test) { return holds(test, row); });
      if (row.hidden) { close(row); } else { shown += 1; }
    });
    const known = heads.map(function (head) { return head.textContent.trim(); }).filter(Boolean).join(", ");
    count.textContent = shown + " of " + rows.length + " rows"
      + (all.unknown.length > 0 ? "; no column is called \"" + all.unknown.join("\", \"") + "\" (" + known + ")" : "");
  }
  field.addEventListener("input", filter);
  // The first cell of a row about a point is a button that shows its id and commands.
  const commands = (table.dataset.commands || "").split("\n").filter(Boolean);
  function close(row) { if (row.detail) { row.detail.remove(); row.detail = null; } }
  if (commands.length > 0) { rows.forEach(function (row) {
    if (!row.dataset.p) { return; }
    const button = element("button", row.cells[0].textContent);
    button.type = "button";
    button.title = "id and commands";
    row.cells[0].replaceChildren(button);
    button.addEventListener("click", function () {
      button.setAttribute("aria-expanded", String(!row.detail));
      if (row.detail) { return close(row); }
      row.detail = document.createElement("tr");
      const cell = element("td", "Point " + row.dataset.p, row.detail);
      cell.colSpan = heads.length;
      commands.forEach(function (command) {
        element("pre", command.replaceAll("{point}", row.dataset.p).replaceAll("{repetition}", row.dataset.r || "1")
          .replaceAll("{seed}", row.dataset.s || ""), cell);
      });
      row.after(row.detail);
    });
  }); }
  filter();
  function key(row, column) {
    const cell = row.cells[column];
    if (cell.dataset.k !== undefined) { return Number(cell.dataset.k); }
    return heads[column].classList.contains("n") ? parseFloat(cell.textContent) : cell.textContent;
  }
  function compare(a, b) {
    return typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
  }
  heads.forEach(function (head, column) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", function () {
      const isDown = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      const keyed = rows.map(function (row) { return { row: row, key: key(row, column) }; });
      keyed.sort(function (a, b) {
        // What has no number stands last in both directions.
        const missing = Number(Number.isNaN(a.key) || a.key === "") - Number(Number.isNaN(b.key) || b.key === "");
        if (missing !== 0) { return missing; }
        if (Number.isNaN(a.key)) { return 0; }
        return isDown ? compare(b.key, a.key) : compare(a.key, b.key);
      });
      keyed.forEach(function (item) { close(item.row); body.append(item.row); });
    });
  });
});
let opened = [];
addEventListener("beforeprint", function () {
  opened = Array.from(document.querySelectorAll("details:not([open])"));
  opened.forEach(function (fold) { fold.open = true; });
});
addEventListener("afterprint", function () { opened.forEach(function (fold) { fold.open = false; }); });
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  const fold = target ? target.closest("details") : null;
  if (fold) { fold.open = true; target.scrollIntoView(); }
}
addEventListener("hashchange", reveal);
reveal();
