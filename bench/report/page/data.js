// The data, of which a part is unpacked when one of its debates is shown.

let data = null; // the index, when it is unpacked

const mostOpened = 8; // parts that are kept
const opened = new Map(); // by their number, those asked for last behind
const oldBrowser = typeof DecompressionStream === "undefined" && "This browser cannot unpack the debates of this page. Chrome and Edge can since version 80, Firefox since 113 and Safari since 16.4.";

async function unpacked(id) {
  const text = atob($(id).textContent), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

// index gives each question its debates, in the order of the record.
function index() {
  for (const q of data.questions) q.debates = [];
  data.debates.forEach((d, i) => questionOf(d).debates.push(i));
}

const questionOf = d => data.questions[d.q];

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
