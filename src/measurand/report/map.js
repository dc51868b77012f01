// The map of a report: draws the points, answers a hover, filters, leads to the cards.
// Text of the benchmark only ever becomes a text node.
"use strict";
(() => {
  const REACH = 16; // pixels from a point within which a hover still means it
  const MARGIN = 14; // room for the largest mark
  const SMALL = 2.2; // radius of a mark without weight
  const LARGE = 6.2; // and of the heaviest
  const SIZES = 8; // marks are stamped in as many sizes
  const HUES = 7; // colours in the style sheet; after these come squares
  const SPAN = 9999; // places are whole numbers from 0 to this

  function element(tag, name, ...children) {
    const made = document.createElement(tag);
    made.className = name;
    made.append(...children);
    return made;
  }

  function cellAt(x, y) {
    return Math.floor(x / REACH) * 100000 + Math.floor(y / REACH);
  }

  function chart(figure) {
    const points = JSON.parse(figure.querySelector("script").textContent);
    const find = (name) => figure.querySelector(name);
    const canvas = find("canvas");
    const [tip, ring, said] = [find(".tip"), find(".ring"), find("output")];
    const [choice, toCard] = [find("select"), find("a.to-card")];
    const hues = points.hues;
    const boxes = [...figure.querySelectorAll("input")];
    const all = [...points.x.keys()];
    const heaviest = points.weight.reduce((a, b) => Math.max(a, b), 0) || 1;
    const size = points.weight.map((w) => Math.round(Math.sqrt(w / heaviest) * (SIZES - 1)));
    const dense = Math.max(0.65, Math.min(1, Math.sqrt(4000 / all.length)));
    const radius = (step) => dense * (SMALL + ((LARGE - SMALL) * step) / (SIZES - 1));
    const order = all.slice().sort((a, b) => size[a] - size[b] || a - b);
    const byPlace = all.slice().sort((a, b) => points.x[a] - points.x[b] || a - b);
    const biased = new Set(points.biased);
    const place = { x: new Float32Array(all.length), y: new Float32Array(all.length) };
    let shown = new Uint8Array(all.length);
    let cells = new Map();
    let current = -1;

    function choose() {
      const labels = boxes.map((box) => box.checked);
      const wanted = (cluster) =>
        choice.value === "" ||
        (choice.value === "biased" ? biased.has(cluster) : cluster === Number(choice.value));
      shown = Uint8Array.from(all, (i) => labels[points.label[i]] && wanted(points.cluster[i]));
      const count = shown.reduce((a, b) => a + b, 0);
      said.textContent = `${count.toLocaleString("en")} of ${all.length.toLocaleString("en")} points`;
      toCard.hidden = !(choice.value in points.cards);
      if (!toCard.hidden) toCard.href = `#${points.cards[choice.value]}`;
      hide();
      draw();
    }

    function draw() {
      const { width, height } = canvas.getBoundingClientRect();
      const ratio = window.devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      const style = getComputedStyle(figure);
      const paints = [...Array(HUES).keys()].map((hue) => style.getPropertyValue(`--hue-${hue}`));
      const faint = style.getPropertyValue("--line");
      const pen = canvas.getContext("2d");
      pen.scale(ratio, ratio);
      cells = new Map();
      for (const wanted of [0, 1]) {
        pen.globalAlpha = wanted ? 0.72 : 0.6;
        for (const i of order) {
          if (shown[i] !== wanted) continue;
          const x = (place.x[i] = MARGIN + (points.x[i] / SPAN) * (width - 2 * MARGIN));
          const y = (place.y[i] = height - MARGIN - (points.y[i] / SPAN) * (height - 2 * MARGIN));
          const hue = hues[points.label[i]];
          const r = radius(wanted ? size[i] : 0);
          pen.fillStyle = wanted ? paints[hue % HUES] : faint;
          if (wanted && Math.floor(hue / HUES) % 2) {
            pen.fillRect(x - 0.86 * r, y - 0.86 * r, 1.72 * r, 1.72 * r);
          } else {
            pen.beginPath();
            pen.arc(x, y, r, 0, 2 * Math.PI);
            pen.fill();
          }
          if (!wanted) continue;
          const cell = cellAt(x, y);
          if (cells.has(cell)) cells.get(cell).push(i);
          else cells.set(cell, [i]);
        }
      }
    }

    function nearest(x, y) {
      let [found, least] = [-1, REACH * REACH];
      for (const dx of [-REACH, 0, REACH]) {
        for (const dy of [-REACH, 0, REACH]) {
          for (const i of cells.get(cellAt(x + dx, y + dy)) || []) {
            const far = (place.x[i] - x) ** 2 + (place.y[i] - y) ** 2;
            if (far <= least) [found, least] = [i, far];
          }
        }
      }
      return found;
    }

    function show(i, pinned) {
      tip.classList.toggle("pinned", pinned);
      if (i === current && !pinned) return;
      current = i;
      const cluster = points.cluster[i];
      const dot = element("i", `dot hue-${hues[points.label[i]] % HUES}`);
      const facts = element("p", "facts", dot, points.labels[points.label[i]]);
      facts.append(cluster < 0 ? " · no cluster" : ` · cluster ${cluster}`);
      if (points.weightTitle) facts.append(` · ${points.weightTitle} ${points.weight[i]}`);
      const parts = [element("p", "name", points.id[i]), facts, element("p", "text", points.text[i])];
      if (cluster in points.cards) {
        const link = element("a", "", `the card of cluster ${cluster}`);
        link.href = `#${points.cards[cluster]}`;
        parts.push(element("p", "link", link));
      }
      tip.replaceChildren(...parts);
      tip.hidden = ring.hidden = false;
      const across = 2 * radius(size[i]) + 5;
      ring.style.cssText = `left:${place.x[i]}px;top:${place.y[i]}px;width:${across}px;height:${across}px`;
      const { width, height } = canvas.getBoundingClientRect();
      const [wide, high] = [tip.offsetWidth, tip.offsetHeight];
      const left = Math.max(0, Math.min(place.x[i] - wide / 2, width - wide));
      const under = place.y[i] + 14 + high <= height + 40;
      const top = under ? place.y[i] + 14 : place.y[i] - 14 - high;
      tip.style.cssText = `left:${left}px;top:${top}px`;
    }

    function hide() {
      current = -1;
      tip.hidden = ring.hidden = true;
    }

    function hover(event) {
      const box = canvas.getBoundingClientRect();
      const found = nearest(event.clientX - box.left, event.clientY - box.top);
      canvas.style.cursor = found >= 0 ? "pointer" : "";
      if (found >= 0) show(found, event.pointerType === "touch");
      else if (!tip.classList.contains("pinned") || event.type === "click") hide();
    }

    function visit() {
      const link = tip.querySelector("a");
      if (current >= 0 && link) link.click();
    }

    function step(event) {
      if (event.key === "Escape") hide();
      if (event.key === "Enter") visit();
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const there = byPlace.filter((i) => shown[i]);
      const from = there.indexOf(current);
      const next = from < 0 ? (by > 0 ? 0 : there.length - 1) : from + by;
      if (there[next] !== undefined) show(there[next], false);
    }

    canvas.addEventListener("pointermove", hover);
    canvas.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && hide());
    canvas.addEventListener("click", (event) => {
      hover(event);
      if (event.pointerType !== "touch") visit();
    });
    canvas.addEventListener("keydown", step);
    for (const control of [...boxes, choice]) control.addEventListener("change", choose);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    new ResizeObserver(() => {
      const ratio = window.devicePixelRatio || 1;
      if (canvas.width === Math.round(canvas.clientWidth * ratio)) return;
      hide();
      draw();
    }).observe(canvas);
    figure.querySelector(".controls").hidden = false;
    choose();
    return (cluster) => {
      choice.value = cluster;
      for (const box of boxes) box.checked = true;
      choose();
    };
  }

  const charts = new Map();
  for (const figure of document.querySelectorAll("figure.map")) charts.set(figure.id, chart(figure));

  // A card may be folded away, and may lead back to its place on the map.
  function reveal(name) {
    const target = document.getElementById(name);
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      fold.open = true;
    }
    return target;
  }
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest('a[href^="#"]');
    if (!link) return;
    const name = link.getAttribute("href").slice(1);
    reveal(name);
    if (link.dataset.cluster && charts.has(name)) charts.get(name)(link.dataset.cluster);
  });
  const target = reveal(location.hash.slice(1));
  if (target) target.scrollIntoView();
})();
