// The page checks itself when it is opened with #test, and writes what came of it where a test can read it.

async function check() {
  const failures = [], expect = (name, got, want) => { if (got !== want) failures.push(`${name}: ${got}, want ${want}`); };
  const count = by => filter({ ...nothing, ...by }).reduce((n, g) => n + g.debates.length, 0);
  for (const row of data.rows || []) {
    const here = { task: data.tasks[row.task], condition: row.condition };
    expect(row.condition, count(here), row.n);
    expect(row.condition + " right", count({ ...here, outcome: "right" }), row.right);
    expect(row.condition + " unparsed", count({ ...here, outcome: "unparsed" }), row.unparsed);
    expect(row.condition + " failed", count({ ...here, outcome: "failed" }), row.failed);
  }
  let changed = 0;
  for (let i = 0; i < data.debates.length; i++) changed += (await load(i)).rounds.flat().some(t => t.was != null);
  expect("changed", count({ moves: "changed" }), changed);
  const shares = order => filter({ ...nothing, order }).map(g => orders[order](g));
  for (const order of Object.keys(orders)) expect("questions " + order, shares(order).every((x, k, all) => k === 0 || all[k - 1] <= x), true);
  for (const moves of ["won", "lost", "apart"]) expect(moves, count({ moves }), data.debates.filter(d => d[moves]).length);
  expect("repeats", repeats().reduce((n, repeat) => n + count({ repeat }), 0), data.debates.length);
  expect("tasks", data.tasks.reduce((n, task) => n + count({ task }), 0), data.debates.length);
  expect("no such question", count({ question: "\u0000none" }), 0);
  if (data.questions.length) expect("a question by its name", count({ question: data.questions[0].q }) >= data.questions[0].debates.length, true);
  for (let i = 0; i < Math.min(data.debates.length, 300); i++) await checkShown(i, expect);
  checkPrompts(expect);
  checkPane(expect);
  await checkTaken(expect);
  checkFormulas(expect);
  await checkControls(expect);
  await checkSearch(expect);
  for (const asked of document.querySelectorAll("details.asked")) asked.open = true;
  const boxes = document.querySelectorAll("header, .verdict, section > :is(h3, p, details, form, .scroll, .figures, .browser), footer");
  const edges = [...boxes].filter(box => box.offsetWidth).map(box => Math.round(box.getBoundingClientRect().right));
  expect("right edges", new Set(edges).size, 1);
  expect("the page is as wide as the window", document.documentElement.scrollWidth > document.documentElement.clientWidth, false);
  const names = [...document.querySelectorAll("table.data tbody th")].filter(th => th.offsetWidth);
  expect("names in tables with room for words", names.filter(th => th.offsetWidth < 48).length, 0);
  expect("requests", performance.getEntriesByType("resource").length, 0);
  return failures.length ? "failed: " + failures.join("; ") : "passed";
}

// checkShown shows a debate with all that is folded, and looks for elements that only a text could have brought.
async function checkShown(i, expect) {
  await show(i);
  const d = await load(i), agents = Math.min(columnsShown, d.agents.length);
  for (const details of $("debate").querySelectorAll("details")) { details.open = true; details.dispatchEvent(new Event("toggle")); }
  expect(`debate ${i} strangers`, $("debate").querySelectorAll("script,img,iframe,object,style,link").length, 0);
  expect(`debate ${i} turns`, $("debate").querySelectorAll(".grid > tbody > tr > td > .turn").length, d.rounds.flat().filter(t => t.a < agents).length);
  expect(`debate ${i} prompts`, $("debate").querySelectorAll(".prompt").length, Math.min(mostPrompts, generations(d).length));
  expect(`debate ${i} cells`, $("debate").querySelectorAll(".grid > tbody > tr > td").length, d.rounds.length * agents);
}

