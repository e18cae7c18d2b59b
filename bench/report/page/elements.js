// Elements that all parts of the page are made of. Texts only ever become text nodes.

const $ = id => document.getElementById(id);
const signs = { right: "✓", wrong: "✗", unparsed: "?", failed: "!" };
const number = n => n.toLocaleString("en");
const chip = (score, text) => el("span", { class: "chip " + score }, `${signs[score] || "?"} ${text}`);

// el makes an element; attributes that are null are left out, and strings become text.
function el(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value != null) e.setAttribute(key, value);
  }
  e.append(...children.flat().filter(c => c != null && c !== ""));
  return e;
}

// fold makes its content when it is opened.
function fold(title, content, open = false) {
  const details = el("details", { open: open ? "" : null, ontoggle: () => {
    if (!details.open || details.children.length > 1) return;
    details.append(...content());
    highlight();
  } }, el("summary", null, title));
  return details;
}
