"use strict";
// The table sorts, and the browser of debates filters, lists and shows. Texts only ever become text nodes.

const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const pageSize = 100;
const signs = { right: "✓", wrong: "✗", unparsed: "?" };
let found = [], first = 0, current = -1; // indexes of debates, the first one of the page, the one that is shown

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

// --- the table of conditions

function sortTable(th) {
  const down = th.getAttribute("aria-sort") === "ascending", column = th.cellIndex, body = $("conditions").tBodies[0];
  for (const other of th.parentNode.cells) other.removeAttribute("aria-sort");
  th.setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = row => row.cells[column].dataset.value ?? (column === 0 ? row.cells[0].textContent : "");
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

// asked is the first message that was sent to somebody in a debate: the question, as a rule.
function asked(debate) {
  const turn = debate.rounds.flat().find(t => (sentTo(t) || []).length > 0);
  if (!turn) return "";
  const messages = sentTo(turn);
  return (messages.find(m => m.role === "user") || messages[0]).text;
}

function sentTo(turn) {
  const sent = data.sent && data.sent[turn.key];
  if (!sent) return null;
  const messages = [];
  for (let i = 0; i < sent.length; i += 2) messages.push({ role: data.speakers[sent[i]], text: data.texts[sent[i + 1]] });
  return messages;
}

function filter(by) {
  const text = by.question.toLowerCase(), condition = data.conditions.indexOf(by.condition);
  return data.debates.flatMap((d, i) =>
    (by.condition && d.c !== condition) || (by.outcome && d.s !== by.outcome) || (by.changed && !d.changed) || (by.apart && !d.apart) ||
    (text && !d.q.toLowerCase().includes(text) && !asked(d).toLowerCase().includes(text)) ? [] : [i]);
}

function filters() {
  const f = $("filters").elements;
  return { question: f.question.value.trim(), condition: f.condition.value, outcome: f.outcome.value, changed: f.changed.checked, apart: f.apart.checked };
}

function refresh() {
  found = filter(filters());
  first = Math.max(0, Math.floor(found.indexOf(current) / pageSize)) * pageSize;
  list();
}

function list() {
  $("list").replaceChildren(...found.slice(first, first + pageSize).map(entry));
  $("count").textContent = `${found.length} of ${data.debates.length} debates`;
  const last = Math.min(found.length, first + pageSize);
  $("page").textContent = found.length ? `${first + 1} to ${last}` : "none";
  $("earlier").disabled = first === 0;
  $("later").disabled = last >= found.length;
}

function entry(i) {
  const d = data.debates[i], marks = [data.conditions[d.c]];
  if (d.changed) marks.push("changed");
  if (d.apart) marks.push("disagreed");
  return el("li", null, el("a", { href: "#debate-" + i, "aria-current": i === current ? "true" : null },
    el("span", { class: d.s, title: d.s, "aria-label": d.s }, signs[d.s] || "?"), el("span", null, d.q), el("span", { class: "given " + (d.v || d.s) }, given(d.decision.answer)),
    el("span", { class: "under" }, marks.join(" · "))));
}

function turnPage(by) {
  first += by * pageSize;
  list();
  $("list").scrollTop = 0;
}

// --- one debate

const given = answer => answer.parsed ? answer.text || "(empty)" : "unparsed";
const agent = (d, i) => d.agents[i] ?? "agent " + i;
const agents = (d, list) => list.map(i => agent(d, i)).join(", ");
const number = n => n.toLocaleString("en");
const chip = (score, text) => el("span", { class: "chip " + score }, `${signs[score] || "?"} ${text}`);

function show(i) {
  current = i;
  const d = data.debates[i];
  $("debate").replaceChildren(steps(), el("h3", null, `${d.q}, ${data.conditions[d.c]}`), verdict(d), el("p", { class: "meta" }, (d.how || []).join(" · ")),
    question(d), grid(d), ...decision(d));
}

function steps() {
  const at = found.indexOf(current);
  const button = (to, text) => el("button", { type: "button", disabled: found[to] === undefined ? "" : null, onclick: () => { location.hash = "debate-" + found[to]; } }, text);
  return el("div", { class: "steps" }, button(at - 1, "Previous"), button(at + 1, "Next"));
}

function verdict(d) {
  return el("p", null, "Decided: ", chip(d.v || d.s, given(d.decision.answer)), ` — ${d.v || d.s}; the right answer is ${d.t}.`,
    d.v ? ` This condition does not score the decision: it counts as ${d.s}.` : "");
}

function question(d) {
  const text = asked(d);
  return text && el("details", { open: text.length < 1500 ? "" : null }, el("summary", null, "The question, as first sent"), el("div", { class: "sent" }, text));
}

// grid has agents as columns and rounds as rows, whoever speaks how often in each.
function grid(d) {
  const table = el("table", { class: "grid", style: `min-width:${6 + 15 * d.agents.length}rem` },
    el("thead", null, el("tr", null, el("th", { scope: "col" }, ""), d.agents.map(name => el("th", { scope: "col" }, name)))),
    el("tbody", null, d.rounds.map((turns, r) => el("tr", null, el("th", { scope: "row" }, d.names[r]), d.agents.map((_, a) => spoken(d, turns, a))))));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "what was said" }, table);
}

