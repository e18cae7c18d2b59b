// The start: what the address says, and the parts of the page.

async function go() {
  const { place, by, filtered } = placed(location.hash), at = /^debate-(\d+)$/.exec(place), known = at && data.debates[at[1]];
  let ended = null;
  if (known || filtered) {
    for (const name of Object.keys(nothing)) $("filters").elements[name].value = by[name];
    if (by.reply.toLowerCase() !== search.text) ended = seek(by.reply);
    gather();
  }
  if (!known && filtered) {
    await refresh();
    $("debates").scrollIntoView();
  }
  if (known) {
    await show(+at[1]);
    listCurrent();
    const top = $("debate").getBoundingClientRect().top;
    if (top < 0 || top > innerHeight / 2) $("debate").scrollIntoView();
    $("debate").focus({ preventScroll: true });
  }
  await ended;
}

// listCurrent lists the page of the list that has the current debate, and scrolls the list to it.
function listCurrent() {
  const page = Math.floor(groups.findIndex(g => g.debates.includes(current)) / pageSize) * pageSize;
  if (page >= 0) first = page;
  list();
  inView($("list").querySelector("[aria-current]"));
}

// inView scrolls the list to an entry that cannot be seen.
function inView(entry) {
  const box = $("list"), top = entry ? entry.offsetTop - box.scrollTop : 0;
  if (entry && (top < 0 || top + entry.offsetHeight > box.clientHeight)) box.scrollTop = entry.offsetTop - box.clientHeight / 2;
}

// contents marks the part of the page that is in view.
function contents() {
  const links = [...$("contents").querySelectorAll("a")], seen = new Set();
  const mark = () => {
    const at = links.findLast(a => seen.has(a.hash)) || links[0];
    for (const a of links) {
      if (a !== at) a.removeAttribute("aria-current");
      else if (!a.hasAttribute("aria-current")) {
        a.setAttribute("aria-current", "location");
        $("contents").scrollLeft = a.offsetLeft - $("contents").offsetLeft - 40;
      }
    }
  };
  const watch = new IntersectionObserver(entries => {
    for (const e of entries) seen[e.isIntersecting ? "add" : "delete"]("#" + e.target.id);
    mark();
  }, { rootMargin: "0px 0px -70% 0px" });
  for (const a of links) watch.observe($(a.hash.slice(1)));
}

// choices fills a filter, and hides one that has nothing to choose from.
function choices(name, values) {
  const select = $("filters").elements[name];
  select.append(...values.map(value => el("option", null, value)));
  select.closest("label").hidden = values.length < 2;
}

// key goes to the next debate (j), to the one before (k), or to the search for questions (/), unless something is typed.
function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const by = { j: 1, k: -1 }[event.key];
  if (by) step(by);
  else if (event.key === "/") {
    event.preventDefault();
    $("filters").elements.question.focus();
  }
}

// start unpacks the index and shows the first debate in which an agent changed its answer, if one did. What needs no debate works before.
async function start() {
  for (const button of document.querySelectorAll("table.data thead button")) button.addEventListener("click", () => sortTable(button.closest("th")));
  for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy($(button.dataset.copy).value, $("copied")));
  addEventListener("beforeprint", () => { for (const details of document.querySelectorAll("header details, details.caption, details.asked")) details.open = true; });
  hint(document);
  contents();
  if (oldBrowser) {
    $("debate").textContent = oldBrowser;
    return;
  }
  data = await unpacked("index");
  index();
  choices("task", data.tasks);
  choices("condition", data.conditions);
  choices("repeat", repeats());
  $("filters").addEventListener("input", refresh);
  $("filters").addEventListener("submit", event => event.preventDefault());
  $("earlier").addEventListener("click", () => turnPage(-1));
  $("later").addEventListener("click", () => turnPage(1));
  addEventListener("hashchange", go);
  addEventListener("keydown", key);
  gather();
  const shown = show(found.find(i => data.debates[i].changed) ?? found[0] ?? -1);
  listCurrent();
  await shown;
  await go();
  if (location.hash === "#test") {
    try {
      document.documentElement.dataset.check = await check();
      scrollTo(0, 0);
    } catch (error) {
      document.documentElement.dataset.check = "failed: " + error.stack;
    }
  }
}
