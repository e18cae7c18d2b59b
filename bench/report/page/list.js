// The filters, and the list of the debates that fit them.

const pageSize = 50; // questions in the list
const groupSize = 100; // debates of a question that are listed at once
let groups = [], found = []; // what fits the filters: debates by question, and all of them
let first = 0, current = -1; // the first question of the list's page, and the debate that is shown

// words are what a question is found by: its name, and what it asks.
const words = question => question.words ??= (question.q + "\n" + question.asks).toLowerCase();

const nothing = { question: "", reply: "", task: "", condition: "", repeat: "", outcome: "", moves: "", order: "" };

// orders sort questions by the share of their debates that are right: the lowest first, or those nearest to a half.
const share = g => g.debates.filter(i => data.debates[i].s === "right").length / g.debates.length;
const orders = { wrong: share, split: g => Math.abs(share(g) - 0.5) };

// filter lists the questions that have debates which fit, with these.
function filter(by) {
  const text = by.question.toLowerCase(), task = data.tasks.indexOf(by.task), condition = data.conditions.indexOf(by.condition);
  const fits = d => (!by.condition || d.c === condition) && (!by.repeat || (d.n || 0) === by.repeat - 1) && (!by.outcome || d.s === by.outcome) && (!by.moves || d[by.moves]);
  const groups = data.questions.flatMap(question => {
    if ((by.task && question.k !== task) || (text && !words(question).includes(text))) return [];
    const debates = question.debates.filter(i => fits(data.debates[i]) && (!by.reply || search.hits.has(i)));
    return debates.length ? [{ question, debates }] : [];
  });
  const order = orders[by.order];
  return order ? groups.sort((a, b) => order(a) - order(b)) : groups;
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

// repeats are the numbers of times that debates were held, as texts.
function repeats() {
  const most = data.debates.reduce((n, d) => Math.max(n, d.n || 0), 0);
  return Array.from({ length: most + 1 }, (_, i) => String(i + 1));
}

// again says for which time a debate was held.
const again = d => d.n ? ` #${d.n + 1}` : "";

function turnPage(by) {
  first += by * pageSize;
  list();
  $("list").scrollTop = 0;
}
