// Tables sort.

function sortTable(th) {
  const down = th.getAttribute("aria-sort") === "ascending", column = th.cellIndex, body = th.closest("table").tBodies[0];
  for (const other of th.parentNode.cells) other.removeAttribute("aria-sort");
  th.setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = row => row.cells[column].dataset.value ?? "";
  const rows = [...body.rows].sort((a, b) => compare(value(a), value(b), down));
  body.append(...rows);
}

// compare keeps rows without a value last.
function compare(a, b, down) {
  if (a === "" || b === "") return (a === "") - (b === "");
  const order = isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
  return down ? -order : order;
}