// checkPrompts is worked by hand: of three prompts with a token for each letter, two part behind the second letter, where
// the third ends. The longest has 4 tokens and a reply of 1, so that a token is 20 % of the width.
function checkPrompts(expect) {
  const g = (name, text) => ({ name, text, turn: { p: text.length, g: 1, cached: 2, x: -1 } });
  const list = [g("a", "abcd"), g("b", "abef"), g("c", "ab")], nodes = branches(list);
  const written = n => `${n.from}-${n.to} ${n.of.map(o => o.name).join("")}` + (n.below.length ? ` (${n.below.map(written).join(", ")})` : "");
  expect("the tree of three prompts", nodes.map(written).join(", "), "0-2 abc (2-4 a, 2-4 b)");
  expect("its rows", inTreeOrder(nodes).map(o => o.name).join(""), "cab");
  const bars = [...tree(list, 3)[1].querySelectorAll(".shared, .own, .reply")].map(b => `${b.className} ${b.style.left} ${b.style.width}`);
  expect("its bars", bars.join("; "), "shared 0% 40%; reply 40% 20%; own 40% 40%; reply 80% 20%; own 40% 40%; reply 80% 20%");
  const same = tree([g("a", "ab"), g("b", "ab")], 2)[1];
  expect("two equal prompts", [...same.querySelectorAll(".shared, .own")].length + " " + same.querySelectorAll(".branch").length, "1 1");
}

// checkPane: what a part of the tree says can be read where the part is, however long the tree is.
function checkPane(expect) {
  const long = Array.from({ length: 150 }, (_, i) => ({ name: "g" + i, text: "ab" + i, turn: { p: 4, g: 1, x: -1 } }));
  const box = el("details", { open: "" }, el("summary", null, "tree"), tree(long, 150)), first = box.querySelector("button.own"), pane = box.querySelector(".token-text");
  $("debate").append(box);
  first.scrollIntoView({ block: "center" });
  first.click();
  const seen = pane.getBoundingClientRect();
  expect("the pane beside the first part", seen.top >= 0 && seen.bottom <= innerHeight + 1 && pane.textContent.startsWith("About"), true);
  expect("the pane covers no more than half of the window", seen.height <= innerHeight / 2, true);
  box.remove();
  scrollTo(0, 0);
}

// checkTaken: a debate as JSON and as Markdown has every reply of its rounds, and j goes to the next one.
async function checkTaken(expect) {
  if (data.debates.length < 2) return;
  gather();
  await show(found[0]);
  const d = await load(current), replies = d.rounds.flat().map(t => t.text.trim().split("\n")[0]), markdown = asMarkdown(d);
  expect("replies as JSON", JSON.parse(JSON.stringify(taken(d))).rounds.flatMap(r => r.turns).map(t => t.text.trim().split("\n")[0]).join(), replies.join());
  expect("replies as Markdown", replies.filter(text => markdown.includes(text)).length, replies.length);
  dispatchEvent.call(document.body, new KeyboardEvent("keydown", { key: "j", bubbles: true }));
  expect("j is the next debate", location.hash, address(found[1]));
  await new Promise(resolve => setTimeout(resolve, 50)); // until it is shown
  history.replaceState(null, "", "#test");
}

// checkFormulas: money is no formula, what KaTeX refuses stays text, and nothing in a formula becomes a link, a picture
// or a style of the page.
function checkFormulas(expect) {
  const found = text => formulas(text).map(f => f.tex).join(" | ");
  expect("formulas", found("$x^2$ costs $5 and $10, \\(a\\) \\[b\\] $$c$$ $n + 2$ \\boxed{} \\boxed{\\frac{1}{2}} \\$d\\$"), "x^2 | a | b | c | n + 2 | \\boxed{\\frac{1}{2}}");
  expect("no formulas", found("$ 5 $ $$ \\(\\) \\boxed{ $x\ny=$ \\["), "");
  const begun = performance.now();
  for (const part of ["$", "\\(", "\\[", "$$ ", "\\boxed{", "$\\frac{", "{"]) expect("formulas in " + part, formulas(part.repeat(200000)).length <= mostFormulas, true);
  expect("time for long texts without an end", performance.now() - begun < 5000, true);
  if (typeof katex === "undefined") return;
  const box = el("div", { class: "said" }, written("so \\(\\frac{1}{2}\\) is **it** $\\oops{$ $a_$", 3, 9));
  expect("drawn", box.querySelectorAll("math mfrac").length + " " + box.querySelectorAll("mark math").length, "1 1");
  expect("refused", box.textContent.endsWith(" is **it** $\\oops{$ $a_$"), true);
  const hostile = ["\\href{javascript:alert(1)}{x}", "\\url{https://example.org}", "\\includegraphics{https://example.org/x.png}", "\\htmlStyle{position:fixed}{x}", "\\htmlId{debates}{x}", "\\htmlClass{warning}{x}",
    "\\text{<img src=x onerror=alert(1)>}", "\\def\\a{\\a\\a}\\a", "\\rule{9999em}{9999em}", "\\kern{-9999em}x", "\\color{url(https://example.org)}x", "{".repeat(700) + "}".repeat(700)];
  const shown = el("div", { class: "said", style: "width:20rem" }, hostile.map(tex => el("p", null, written(`a \\(${tex}\\) b`))));
  $("debate").append(shown);
  expect("strangers in formulas", shown.querySelectorAll("a,img,script,iframe,[id],[href],[src],[onerror],[class=warning],[style*=fixed],[style*=url]").length, 0);
  expect("formulas keep their place", [...shown.querySelectorAll(".math")].filter(m => m.getBoundingClientRect().width > shown.getBoundingClientRect().width + 1).length, 0);
  shown.remove();
}

