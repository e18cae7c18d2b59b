// The prompts of a debate as a tree: what its generations have in common, and what each computed.

const mostPrompts = 200; // generations that one tree shows

// generations are the calls of a debate by agent, then by round: whose they are, what was sent and what was counted.
function generations(d) {
  const list = [];
  const add = (turns, name) => turns.forEach(t => {
    if (t.p && !t.error && t.k !== "given") list.push({ turn: t, agent: t.a, name: `${agent(d, t.a)}, ${name}`, text: promptOf(t) });
    add(t.before || [], name + ", before");
    add(t.after || [], name + ", closing");
    add(t.probes || [], name + ", order changed");
  });
  d.rounds.forEach((turns, r) => add(turns, d.names[r]));
  (d.voting || []).forEach(turns => add(turns, turns.some(t => t.k === "judgement") ? "answer" : "ballot"));
  return list.map((g, i) => [g, i]).sort(([a, i], [b, k]) => a.agent - b.agent || i - k).map(([g]) => g);
}

// promptOf is what was sent as one text, "" if the page does not have it. Roles count, as a template would write them.
function promptOf(t) {
  return t.sent.map(m => `${m.role}: ${m.text}\n`).join("");
}

// branches makes the tree: each node is a part of a prompt that its generations share, from one character to another.
// Its generations are in the order of the list, so that a parent's first row is that of its first child.
function branches(list, from = 0) {
  const nodes = [], left = [...list];
  while (left.length) {
    const head = left[0], same = left.filter(g => g.text[from] === head.text[from] && (g.text.length > from) === (head.text.length > from));
    left.splice(0, left.length, ...left.filter(g => !same.includes(g)));
    if (head.text.length <= from) continue; // these end where their parent does
    const to = Math.min(...same.map(g => commonLength(head.text, g.text, from)));
    nodes.push({ from, to, of: same, below: branches(same, to) });
  }
  return nodes;
}

function commonLength(a, b, from = 0) {
  let i = from;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}

// inTreeOrder lists generations as the tree has them, those that end at a node before what grows from it.
function inTreeOrder(nodes) {
  return nodes.flatMap(n => [...n.of.filter(g => g.text.length === n.to), ...inTreeOrder(n.below)]);
}

// tokensAt is about how many tokens of a generation's prompt lie before a character; exact at both ends.
const tokensAt = (g, at) => g.text.length ? g.turn.p * at / g.text.length : 0;

function prompts(d) {
  const all = generations(d);
  if (all.length === 0) return null;
  return fold(`The prompts as a tree (${number(all.length)})`, () => tree(all.slice(0, mostPrompts), all.length));
}

function tree(list, all) {
  const known = list.every(g => g.text), nodes = known ? branches(list) : [], rows = known ? inTreeOrder(nodes) : list;
  const scale = 100 / Math.max(...list.map(g => g.turn.p + g.turn.g)), detail = el("p", { class: "token-text", role: "status" }, "Point at a part to read it.");
  const parts = new Map(rows.map(g => [g, []]));
  const place = (nodes, start, above) => nodes.forEach(n => {
    const ends = n.of.find(g => g.text.length === n.to), end = Math.max(start, ends ? ends.turn.p : tokensAt(n.of[0], n.to));
    const at = rows.findIndex(g => n.of.includes(g));
    parts.get(rows[at]).push({ start, end, node: n, up: at - above });
    n.of.filter(g => g.text.length === n.to && g !== rows[at]).forEach(g => parts.get(g).push({ start: end, end, node: n, up: rows.indexOf(g) - at }));
    place(n.below, end, at);
  });
  place(nodes, 0, 0);
  const tell = text => () => detail.replaceChildren(...text);
  const part = (p, g) => {
    const shared = p.node.of.length > 1, size = Math.round(p.end - p.start), cut = g.text.slice(p.node.from, p.node.to);
    const by = shared ? `shared by ${p.node.of.length} prompts: ${p.node.of.slice(0, 12).map(o => o.name).join("; ")}${p.node.of.length > 12 ? "; …" : ""}` : `only in the prompt of ${g.name}`;
    return span(shared ? "shared" : "own", p.start * scale, (p.end - p.start) * scale, `about ${number(size)} tokens, ${by}`, tell([el("b", null, `About ${number(size)} tokens, ${by}. `), cut.length > 600 ? cut.slice(0, 300) + " … " + cut.slice(-300) : cut]));
  };
  const row = g => {
    const t = g.turn, cached = t.cached || 0, counts = `${g.name}: prompt ${number(t.p)}, ${number(cached)} cached, ${number(t.p - cached)} computed; reply ${number(t.g)}`;
    const own = parts.get(g).flatMap(p => [p.up ? el("i", { class: "branch", style: `left:${p.start * scale}%;height:calc(${p.up} * var(--row))` }) : null, p.end > p.start ? part(p, g) : null]), reply = t.text || "";
    return el("div", { class: "prompt" }, el("div", { class: "soft" }, g.name), el("div", { class: "lane" }, own, span("reply", t.p * scale, t.g * scale, counts, tell([el("b", null, counts + ". "), reply.length > 600 ? reply.slice(0, 600) + " …" : reply])),
      el("div", { class: "counted", title: counts }, el("i", { class: "cached", style: `width:${cached * scale}%` }), el("i", { style: `width:${(t.p - cached) * scale}%` }))));
  };
  const key = kind => el("i", { class: `key ${kind}` });
  return [el("p", { class: "meta" }, ...(known ? ["Each row is a generation, from left to right in tokens. The upper bar begins where its prompt leaves those above it: striped parts ", key("shared"), " are shared with rows below, solid ones ", key("own"), " are its own, and the outlined part ", key("reply"), " is the reply. Where prompts part is counted in characters of the messages, so tokens within a prompt are approximate. "] : ["The page does not have the messages, so that only what was counted is shown. "]),
    "The thin bar below has what the engine recorded: prompt tokens that were cached (striped), and those that were computed (solid)." + (all > list.length ? ` The first ${number(list.length)} of ${number(all)} generations are shown.` : "")),
    el("div", { class: "prompts" }, rows.map(row)), detail];
}

// span is a part of a row, from and wide in per cent, that tells what it is.
function span(kind, from, wide, title, tell) {
  return el("button", { type: "button", class: kind, title, "aria-label": title, style: `left:${from}%;width:${wide}%`, onpointerenter: tell, onfocus: tell, onclick: tell });
}