function spoken(d, turns, a) {
  const numbered = turns.some((t, i) => t.k || turns.findIndex(o => o.a === t.a) !== i);
  const cells = turns.flatMap((t, i) => t.a === a ? [turn(d, t, numbered ? i + 1 : 0)] : []);
  return cells.length ? el("td", null, cells) : el("td", { class: "none" }, el("span", { "aria-label": "says nothing" }, "–"));
}

function turn(d, t, place) {
  return el("div", { class: "turn" }, head(t, place), moved(d, t), heard(d, t), t.error ? el("p", { class: "said wrong" }, "silent: " + t.error) : said(t), cost(t),
    extras(d, t), sent(t));
}

function head(t, place) {
  const answer = t.s ? chip(t.s, t.w || (t.s === "unparsed" ? "unparsed" : "(empty)")) : t.w && el("b", null, t.w);
  return el("div", { class: "head" }, answer,
    place ? el("span", { class: "soft" }, `${place}. ${t.k || ""}${t.n ? `, sample ${t.n}` : ""}`) : null,
    t.confidence != null ? el("span", { class: "soft" }, `confidence ${t.confidence.toFixed(2)}`) : null);
}

function moved(d, t) {
  if (t.was == null) return null;
  const from = t.from ? `, to what it heard from ${agents(d, t.from)}` : "";
  return el("p", { class: "meta" }, el("span", { class: "moved" }, `⇢ changed from ${t.was || "unparsed"}`), from);
}

function heard(d, t) {
  return t.h && el("p", { class: "meta" }, `heard ${t.h.map(i => agent(d, i)).join(" → ")}`);
}

// said is the reply, with the last place in it that has its answer marked; a long one is cut until all of it is asked for.
function said(t) {
  const text = data.texts[t.x], most = 1200;
  if (text.length <= most) return el("div", { class: "said" }, marked(text, t.w));
  const box = el("div", { class: "said" }, text.slice(0, most) + " … ");
  box.append(el("button", { type: "button", class: "more", onclick: () => box.replaceChildren(...marked(text, t.w)) }, `all ${number(text.length)} characters`));
  return box;
}

function marked(text, answer) {
  const at = answer ? text.lastIndexOf(answer) : -1;
  if (at < 0) return [text];
  return [text.slice(0, at), el("mark", null, answer), text.slice(at + answer.length)];
}

function cost(t) {
  if (t.error || !t.p && !t.g) return null; // of an imported reply nothing was counted
  const computed = t.p - (t.cached || 0), share = t.p ? 100 * (t.cached || 0) / t.p : 0;
  return el("div", null, el("div", { class: "share", "aria-hidden": "true" }, el("i", { style: `width:${share}%` })),
    el("p", { class: "meta" }, `prompt ${number(t.p)}: ${number(t.cached || 0)} cached, ${number(computed)} computed; reply ${number(t.g)} tokens${t.stop === "length" ? ", cut at the bound" : ""}`));
}

function extras(d, t) {
  const parts = [];
  if (t.beliefs) parts.push(el("p", { class: "meta" }, "believes " + t.beliefs.map(b => `${b.answer} ${(100 * b.probability).toFixed(0)} %`).join(", ")));
  if (t.filled) parts.push(el("p", { class: "meta" }, "left out: " + t.filled.join(", ")));
  if (t.grammar != null) parts.push(fold("grammar that it had to follow", () => [el("div", { class: "sent" }, data.texts[t.grammar])]));
  for (const [name, turns] of [["asked before", t.before], ["asked with the others in other orders", t.probes]]) {
    if (turns) parts.push(fold(`${name} (${turns.length})`, () => turns.map(o => turn(d, o, 0))));
  }
  return parts;
}

// fold makes its content when it is opened.
function fold(title, content) {
  const details = el("details", { ontoggle: () => { if (details.open && details.children.length === 1) details.append(...content()); } }, el("summary", null, title));
  return details;
}

function sent(t) {
  const messages = sentTo(t);
  return messages && messages.length > 0 && fold(`sent (${messages.length})`, () => messages.map(m => el("div", { class: "sent" }, el("b", null, m.role), m.text))) || null;
}

// --- how it was decided

function decision(d) {
  const c = d.decision;
  return [el("h4", null, "Decision"), el("p", null, reasons(c).join("; ") + "."), quoted(c.reason), votes(d, c), players(d, c), ballots(d, c), voting(d), records(d), challenges(d), notes(d)].filter(x => x);
}

const quoted = text => text && el("div", { class: "said" }, text);

