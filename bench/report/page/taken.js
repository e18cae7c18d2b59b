// A debate that is taken along: as Markdown for people, and as JSON for programs.

function taken(d) {
  const heard = t => t.h && t.h.map(i => d.pool ? i : agent(d, i)), turns = list => list && list.map(turn);
  const turn = t => ({ agent: agent(d, t.a), kind: t.k, answer: t.w, score: t.s, heard: heard(t), messages: t.sent, text: t.text, error: t.error, prompt_tokens: t.p, cached_tokens: t.cached || 0, tokens: t.g, stop: t.stop,
    before: turns(t.before), after: turns(t.after), probes: turns(t.probes) });
  return { task: data.tasks[questionOf(d).k], question: questionOf(d).q, condition: data.conditions[d.c], repeat: (d.n || 0) + 1, outcome: d.s, error: d.error, decided: d.g, right: d.t,
    rounds: d.rounds.map((turns, r) => ({ name: d.names[r], turns: turns.map(turn) })), voting: d.voting && d.voting.map(turns), judged: turns(d.judged), decision: d.decision, notes: d.notes };
}

function asMarkdown(d) {
  const quoted = text => text.trim().replace(/^/gm, "> "), answer = t => t.w ? `: ${t.w}${t.s ? ` (${t.s})` : ""}` : "";
  const turn = t => [`**${agent(d, t.a)}**${answer(t)}`, quoted(t.error ? "silent: " + t.error : t.text)];
  return ["# " + title(d), quoted(asked(d)), ...d.rounds.flatMap((turns, r) => ["## " + d.names[r], ...turns.flatMap(turn)]), verdict(d).textContent].join("\n\n") + "\n";
}

// take is the way to both.
function take(d) {
  const said = el("span", { role: "status" }), button = (name, text) => el("button", { type: "button", onclick: () => copy(text(d), said) }, name);
  return el("p", { class: "export" }, button("Copy debate as Markdown", asMarkdown), " ", button("Copy debate as JSON", d => JSON.stringify(taken(d), null, 2)), " ", said);
}

async function copy(text, said) {
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = el("textarea", { readonly: "" }, text);
    said.after(box);
    box.select();
    if ((copied = document.execCommand("copy"))) box.remove();
  }
  said.textContent = copied ? "Copied." : "Copy the selected text.";
}
