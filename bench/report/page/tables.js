// Tables sort, and say so where they have more columns than can be seen.

// The hint makes a table higher, which may not be while sizes are told.
const widths = new ResizeObserver(entries => requestAnimationFrame(() => {
  for (const { target } of entries) target.classList.toggle("wider", target.scrollWidth > target.clientWidth + 1);
}));

// hint watches the tables of a part of the page.
function hint(part) {
  for (const box of part.querySelectorAll(".scroll")) widths.observe(box);
}

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
