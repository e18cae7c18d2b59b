// Tables sort, and the browser of debates filters, lists and shows. Texts only ever become text nodes, and only what is shown is made.

let data = null; // the index, when it is unpacked
const $ = id => document.getElementById(id);
const pageSize = 50; // questions in the list
const groupSize = 100; // debates of a question that are listed at once
const columnsShown = 10; // agents beside each other
const wholeColumns = 4; // with whole replies; of more agents each reply is an excerpt that opens below its row
const signs = { right: "✓", wrong: "✗", unparsed: "?", failed: "!" };
let groups = [], found = []; // what fits the filters: debates by question, and all of them
let first = 0, current = -1; // the first question of the list's page, and the debate that is shown

// el makes an element; attributes that are null are left out, and strings become text.
function el(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value != null) e.setAttribute(key, value);
  }
  e.append(...children.flat().filter(c => c != null && c !== ""));
  return e;
}

// --- tables

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

async function copy(name) {
  const text = $(name);
  try {
    await navigator.clipboard.writeText(text.value);
  } catch {
    text.closest("details").open = true;
    text.select();
    document.execCommand("copy");
  }
  $("copied").textContent = "Copied.";
}

// --- filters and the list

// index gives each question its debates, in the order of the record.
function index() {
  for (const q of data.questions) q.debates = [];
  data.debates.forEach((d, i) => questionOf(d).debates.push(i));
}

const questionOf = d => data.questions[d.q];

// asked is the first message that was sent to somebody in a debate: the question, as a rule.
function asked(d) {
  const turn = d.rounds.flat().find(t => t.sent.length > 0);
  return turn ? (turn.sent.find(m => m.role === "user") || turn.sent[0]).text : "";
}

// words are what a question is found by: its name, and what it asks.
const words = question => question.words ??= (question.q + "\n" + question.asks).toLowerCase();

const nothing = { question: "", reply: "", task: "", condition: "", repeat: "", outcome: "", moves: "" };

// filter lists the questions that have debates which fit, with these.
function filter(by) {
  const text = by.question.toLowerCase(), task = data.tasks.indexOf(by.task), condition = data.conditions.indexOf(by.condition);
  const fits = d => (!by.condition || d.c === condition) && (!by.repeat || (d.n || 0) === by.repeat - 1) && (!by.outcome || d.s === by.outcome) && (!by.moves || d[by.moves]);
  return data.questions.flatMap(question => {
    if ((by.task && question.k !== task) || (text && !words(question).includes(text))) return [];
    const debates = question.debates.filter(i => fits(data.debates[i]) && (!by.reply || search.hits.has(i)));
    return debates.length ? [{ question, debates }] : [];
  });
}

function filters() {
  const by = {};
  for (const name of Object.keys(nothing)) by[name] = $("filters").elements[name].value.trim();
  return by;
}

function gather() {
  groups = filter(filters());
  found = groups.flatMap(g => g.debates);
}

// refresh follows a change of the filters: it shows the first debate that fits, and keeps the filters in the address.
async function refresh() {
  const { reply } = filters(), other = reply.toLowerCase() !== search.text;
  const ended = other ? seek(reply) : null; // it begins anew before anything is listed
  gather();
  first = 0;
  const shown = show(found.length ? found[0] : -1);
  list();
  $("list").scrollTop = 0;
  try {
    history.replaceState(null, "", address(current));
  } catch { /* browsers refuse to do so many times a second: the next change tells it */ }
  await shown;
  await ended;
}

// address is that of a debate with the filters that are set, such as #debate-3&outcome=wrong.
function address(i) {
  const set = Object.entries(filters()).filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return "#" + [i < 0 ? "debates" : "debate-" + i, ...set].join("&");
}

// placed reads an address: the place, and the filters that it has.
function placed(hash) {
  const [place, ...rest] = hash.slice(1).split("&"), by = { ...nothing };
  for (const part of rest) {
    const [name, value] = part.split("=");
    try {
      if (name in nothing) by[name] = decodeURIComponent(value || "");
    } catch { /* an address that somebody has mistyped */ }
  }
  return { place, by, filtered: rest.length > 0 };
}

function commonLength(a, b, from = 0) {
  let i = from;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}

