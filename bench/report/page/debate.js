// One debate: its question, who answered what, and what was said.

const columnsShown = 10; // agents beside each other
const wholeColumns = 4; // with whole replies; of more agents each reply is an excerpt that opens below its row

const given = text => text == null ? "unparsed" : text || "(empty)"; // an answer, null if it could not be read
const agent = (d, i) => d.agents[i] ?? "agent " + i;
const agents = (d, list) => list.map(i => agent(d, i)).join(", ");

// show shows a debate, unless another one is asked for while its part is unpacked.
async function show(i) {
  current = i;
  if (i < 0) {
    $("debate").replaceChildren(el("p", { class: "soft" }, searching() ? "Searching." : data.debates.length ? "No debate fits these filters." : "There are no debates."));
    return;
  }
  const d = await load(i);
  if (current !== i) return;
  $("debate").replaceChildren(steps(), el("h3", null, title(d)), verdict(d), el("p", { class: "meta" }, [...d.how || [], ...counted(d)].join(" · ")),
    question(d), ...[answersByRound(d), d.rounds.length ? columns(d) : null, prompts(d)].filter(x => x), ...(d.s === "failed" ? [] : decision(d)), take(d));
  hint($("debate"));
  highlight();
}

function title(d) {
  const place = data.tasks.length > 1 ? data.tasks[questionOf(d).k] + ", " : "";
  return `${place}${questionOf(d).q}, ${data.conditions[d.c]}${again(d)}`;
}

// counted is what the calls of a debate took, if that is known.
function counted(d) {
  const calls = turnsOf(d).filter(t => !t.error && t.k !== "given" && (t.p || t.g)), sum = of => number(calls.reduce((n, t) => n + (of(t) || 0), 0));
  return calls.length ? [`${number(calls.length)} call${calls.length === 1 ? "" : "s"}`, `prompts of ${sum(t => t.p)} tokens, ${sum(t => t.cached)} of them cached`, `${sum(t => t.g)} tokens generated`] : [];
}

// beside is the debate so many places from the current one, of those that fit the filters.
const beside = by => found[found.indexOf(current) + by];

function step(by) {
  if (beside(by) !== undefined) location.hash = address(beside(by));
}

function steps() {
  const button = (by, text, key) => el("button", { type: "button", title: "key " + key, disabled: beside(by) === undefined ? "" : null, onclick: () => step(by) }, text);
  return el("div", { class: "steps" }, button(-1, "Previous", "k"), button(1, "Next", "j"));
}

// sentence ends a text with a full stop, if nothing ends it yet.
const sentence = text => /[.!?。！？]$/.test(text) ? text : text + ".";

function verdict(d) {
  if (d.s === "failed") return el("p", null, el("span", { class: "chip failed" }, "! failed"), ` This debate failed${d.error ? ": " + d.error : ""}. No accuracy counts it; the right answer is ${sentence(d.t)}`);
  return el("p", null, "Decided: ", chip(d.v || d.s, given(d.g)), ` — ${d.v || d.s}; the right answer is ${sentence(d.t)}`,
    d.v ? ` This condition does not score the decision: it counts as ${d.s}.` : "");
}

// asked is the first message that was sent to somebody in a debate: the question, as a rule.
function asked(d) {
  const turn = d.rounds.flat().find(t => t.sent.length > 0);
  return turn ? (turn.sent.find(m => m.role === "user") || turn.sent[0]).text : "";
}

function question(d) {
  const text = asked(d);
  return text && el("details", { open: text.length < 1500 ? "" : null }, el("summary", null, "The question, as first sent"), el("div", { class: "sent" }, written(text)));
}

// answersByRound shows answers alone, agents as columns and rounds as rows: who changed, and whose answer it took.
function answersByRound(d) {
  if (d.rounds.length < 2 || d.agents.length > 24) return null;
  const named = d.agents.length <= wholeColumns; // there is room for names
  const answers = (turns, a) => turns.filter(t => t.a === a && (t.s || t.w)).map(t => el("div", { class: t.was != null ? "step moved" : "step" }, t.was != null ? "⇢ " : "",
    t.s ? chip(t.s, t.w || t.s) : el("b", null, t.w), t.was != null && t.from && named ? el("span", { class: "soft" }, " from " + agents(d, t.from)) : ""));
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "answers by round" }, el("table", { class: named ? "by-round" : "by-round dense" },
    el("thead", null, el("tr", null, el("td"), d.agents.map(name => el("th", { scope: "col" }, name)))),
    el("tbody", null, d.rounds.map((turns, r) => el("tr", null, el("th", { scope: "row" }, d.names[r]), d.agents.map((_, a) => el("td", null, answers(turns, a))))))));
}