// checkSearch looks for the end of the last reply: each debate that is listed has it, what is marked is it, and an
// excerpt opens.
async function checkSearch(expect) {
  const all = await Promise.all(data.debates.map((_, i) => load(i))), last = all.flatMap(turnsOf).findLast(t => t.text.trim());
  if (!last) return;
  const text = last.text.trim().slice(-12).trim().toLowerCase(), has = d => turnsOf(d).some(t => t.text.toLowerCase().includes(text));
  $("filters").elements.reply.value = text;
  await refresh();
  const wanted = [...all.keys()].filter(i => has(all[i]));
  expect("found in replies", found.length === wanted.length && wanted.every(i => found.includes(i)), true);
  for (const i of found.slice(0, 5)) {
    await show(i);
    await new Promise(resolve => setTimeout(resolve, 50)); // until what is folded is opened
    const marked = [...CSS.highlights.get("found") || []];
    expect(`debate ${i} marks what was found`, marked.every(r => r.toString().toLowerCase() === search.text) && (marked.length > 0 || $("debate").querySelector("math") != null || turnsOf(all[i]).every(t => t.a >= columnsShown || !hit(t.text))), true);
    for (const box of $("debate").querySelectorAll(".excerpt")) {
      const mark = marked.find(r => box.contains(r.startContainer));
      if (mark) expect(`debate ${i} shows the mark in its excerpt`, mark.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom + 1, true);
    }
    const brief = $("debate").querySelector(".brief");
    if (!brief) continue;
    for (const shown of [1, 0]) {
      brief.click();
      expect("turns below the row", $("debate").querySelectorAll(".unfolded .said").length > 0, shown === 1);
    }
  }
  $("filters").elements.reply.value = "";
  await refresh();
  expect("marks without a search", CSS.highlights.has("found"), false);
}

async function checkControls(expect) {
  const f = $("filters").elements, outcome = f.outcome.value;
  f.outcome.value = "wrong";
  await refresh();
  expect("listed", $("list").children.length, Math.min(pageSize, data.questions.filter(q => q.debates.some(i => data.debates[i].s === "wrong")).length));
  const wrong = data.debates.findIndex((d, i) => d.s === "wrong" && i === found[0]);
  expect("the first that fits is shown", current, found.length ? wrong : -1);
  expect("the address", location.hash, address(current));
  if (found.length) expect("the address has the filter", location.hash, `#debate-${wrong}&outcome=wrong`);
  f.outcome.value = "";
  history.replaceState(null, "", "#debates&outcome=wrong&question=%E2%82%AC");
  await go();
  expect("filters from the address", [f.outcome.value, f.question.value, found.length].join(), "wrong,€,0");
  expect("nothing fits", $("debate").textContent, "No debate fits these filters.");
  for (const name of Object.keys(nothing)) f[name].value = "";
  f.outcome.value = outcome;
  await refresh();
  expect("failed debates in the list", [...$("list").querySelectorAll("a .failed")].length > 0, data.debates[current]?.s === "failed" || found.some(i => data.debates[i].s === "failed" && groups[0].debates.includes(i)));
  for (const [name, values] of [["task", data.tasks], ["repeat", repeats()]]) expect(name + " is shown", f[name].offsetParent !== null, values.length > 1);
  const button = document.querySelector("table.data th.n button"), column = button.closest("th").cellIndex, body = button.closest("table").tBodies[0];
  const values = () => [...body.rows].map(r => r.cells[column].dataset.value).filter(v => v != null).map(Number);
  for (const down of [false, true]) {
    button.click();
    expect("sorted", values().every((v, k, all) => k === 0 || (down ? all[k - 1] >= v : all[k - 1] <= v)), true);
  }
}