function reasons(c) {
  const reasons = [c.rule || "no rule"];
  if (c.tie) reasons.push("a tie, which its rule decided");
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

function voting(d) {
  return d.voting && fold(`the calls for ballots (${d.voting.flat().length})`, () => d.voting.flat().map(t => el("div", null, el("h4", null, agent(d, t.a)), turn(d, t, 0))));
}

function records(d) {
  const stance = a => a == null ? "draft" : a ? "agrees" : "disagrees";
  return facts("Messages as the rules see them", ["turn", "agent", "", "solution", "seen by"], (d.records || []).map(r => [r.turn, agent(d, r.agent), stance(r.agreement), r.solution, r.to ? agents(d, r.to) : "all"]));
}

function challenges(d) {
  const stance = a => a == null ? "neither" : a ? "agrees" : "disagrees";
  return facts("Challenge of the decision", ["agent", "", "answer"], (d.challenges || []).map(c => [agent(d, c.agent), stance(c.agrees), given(c.answer)]));
}

function notes(d) {
  return d.notes && el("div", null, el("h4", null, "What went another way"), el("ul", null, d.notes.map(n => el("li", null, n))));
}

// --- the page checks itself when it is opened with #test, and writes what came of it where a test can read it

function check() {
  const failures = [], expect = (name, got, want) => { if (got !== want) failures.push(`${name}: ${got}, want ${want}`); };
  const none = { question: "", condition: "", outcome: "", changed: false, apart: false };
  for (const row of data.rows) {
    const count = outcome => filter({ ...none, condition: row.condition, outcome }).length;
    expect(row.condition, count(""), row.n);
    expect(row.condition + " right", count("right"), row.right);
    expect(row.condition + " unparsed", count("unparsed"), row.unparsed);
  }
  const changed = data.debates.filter(d => d.rounds.flat().some(t => t.was != null)).length;
  expect("changed", filter({ ...none, changed: true }).length, changed);
  expect("disagreed and agreed", filter({ ...none, apart: true }).length + data.debates.filter(d => !d.apart).length, data.debates.length);
  expect("no such question", filter({ ...none, question: "\u0000none" }).length, 0);
  for (let i = 0; i < Math.min(data.debates.length, 300); i++) checkShown(i, expect);
  checkControls(expect);
  return failures.length ? "failed: " + failures.join("; ") : "passed";
}

// checkShown shows a debate with all that is folded, and looks for elements that only a text could have brought.
function checkShown(i, expect) {
  show(i);
  const d = data.debates[i];
  for (const details of $("debate").querySelectorAll("details")) { details.open = true; details.dispatchEvent(new Event("toggle")); }
  expect(`debate ${i} strangers`, $("debate").querySelectorAll("script,img,iframe,object,style,link").length, 0);
  expect(`debate ${i} turns`, $("debate").querySelectorAll(".grid > tbody > tr > td > .turn").length, d.rounds.flat().length);
  expect(`debate ${i} cells`, $("debate").querySelectorAll(".grid > tbody > tr > td").length, d.rounds.length * d.agents.length);
}

function checkControls(expect) {
  const f = $("filters").elements, outcome = f.outcome.value;
  f.outcome.value = "wrong";
  f.outcome.dispatchEvent(new Event("input", { bubbles: true }));
  expect("listed", $("list").children.length, Math.min(pageSize, data.debates.filter(d => d.s === "wrong").length));
  f.outcome.value = outcome;
  refresh();
  const button = $("conditions").tHead.rows[0].cells[2].querySelector("button"), values = () => [...$("conditions").tBodies[0].rows].map(r => +r.cells[2].dataset.value);
  for (const down of [false, true]) {
    button.click();
    expect("sorted", values().every((v, k, all) => k === 0 || (down ? all[k - 1] >= v : all[k - 1] <= v)), true);
  }
}

// --- the start

function go() {
  const at = /^#debate-(\d+)$/.exec(location.hash);
  if (at && data.debates[at[1]]) {
    show(+at[1]);
    const page = Math.floor(found.indexOf(current) / pageSize) * pageSize;
    if (page >= 0) first = page;
    list();
    const top = $("debate").getBoundingClientRect().top;
    if (top < 0 || top > innerHeight / 2) $("debate").scrollIntoView();
    $("debate").focus({ preventScroll: true });
  }
}

function start() {
  $("filters").elements.condition.append(...data.conditions.map(name => el("option", null, name)));
  $("filters").addEventListener("input", refresh);
  $("filters").addEventListener("submit", event => event.preventDefault());
  $("earlier").addEventListener("click", () => turnPage(-1));
  $("later").addEventListener("click", () => turnPage(1));
  for (const button of document.querySelectorAll("#conditions thead button")) button.addEventListener("click", () => sortTable(button.closest("th")));
  for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button.dataset.copy));
  addEventListener("hashchange", go);
  addEventListener("beforeprint", () => { $("facts").open = true; });
  refresh();
  if (data.debates.length) show(0);
  list();
  go();
  if (location.hash === "#test") {
    try {
      document.documentElement.dataset.check = check();
    } catch (error) {
      document.documentElement.dataset.check = "failed: " + error.stack;
    }
  }
}

start();
