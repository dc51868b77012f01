// The items of a report: search, filter, read. Their text only ever becomes a text node.
"use strict";
(() => {
  const STEP = 12; // items shown at once
  const section = document.getElementById("items");
  if (!section) return;
  const items = JSON.parse(section.querySelector("script").textContent);
  const form = section.querySelector("form");
  const search = form.querySelector("input");
  const choices = [...form.querySelectorAll("select")];
  const said = section.querySelector("output");
  const results = section.querySelector(".results");
  const more = section.querySelector(".more");
  const names = Object.keys(items.texts);
  const all = [...items.ids.keys()];
  const sought = all.map((i) =>
    [items.ids[i], ...names.map((name) => items.texts[name][i])].join("\n").toLowerCase(),
  );
  let found = all;
  let shown = 0;

  function element(tag, name, ...children) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...children);
    return made;
  }

  function marked(text, word) {
    const box = element("p", "text");
    box.dir = "auto";
    const at = word ? text.toLowerCase().indexOf(word) : -1;
    if (at < 0) box.append(text);
    else box.append(text.slice(0, at), element("mark", "", text.slice(at, at + word.length)), text.slice(at + word.length));
    return box;
  }

  // A long name may end its line between its parts, as on the rest of the page.
  function parted(name) {
    const parts = name.split(/(?<=[._/+:-])(?=\p{L})|(?<=\])(?=\p{L})/u);
    return parts.flatMap((part, n) => (n ? [element("wbr", ""), part] : [part]));
  }

  function column(title, text, answer, word) {
    const parts = [element("h4", "", ...parted(title)), marked(text, word)];
    if (answer) parts.push(element("p", "answered", element("span", "", "answered "), element("b", "", answer)));
    return element("div", "side", ...parts);
  }

  function chips(i) {
    return items.conditions.map((words, c) => {
      const right = items.right[c][i];
      return element("span", right ? "chip right" : "chip wrong", ...parted(words), `: ${right ? "right" : "wrong"}`);
    });
  }

  function body(i, word) {
    const box = element("div", "body");
    for (const name of names) {
      if (name !== items.evidence) box.append(column(name, items.texts[name][i], "", word));
    }
    if (items.evidence in items.texts) {
      const sides = element("div", "sides", column(`${items.evidence}, its own`, items.texts[items.evidence][i], items.answers[i], word));
      if (items.given.length) sides.append(column(`${items.evidence}, of another item`, items.given[i], items.shuffledAnswers[i], word));
      box.append(sides);
    }
    return box;
  }

  function entry(i, word) {
    const first = names.find((name) => name !== items.evidence) ?? names[0];
    const title = element("span", "first", items.texts[first][i]);
    title.dir = "auto";
    const gold = items.label.length ? [element("span", "gold", items.label[i])] : [];
    const fold = element("details", "item", element("summary", "", element("span", "name", items.ids[i]), ...gold, title, element("span", "chips", ...chips(i))));
    fold.addEventListener("toggle", () => {
      if (fold.open && fold.childElementCount === 1) fold.append(body(i, word));
    });
    return fold;
  }

  function show() {
    const word = search.value.trim().toLowerCase();
    results.append(...found.slice(shown, shown + STEP).map((i) => entry(i, word)));
    shown = Math.min(shown + STEP, found.length);
    more.hidden = shown >= found.length;
  }

  function choose() {
    const word = search.value.trim().toLowerCase();
    const wanted = choices.filter((choice) => choice.value !== "");
    found = all.filter(
      (i) =>
        (!word || sought[i].includes(word)) &&
        wanted.every((choice) =>
          choice.dataset.by === "label"
            ? items.label[i] === choice.value
            : items.right[Number(choice.dataset.by)][i] === Number(choice.value),
        ),
    );
    // Whoever searches for an id means that item, wherever else the letters stand.
    const isId = (i) => Number(items.ids[i].toLowerCase() === word);
    found.sort((a, b) => isId(b) - isId(a));
    said.textContent = `${found.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} items`;
    results.replaceChildren();
    shown = 0;
    show();
  }

  search.addEventListener("input", choose);
  for (const choice of choices) choice.addEventListener("change", choose);
  more.addEventListener("click", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  choose();
})();
