// --- the data, of which a part is unpacked when one of its debates is shown

const mostOpened = 8; // parts that are kept
const opened = new Map(); // by their number, those asked for last behind
const oldBrowser = typeof DecompressionStream === "undefined" && "This browser cannot unpack the debates of this page. Chrome and Edge can since version 80, Firefox since 113 and Safari since 16.4.";

async function unpacked(id) {
  const text = atob($(id).textContent), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

// load is a debate with all that is known of it.
async function load(i) {
  const n = data.starts.findLastIndex(start => start <= i), part = opened.get(n) || openPart(n);
  opened.delete(n);
  opened.set(n, part);
  if (opened.size > mostOpened) opened.delete(opened.keys().next().value);
  return (await part)[i - data.starts[n]];
}

// openPart unpacks the debates of a part and puts texts and messages in the place of their numbers.
async function openPart(n) {
  const [part, sent] = await Promise.all([unpacked("debates-" + n), data.messages ? unpacked("sent-" + n) : null]);
  const texts = sent ? part.texts.concat(sent.texts) : part.texts;
  part.debates.forEach((d, k) => {
    Object.assign(d, data.debates[data.starts[n] + k]);
    if (d.elected != null) d.elected = texts[d.elected];
    for (const t of turnsOf(d)) {
      t.text = texts[t.x];
      if (t.grammar != null) t.grammar = texts[t.grammar];
      const places = sent && sent.sent[t.key] || [];
      t.sent = [];
      for (let i = 0; i < places.length; i += 2) t.sent.push({ role: sent.speakers[places[i]], text: texts[places[i + 1]] });
    }
  });
  return part.debates;
}

// turnsOf are all calls of a debate.
function turnsOf(d) {
  const parts = t => [t, ...[t.before, t.after, t.probes].flatMap(list => (list || []).flatMap(parts))];
  return [...d.rounds.flat(), ...(d.voting || []).flat(), ...(d.judged || [])].flatMap(parts);
}

// --- the search in replies, which unpacks one part after the other

const searchPause = 250; // milliseconds from the last letter to the search
const listPause = 300; // from one list of what was found to the next
let search = { text: "", hits: new Map(), parts: 0 }; // hits are excerpts by debate; parts have been searched

const searching = () => search.text !== "" && search.parts < data.starts.length;

// seek finds the debates that have a text in a reply, whatever its case.
async function seek(text) {
  const mine = search = { text: text.toLowerCase(), hits: new Map(), parts: 0 };
  if (!mine.text) return;
  await new Promise(resolve => setTimeout(resolve, searchPause));
  for (let listed = performance.now(); searching(); ) {
    if (search !== mine) return;
    const part = await unpacked("debates-" + mine.parts), first = data.starts[mine.parts++];
    if (search !== mine) return;
    const having = new Set(part.texts.flatMap((text, i) => text.toLowerCase().includes(mine.text) ? [i] : []));
    if (having.size) part.debates.forEach((d, k) => {
      const t = turnsOf(d).find(t => having.has(t.x));
      if (t) mine.hits.set(first + k, around(part.texts[t.x], part.texts[t.x].toLowerCase().indexOf(mine.text), 40, 90));
    });
    if (performance.now() - listed > listPause || !searching()) {
      await tell();
      listed = performance.now();
    }
  }
}

// tell lists what was found until now.
async function tell() {
  gather();
  if (current < 0 || !searching()) await show(found.includes(current) ? current : found.length ? found[0] : -1);
  list();
}

// around is a text from some characters before a place to some behind it.
function around(text, at, before, behind) {
  const from = Math.max(0, at - before), to = Math.min(text.length, at + behind);
  return (from > 0 ? "… " : "") + text.slice(from, to).trim() + (to < text.length ? " …" : "");
}

const hit = text => search.text !== "" && text.toLowerCase().includes(search.text);

// highlight marks what was searched for in the replies that are shown. The page's elements stay as they are.
function highlight() {
  if (!CSS.highlights) return;
  CSS.highlights.delete("found");
  if (search.text) CSS.highlights.set("found", new Highlight(...[...$("debate").querySelectorAll(".said, .excerpt")].flatMap(ranges)));
}

function ranges(box) {
  const nodes = [], walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), found = [];
  let text = "";
  while (walker.nextNode()) {
    nodes.push({ node: walker.currentNode, from: text.length });
    text += walker.currentNode.data;
  }
  const place = at => {
    const { node, from } = nodes.findLast(n => n.from <= at);
    return [node, Math.min(at - from, node.length)];
  };
  const lower = text.toLowerCase(), size = search.text.length;
  for (let at = lower.indexOf(search.text); at >= 0; at = lower.indexOf(search.text, at + size)) {
    const range = new Range();
    range.setStart(...place(at));
    range.setEnd(...place(at + size));
    found.push(range);
  }
  return found;
}

