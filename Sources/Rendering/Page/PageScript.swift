// The page's script, which sorts and filters tables. It makes no requests, and the page is complete without it.

/// The inline script. It contains neither < nor &, so that the page is valid XML.
enum PageScript {
  static let text = """
    "use strict";
    document.querySelectorAll("table.sortable").forEach(function (table, number) {
      const body = table.tBodies[0];
      const rows = Array.from(body.rows);
      const heads = Array.from(table.tHead.rows[0].cells);
      const tools = document.createElement("div");
      tools.className = "tools";
      const label = document.createElement("label");
      label.htmlFor = "filter-" + number;
      label.textContent = "Filter rows";
      const field = document.createElement("input");
      field.type = "search";
      field.id = label.htmlFor;
      field.placeholder = "words, such as: better keep";
      const count = document.createElement("output");
      count.setAttribute("aria-live", "polite");
      count.htmlFor = field.id;
      tools.append(label, field, count);
      table.parentNode.before(tools);
      const texts = rows.map(function (row) {
        return Array.from(row.cells, function (cell) { return cell.textContent; }).join(" ").toLowerCase();
      });
      function filter() {
        const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
        let shown = 0;
        rows.forEach(function (row, index) {
          row.hidden = !words.every(function (word) { return texts[index].includes(word); });
          if (!row.hidden) { shown += 1; }
        });
        count.textContent = shown + " of " + rows.length + " rows";
      }
      field.addEventListener("input", filter);
      filter();
      function key(row, column) {
        const cell = row.cells[column];
        if (cell.dataset.k !== undefined) { return Number(cell.dataset.k); }
        const number = parseFloat(cell.textContent);
        return heads[column].classList.contains("n") ? number : cell.textContent;
      }
      function compare(a, b) {
        if (typeof a === "string") { return a.localeCompare(b, "en", { numeric: true }); }
        return a - b;
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
          keyed.forEach(function (item) { body.append(item.row); });
        });
      });
    });

    """
}