function list() {
  const at = $("list").scrollTop;
  $("list").replaceChildren(...groups.slice(first, first + pageSize).map(group));
  $("list").scrollTop = at;
  $("count").textContent = `${number(found.length)} of ${number(data.debates.length)} debates, on ${number(groups.length)} of ${number(data.questions.length)} questions${searching() ? `; ${Math.floor(100 * search.parts / data.starts.length)} % of the replies are searched` : ""}`;
  const last = Math.min(groups.length, first + pageSize);
  $("page").textContent = groups.length ? `questions ${first + 1} to ${last}` : "none";
  $("earlier").disabled = first === 0;
  $("later").disabled = last >= groups.length;
}

// group is a question in the list; its debates are made when it is opened.
function group(g) {
  const of = score => g.debates.filter(i => data.debates[i].s === score).length, failed = of("failed"), asks = g.question.asks, task = data.tasks.length > 1 ? data.tasks[g.question.k] : null;
  const title = [el("span", { class: "name" }, g.question.q), el("span", { class: "soft" }, `${of("right")} of ${g.debates.length} right${failed ? `, ${failed} failed` : ""}`), asks && el("span", { class: "under soft asks" }, asks.slice(0, 300)), task && el("span", { class: "under" }, task)];
  const details = el("details", { ontoggle: () => { if (details.open && details.children.length === 1) details.append(entries(g)); } }, el("summary", null, title));
  if (g.debates.includes(current)) {
    details.append(entries(g));
    details.open = true;
  }
  return el("li", null, details);
}

// entries lists debates of a question: the part that has the current one, with the way to those before and behind.
function entries(g, from = Math.floor(Math.max(0, g.debates.indexOf(current)) / groupSize) * groupSize) {
  const to = Math.min(g.debates.length, from + groupSize), box = el("ol");
  const way = (at, text) => el("li", null, el("button", { type: "button", class: "more", onclick: () => box.replaceWith(entries(g, at)) }, text));
  if (from > 0) box.append(way(from - groupSize, `${number(from)} before`));
  box.append(...g.debates.slice(from, to).map(entry));
  if (to < g.debates.length) box.append(way(to, `${number(g.debates.length - to)} more`));
  return box;
}

function entry(i) {
  const d = data.debates[i], marks = [];
  if (d.won) marks.push("changed to right");
  if (d.lost) marks.push("gave up right");
  if (d.changed && !d.won && !d.lost) marks.push("changed");
  if (d.apart) marks.push("disagreed");
  return el("li", null, el("a", { href: address(i), "aria-current": i === current ? "true" : null },
    el("span", { class: d.s, title: d.s, "aria-label": d.s }, signs[d.s] || "?"), el("span", null, data.conditions[d.c] + again(d)), el("span", { class: "given " + (d.v || d.s) }, d.s === "failed" ? "failed" : given(d.g)),
    marks.length ? el("span", { class: "under" }, marks.join(" · ")) : null, search.hits.has(i) ? el("span", { class: "under" }, search.hits.get(i)) : null, d.s === "failed" && d.error ? el("span", { class: "under" }, d.error.length > 160 ? d.error.slice(0, 160) + " …" : d.error) : null));
}

// again says for which time a debate was held.
const again = d => d.n ? ` #${d.n + 1}` : "";

function turnPage(by) {
  first += by * pageSize;
  list();
  $("list").scrollTop = 0;
}

// --- one debate

const given = text => text == null ? "unparsed" : text || "(empty)"; // an answer, null if it could not be read
const agent = (d, i) => d.agents[i] ?? "agent " + i;
const agents = (d, list) => list.map(i => agent(d, i)).join(", ");
const number = n => n.toLocaleString("en");
const chip = (score, text) => el("span", { class: "chip " + score }, `${signs[score] || "?"} ${text}`);

