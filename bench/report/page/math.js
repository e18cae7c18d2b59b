// Formulas in what was said, drawn by KaTeX where the page has it.

const mostFormula = 1500; // characters of a formula; longer ones stay text
const mostFormulas = 150; // that one text shows drawn
const mathOptions = { output: "mathml", trust: false, strict: "ignore", throwOnError: true, maxSize: 20, maxExpand: 200 };
const fences = [["$$", "$$", true], ["\\[", "\\]", true], ["\\(", "\\)", false], ["$", "$", false]];

// formulas finds the formulas of a text: where each begins and ends, what it says, and whether it stands on a line of its
// own. A dollar is a fence only where what it encloses has no word, or signs of LaTeX, and is no sum of money; a box needs no fence.
function formulas(text) {
  const list = [];
  for (let i = 0, tried = 0; i < text.length && list.length < mostFormulas && tried < 10 * mostFormulas; i++) {
    if (text[i] !== "$" && text[i] !== "\\") continue;
    const found = fenced(text, i) || boxed(text, i);
    tried++;
    if (found) {
      list.push(found);
      i = found.to - 1;
    } else if (text[i] === "\\") i++; // an escaped character opens nothing
  }
  return list;
}

function fenced(text, from) {
  const fence = fences.find(([open]) => text.startsWith(open, from));
  if (!fence) return null;
  const [open, close, display] = fence, inside = text.slice(from + open.length, from + open.length + mostFormula + close.length);
  const end = inside.indexOf(close), tex = inside.slice(0, end), to = from + open.length + end + close.length;
  if (end < 1 || !tex.trim() || open === "$" && (/^\s|\s$|\n/.test(tex) || !/[\\^_={]/.test(tex) && /[a-zA-Z]{2}/.test(tex) || /\d/.test(text[to] || ""))) return null;
  return { from, to, tex, display };
}

function boxed(text, from) {
  const head = /^\\boxed *\{/.exec(text.slice(from, from + 20));
  if (!head) return null;
  for (let i = from + head[0].length, open = 1; i < text.length && i - from < mostFormula; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "{") open++;
    else if (text[i] === "}" && --open === 0) return i === from + head[0].length ? null : { from, to: i + 1, tex: text.slice(from, i + 1), display: false };
  }
  return null;
}

// drawn is a formula as MathML, or its text if KaTeX refuses it. What it says is shown when the pointer rests on it.
function drawn(f, source) {
  const box = el("span", { class: f.display ? "math display" : "math", title: source });
  try {
    katex.render(f.tex, box, { ...mathOptions, displayMode: f.display });
  } catch {
    return source;
  }
  return box;
}

// written is a text with its formulas drawn, and with the characters [from, to) marked.
function written(text, from = -1, to = -1) {
  const parts = [], put = (a, b, node) => {
    if (a >= b) return;
    const inside = Math.max(a, from), end = Math.min(b, to);
    if (node) parts.push(inside < end ? el("mark", null, node) : node);
    else if (inside < end) parts.push(text.slice(a, inside), el("mark", null, text.slice(inside, end)), text.slice(end, b));
    else parts.push(text.slice(a, b));
  };
  let at = 0;
  for (const f of typeof katex === "undefined" ? [] : formulas(text)) {
    put(at, f.from);
    put(f.from, f.to, drawn(f, text.slice(f.from, f.to)));
    at = f.to;
  }
  put(at, text.length);
  return parts.filter(p => p !== "");
}
