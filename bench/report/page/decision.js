// How a debate was decided.

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
  return d.voting && fold(`the calls ${d.voting.flat().some(t => t.k === "judgement") ? "after the last round" : "for ballots"} (${d.voting.flat().length})`, () => d.voting.flat().map(t => el("div", null, el("h4", null, agent(d, t.a)), turn(d, t, 0))), d.voting.flat().some(t => hit(t.text)));
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
