// The search in replies, which unpacks one part after the other.

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

// around is a text from some characters before a place, where a word begins, to some behind it.
function around(text, at, before, behind) {
  const far = Math.max(0, at - before), from = far > 0 ? far + text.slice(far, at).search(/\s/) + 1 : 0, to = Math.min(text.length, at + behind);
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
