"use strict";
// The page of a server asks every second whether the run has recorded more. If so, it is loaded anew, and shows what it
// showed before: the filters, the debate, the places that were scrolled to, and what was unfolded.

(() => {
  const kept = "parley-live";
  const loaded = performance.getEntriesByType("navigation")[0];
  const pause = Math.max(3000, 10 * (loaded ? loaded.duration : 0)); // milliseconds from one load to the next
  const says = text => { const live = document.getElementById("live"); if (live) live.textContent = text; };
  const folds = () => [...document.querySelectorAll("main section:not(#debates) details, header details")];

  // A fold is kept by its place and what it is called, without numbers: others come before it as a run goes on.
  const called = d => [d.closest("section, header").id, d.previousElementSibling?.ariaLabel,
    d.querySelector("summary").firstChild.textContent.replace(/\d+/g, "")].join("\n");

  const name = d => [data.tasks[questionOf(d).k], questionOf(d).q, data.conditions[d.c], d.n || 0];

  // A debate is kept by its name: its number changes when another task records more before it.
  function keep() {
    const state = { x: scrollX, y: scrollY, open: Object.fromEntries(folds().map(d => [called(d), d.open])) };
    if (typeof data !== "undefined" && data) {
      state.filters = filters();
      state.focus = document.activeElement.form === $("filters") ? document.activeElement.name : null;
      state.list = $("list").scrollTop;
      const d = data.debates[current];
      if (d) state.debate = name(d);
    }
    sessionStorage.setItem(kept, JSON.stringify(state));
  }

  async function restore() {
    if (typeof ready !== "undefined") await ready;
    const state = JSON.parse(sessionStorage.getItem(kept) || "null");
    sessionStorage.removeItem(kept);
    if (!state) return;
    for (const d of folds()) d.open = state.open[called(d)] ?? d.open;
    if (typeof data !== "undefined" && data && state.filters) {
      for (const [name, value] of Object.entries(state.filters)) $("filters").elements[name].value = value;
      const same = d => JSON.stringify(name(d)) === JSON.stringify(state.debate);
      const at = state.debate ? data.debates.findIndex(same) : -1;
      if (at >= 0) {
        current = at;
        history.replaceState(null, "", "#debate-" + at);
      }
      await refresh();
      $("list").scrollTop = state.list;
      if (state.focus) $("filters").elements[state.focus].focus({ preventScroll: true });
    }
    scrollTo(state.x, state.y);
  }

  async function look() {
    let wait = 1000;
    try {
      const now = await (await fetch("version", { cache: "no-store" })).json();
      if (now.version !== liveVersion && performance.now() > pause) {
        keep();
        location.reload();
        return;
      }
      says(now.running ? "Live: this page renews itself while the run goes on." : "The run is not under way; this page renews itself when it goes on.");
    } catch {
      says("The server of this page has ended; the page shows what was recorded until then.");
      wait = 5000;
    }
    setTimeout(look, wait);
  }

  restore().then(look);
})();
