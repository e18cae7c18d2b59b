// One turn: its answer, whom it heard, what was said and sent, and what it cost.

function turn(d, t, place) {
  return el("div", { class: "turn" }, head(t, place), moved(d, t), heard(d, t), t.error ? el("p", { class: "said wrong" }, "silent: " + t.error) : said(t), cost(t),
    extras(d, t), sent(t));
}

function head(t, place, name = "div") {
  const answer = t.s ? chip(t.s, t.w || (t.s === "unparsed" ? "unparsed" : "(empty)")) : t.w && el("b", null, t.w);
  return el(name, { class: "head" }, answer,
    place ? el("span", { class: "soft" }, `${place}. ${t.k === "given" ? "given from the pool" : t.k || ""}${t.n ? `, sample ${t.n}` : ""}`) : null,
    t.verdict && el("span", { class: "soft" }, "verdict " + t.verdict),
    t.sees && el("span", { class: "soft" }, "sees " + t.sees),
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
// of it is asked for. An agent that saw the options in another order writes other letters.
function said(t) {
  const text = t.text, most = 1200, answer = t.sees ? "" : t.w;
  if (text.length <= most || hit(text)) return el("div", { class: "said" }, marked(text, answer));
  const box = el("div", { class: "said" }, "… ", marked(text.slice(-most), answer), " ");
  box.prepend(el("button", { type: "button", class: "more", onclick: () => box.replaceChildren(...marked(text, answer)) }, `all ${number(text.length)} characters`), " ");
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

function sent(t) {
  return t.sent.length > 0 && fold(`sent (${t.sent.length})`, () => t.sent.map(m => el("div", { class: "sent" }, el("b", null, m.role), written(m.text)))) || null;
}