// columns shows the grid of some agents, with the way to the others.
function columns(d, from = 0) {
  const box = el("div"), to = Math.min(d.agents.length, from + columnsShown);
  const move = (at, text) => el("button", { type: "button", disabled: at < 0 || at >= d.agents.length ? "" : null, onclick: () => box.replaceWith(columns(d, at)) }, text);
  if (d.agents.length > columnsShown) box.append(el("p", { class: "pages" }, move(from - columnsShown, "Earlier agents"), el("span", null, `${d.agents[from]} to ${d.agents[to - 1]}, ${to - from} of ${number(d.agents.length)}`), move(to, "Later agents")));
  box.append(grid(d, from, to));
  return box;
}

// grid has agents [from, to) as columns and rounds as rows, whoever speaks how often in each.
function grid(d, from, to) {
  const shown = d.agents.slice(from, to), brief = d.agents.length > wholeColumns;
  const table = el("table", { class: brief ? "grid briefs" : "grid", style: `min-width:${brief ? 4 + 5.2 * shown.length : 6 + 12.4 * shown.length}rem` },
    el("thead", null, el("tr", null, el("td"), shown.map(name => el("th", { scope: "col" }, name)))),
    el("tbody", null, d.rounds.map((turns, r) => el("tr", null, el("th", { scope: "row" }, d.names[r]), shown.map((_, a) => spoken(d, turns, from + a, brief))))));
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "what was said" }, table);
}

function spoken(d, turns, a, brief) {
  const numbered = turns.some((t, i) => t.k || turns.findIndex(o => o.a === t.a) !== i), shown = brief ? excerpt : turn;
  const cells = turns.flatMap((t, i) => t.a === a ? [shown(d, t, numbered ? i + 1 : 0)] : []);
  return cells.length ? el("td", null, cells) : el("td", { class: "none" }, el("span", { "aria-label": "says nothing" }, "–"));
}

// excerpt is a turn in a narrow column: its answer and the words around it, or around what was searched for. They are so
// few that the column, which has eight lines of some ten letters, shows the place.
function excerpt(d, t, place) {
  const at = hit(t.text) ? t.text.toLowerCase().indexOf(search.text) : t.w ? t.text.lastIndexOf(t.w) : -1;
  const cut = at < 0 ? around(t.text, t.text.length, 80, 0) : around(t.text, at, 40, 40), answer = t.w ? cut.lastIndexOf(t.w) : -1;
  const button = el("button", { type: "button", class: "turn brief", "aria-expanded": "false", onclick: () => unfold(d, t, place, button) },
    head(t, place, "span"), t.was != null ? el("span", { class: "meta" }, `⇢ from ${t.was || "unparsed"}`) : null, el("span", { class: t.error ? "excerpt wrong" : "excerpt" }, t.error ? "silent: " + t.error : written(cut, answer, answer < 0 ? -1 : answer + t.w.length)));
  return button;
}

// unfold shows a turn below its row, in the place of the one that is shown there, or folds it.
function unfold(d, t, place, button) {
  const row = button.closest("tr"), open = button.getAttribute("aria-expanded") === "true";
  if (row.nextElementSibling?.className === "unfolded") row.nextElementSibling.remove();
  for (const other of row.querySelectorAll("[aria-expanded=true]")) other.setAttribute("aria-expanded", "false");
  if (!open) {
    button.setAttribute("aria-expanded", "true");
    row.after(el("tr", { class: "unfolded" }, el("td", { colspan: row.cells.length }, el("h4", null, `${agent(d, t.a)}, ${row.cells[0].textContent}`), turn(d, t, place))));
  }
  highlight();
}