// show shows a debate, unless another one is asked for while its part is unpacked.
async function show(i) {
  current = i;
  if (i < 0) {
    $("debate").replaceChildren(el("p", { class: "soft" }, searching() ? "Searching." : data.debates.length ? "No debate fits these filters." : "There are no debates."));
    return;
  }
  const d = await load(i);
  if (current !== i) return;
  const place = data.tasks.length > 1 ? data.tasks[questionOf(d).k] + ", " : "";
  $("debate").replaceChildren(steps(), el("h3", null, `${place}${questionOf(d).q}, ${data.conditions[d.c]}${again(d)}`), verdict(d), el("p", { class: "meta" }, (d.how || []).join(" · ")),
    question(d), ...[answersByRound(d), d.rounds.length ? columns(d) : null, prompts(d)].filter(x => x), ...(d.s === "failed" ? [] : decision(d)));
  highlight();
}

function steps() {
  const at = found.indexOf(current);
  const button = (to, text) => el("button", { type: "button", disabled: found[to] === undefined ? "" : null, onclick: () => { location.hash = address(found[to]); } }, text);
  return el("div", { class: "steps" }, button(at - 1, "Previous"), button(at + 1, "Next"));
}

// sentence ends a text with a full stop, if nothing ends it yet.
const sentence = text => /[.!?。！？]$/.test(text) ? text : text + ".";

function verdict(d) {
  if (d.s === "failed") return el("p", null, el("span", { class: "chip failed" }, "! failed"), ` This debate failed${d.error ? ": " + d.error : ""}. No accuracy counts it; the right answer is ${sentence(d.t)}`);
  return el("p", null, "Decided: ", chip(d.v || d.s, given(d.g)), ` — ${d.v || d.s}; the right answer is ${sentence(d.t)}`,
    d.v ? ` This condition does not score the decision: it counts as ${d.s}.` : "");
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
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "answers by round" }, el("table", { class: "by-round" },
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

// excerpt is a turn in a narrow column: its answer and the words around it, or around what was searched for.
function excerpt(d, t, place) {
  const at = hit(t.text) ? t.text.toLowerCase().indexOf(search.text) : t.w ? t.text.lastIndexOf(t.w) : -1;
  const cut = around(t.text, at < 0 ? t.text.length : at, 110, 70), answer = t.w ? cut.lastIndexOf(t.w) : -1;
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

function turn(d, t, place) {
  return el("div", { class: "turn" }, head(t, place), moved(d, t), heard(d, t), t.error ? el("p", { class: "said wrong" }, "silent: " + t.error) : said(t), cost(t),
    extras(d, t), sent(t));
}

function head(t, place, name = "div") {
  const answer = t.s ? chip(t.s, t.w || (t.s === "unparsed" ? "unparsed" : "(empty)")) : t.w && el("b", null, t.w);
  return el(name, { class: "head" }, answer,
    place ? el("span", { class: "soft" }, `${place}. ${t.k === "given" ? "given from the pool" : t.k || ""}${t.n ? `, sample ${t.n}` : ""}`) : null,
    t.how && t.how !== "explicit" ? el("span", { class: "soft" }, t.how) : null,
    t.confidence != null ? el("span", { class: "soft" }, `confidence ${t.confidence.toFixed(2)}`) : null);
}

function moved(d, t) {
  if (t.was == null) return null;
  const from = t.from ? `; the answer that ${agents(d, t.from)} had given` : "";
  return el("p", { class: "meta" }, el("span", { class: "moved" }, `⇢ changed from ${t.was || "unparsed"}`), from);
}

function heard(d, t) {
  if (!t.h) return null;
  if (d.pool) return el("p", { class: "meta" }, `heard ${number(t.h.length)} solution${t.h.length === 1 ? "" : "s"} of the pool`);
  const order = t.h.map(i => agent(d, i)).join(" → ");
  return t.h.length > 12 ? fold(`heard ${t.h.length}`, () => [el("p", { class: "meta" }, order)]) : el("p", { class: "meta" }, "heard " + order);
}

// said is the reply, with the last place in it that has its answer marked; of a long one the end is shown, where its answer is, until all
// of it is asked for.
function said(t) {
  const text = t.text, most = 1200;
  if (text.length <= most || hit(text)) return el("div", { class: "said" }, marked(text, t.w));
  const box = el("div", { class: "said" }, "… ", marked(text.slice(-most), t.w), " ");
  box.prepend(el("button", { type: "button", class: "more", onclick: () => box.replaceChildren(...marked(text, t.w)) }, `all ${number(text.length)} characters`), " ");
  return box;
}

function marked(text, answer) {
  const at = answer ? text.lastIndexOf(answer) : -1;
  return written(text, at, at < 0 ? -1 : at + answer.length);
}

const endings = { length: ", cut off at the token limit", looped: ", ended as it repeated itself", "stop text": ", ended by a stop text" };

function cost(t) {
  if (t.error || t.k === "given" || !t.p && !t.g) return null; // a given reply was no call, and of an imported one nothing was counted
  const computed = t.p - (t.cached || 0), share = t.p ? 100 * (t.cached || 0) / t.p : 0;
  return el("div", null, el("div", { class: "share", "aria-hidden": "true" }, el("i", { style: `width:${share}%` })),
    el("p", { class: "meta" }, `prompt ${number(t.p)}: ${number(t.cached || 0)} cached, ${number(computed)} computed; reply ${number(t.g)} tokens${endings[t.stop] || ""}`));
}

function extras(d, t) {
  const parts = [];
  if (t.beliefs) parts.push(el("p", { class: "meta" }, "believes " + t.beliefs.map(b => `${b.answer} ${(100 * b.probability).toFixed(0)} %`).join(", ")));
  if (t.filled) parts.push(el("p", { class: "meta" }, "left out: " + t.filled.join(", ")));
  if (t.grammar != null) parts.push(fold("grammar that the reply had to follow", () => [el("div", { class: "sent" }, t.grammar)]));
  for (const [name, turns] of [["asked before", t.before], ["asked for the answer alone", t.after], ["asked with the others in different orders", t.probes]]) {
    if (turns) parts.push(fold(`${name} (${turns.length})`, () => turns.map(o => turn(d, o, 0)), turns.some(o => hit(o.text))));
  }
  return parts;
}

// fold makes its content when it is opened.
function fold(title, content, open = false) {
  const details = el("details", { open: open ? "" : null, ontoggle: () => {
    if (!details.open || details.children.length > 1) return;
    details.append(...content());
    highlight();
  } }, el("summary", null, title));
  return details;
}

function sent(t) {
  return t.sent.length > 0 && fold(`sent (${t.sent.length})`, () => t.sent.map(m => el("div", { class: "sent" }, el("b", null, m.role), written(m.text)))) || null;
}

// --- how it was decided

function decision(d) {
  const c = d.decision;
  return [el("h4", null, "Decision"), el("p", null, reasons(c).join("; ") + "."), elected(d), quoted(c.reason), votes(d, c), players(d, c), ballots(d, c), voting(d), judged(d), records(d), challenges(d), notes(d)].filter(x => x);
}

const quoted = text => text && el("div", { class: "said" }, written(text));

// elected is the text that was decided for, where no answer can be read from it.
const elected = d => d.elected == null || d.g != null ? null : el("div", null, el("p", { class: "meta" }, `elected is the text of ${agent(d, d.by || 0)}`), quoted(d.elected));

function reasons(c) {
  const reasons = [c.rule || "no rule"];
  if (c.tie) reasons.push("a tie, decided by its rule");
  if (c.side) reasons.push("for the " + c.side + " side");
  if (c.withheld) reasons.push(`${c.withheld} had too small a share of the votes`);
  return reasons;
}

function facts(title, header, rows) {
  if (!rows.length) return null;
  return el("div", { class: "scroll" }, el("h4", null, title), el("table", { class: "facts" }, el("thead", null, el("tr", null, header.map(h => el("th", { scope: "col" }, h)))),
    el("tbody", null, rows.map(r => el("tr", null, r.map(c => el("td", null, c == null ? "" : String(c))))))));
}

function votes(d, c) {
  return facts("Votes", ["answer", "votes", "of"], (c.votes || []).map(v => [v.answer, v.weight ? `${v.agents.length} (weight ${+v.weight.toFixed(3)})` : v.agents.length, agents(d, v.agents)]));
}

function players(d, c) {
  return facts("Players", ["player", "decided", "votes", ""], (c.players || []).map(p =>
    [p.player, p.winner || "none", p.roles.map(r => `${r.answer} ${r.agents.length}`).join(", "), p.tie ? `tie${p.by ? ", broken by the " + p.by : ""}` : ""]));
}

function ballots(d, c) {
  const content = b => b.invalid ? "invalid: " + b.invalid : b.ranking ? b.ranking.map(i => "candidate " + i).join(" > ") : b.points ? b.points.join(", ") : (b.weights || []).map(w => w.toFixed(3)).join(", ");
  const table = facts("Ballots", ["voter", "ballot"], (c.ballots || []).map(b => [agent(d, b.agent), content(b)]));
  if (!c.tally) return table;
  const winner = c.tally.winner < 0 ? "left open" : "candidate " + c.tally.winner;
  return el("div", null, table, el("p", { class: "meta" }, `${c.tally.rule}: ${(c.tally.scores || []).map((s, i) => `candidate ${i} ${s}`).join(", ")}; ${winner}`));
}

function judged(d) {
  return d.judged && fold(`the judge of facts (${d.judged.length})`, () => d.judged.map(t => el("div", null, el("h4", null, agent(d, t.a)), turn(d, t, 0))), d.judged.some(t => hit(t.text)));
}

function voting(d) {
  return d.voting && fold(`the calls for ballots (${d.voting.flat().length})`, () => d.voting.flat().map(t => el("div", null, el("h4", null, agent(d, t.a)), turn(d, t, 0))), d.voting.flat().some(t => hit(t.text)));
}

function records(d) {
  const stance = a => a == null ? "draft" : a ? "agrees" : "disagrees";
  return facts("Messages as the rules see them", ["turn", "agent", "", "solution", "seen by"], (d.records || []).map(r => [r.turn, agent(d, r.agent), stance(r.agreement), r.solution, r.to ? agents(d, r.to) : "all"]));
}

function challenges(d) {
  const stance = a => a == null ? "neither" : a ? "agrees" : "disagrees";
  return facts("Challenge of the decision", ["agent", "", "answer"], (d.challenges || []).map(c => [agent(d, c.agent), stance(c.agrees), given(c.answer.parsed ? c.answer.text : null)]));
}

function notes(d) {
  return d.notes && el("div", null, el("h4", null, "Notes on this debate"), el("ul", null, d.notes.map(n => el("li", null, n))));
}

// --- the page checks itself when it is opened with #test, and writes what came of it where a test can read it

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
  for (const moves of ["won", "lost", "apart"]) expect(moves, count({ moves }), data.debates.filter(d => d[moves]).length);
  expect("repeats", repeats().reduce((n, repeat) => n + count({ repeat }), 0), data.debates.length);
  expect("tasks", data.tasks.reduce((n, task) => n + count({ task }), 0), data.debates.length);
  expect("no such question", count({ question: "\u0000none" }), 0);
  if (data.questions.length) expect("a question by its name", count({ question: data.questions[0].q }) >= data.questions[0].debates.length, true);
  for (let i = 0; i < Math.min(data.debates.length, 300); i++) await checkShown(i, expect);
  checkPrompts(expect);
  checkPane(expect);
  checkFormulas(expect);
  await checkControls(expect);
  await checkSearch(expect);
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

// --- the start

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
    const page = Math.floor(groups.findIndex(g => g.debates.includes(current)) / pageSize) * pageSize;
    if (page >= 0) first = page;
    list();
    inView($("list").querySelector("[aria-current]"));
    const top = $("debate").getBoundingClientRect().top;
    if (top < 0 || top > innerHeight / 2) $("debate").scrollIntoView();
    $("debate").focus({ preventScroll: true });
  }
  await ended;
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

// repeats are the numbers of times that debates were held, as texts.
function repeats() {
  const most = data.debates.reduce((n, d) => Math.max(n, d.n || 0), 0);
  return Array.from({ length: most + 1 }, (_, i) => String(i + 1));
}

// start unpacks the index and shows the first debate. What needs no debate works before.
async function start() {
  for (const button of document.querySelectorAll("table.data thead button")) button.addEventListener("click", () => sortTable(button.closest("th")));
  for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button.dataset.copy));
  addEventListener("beforeprint", () => { $("facts").open = true; });
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
  gather();
  const shown = show(found.length ? found[0] : -1);
  list();
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
