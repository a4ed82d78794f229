// Panels beside the boards: the match, the search, and what can never change again.

import { element, roleColour } from "./board.js";

const find = (id) => document.getElementById(id);
const number = (value) => (value == null ? "" : value.toFixed(1));

/** The joint moves, and what roles could expect after each. */
export function drawMatch(game, scene, values, go) {
  const line = find("line");
  const key = JSON.stringify(scene.line);
  if (line.dataset.key !== key) {
    line.dataset.key = key;
    const entry = (text, depth) =>
      element("li", {}, element("button", { type: "button", onclick: () => go(depth) }, text));
    const moves = scene.line.map((joint, at) => entry(`${at + 1}. ${joint.join(" | ")}`, at + 1));
    line.replaceChildren(entry("start", 0), ...moves);
  }
  [...line.children].forEach((item, depth) => {
    const [button] = item.children;
    if (depth !== scene.depth) return button.removeAttribute("aria-current");
    if (button.hasAttribute("aria-current")) return;
    button.setAttribute("aria-current", "step");
    line.scrollTop = item.offsetTop - line.offsetTop - line.clientHeight / 2;
  });
  drawChart(game, scene, values, go);
}

function drawChart(game, scene, values, go) {
  const chart = find("chart");
  const length = Math.max(scene.line.length, 1);
  const [x, y] = [(depth) => 10 + (380 * depth) / length, (value) => 110 - value];
  const marks = [0, 50, 100].map((value) =>
    element("line", { class: "grid", x1: 10, x2: 390, y1: y(value), y2: y(value) }));
  marks.push(element("line", { class: "now", x1: x(scene.depth), x2: x(scene.depth), y1: 5, y2: 115 }));
  const curve = (kind, points, role) =>
    element("polyline", { class: kind, points: points.map((at) => at.join()).join(" "), stroke: roleColour(game, role) });
  const series = (all, role, shift) =>
    all.flatMap((roles, at) => (roles[role] == null ? [] : [[x(at + shift), y(roles[role])]]));
  const texts = [];
  game.roles.forEach((name, role) => {
    if (role === game.random) return;
    marks.push(curve("expected", series(game.expected, role, 0), role));
    const own = series(values, role, 0);
    marks.push(curve("searched", own, role));
    for (const [cx, cy] of own) marks.push(element("circle", { cx, cy, r: 2.5, fill: roleColour(game, role) }));
    const now = values[scene.depth]?.[role];
    texts.push(`${name} ${now == null ? "unknown" : number(now)}`);
  });
  chart.replaceChildren(...marks);
  chart.setAttribute("aria-label", `Expected goals after ${scene.depth} joint moves: ${texts.join(", ")}`);
  chart.onclick = (event) => {
    const box = chart.getBoundingClientRect();
    const depth = Math.round((((event.clientX - box.left) / box.width) * 400 - 10) / 380 * length);
    go(Math.max(0, Math.min(scene.line.length, depth)));
  };
  const swatch = (name, role) => {
    const made = element("span", { class: "swatch" });
    made.style.background = roleColour(game, role);
    const player = game.players[role];
    return element("li", {}, made, texts.find((text) => text.startsWith(`${name} `)) ?? name, player ? ` (${player})` : "");
  };
  find("key").replaceChildren(...game.roles.map(swatch));
}

/** What the search has found so far. */
export function drawSearch(game, search) {
  const seconds = `${search.seconds.toFixed(1)} s`;
  const done = search.depth === null ? `${search.playouts.toLocaleString("en")} playouts` : `depth ${search.depth}`;
  const effort = `${search.nodes.toLocaleString("en")} nodes, ${done} in ${seconds}`;
  find("effort").textContent = search.failure ?? (search.roles.length ? effort : "no role has a choice here");
  const cell = (text, kind) => element("td", { class: kind }, text);
  const tables = search.roles.map((role) => {
    const most = Math.max(1, ...role.moves.map((move) => move.visits));
    const rows = role.moves.flatMap((move) => {
      const bar = element("div", { class: "bar" });
      bar.style.width = `${(100 * move.visits) / most}%`;
      const line = move.line.slice(0, 4).map(([who, text]) => `${game.roles[who]} ${text}`).join(", ");
      const row = element("tr", {},
        element("td", {}, move.text),
        cell(move.solved ? `= ${number(move.value)}` : number(move.value), "number"),
        cell(move.visits.toLocaleString("en"), "number"),
        element("td", { class: "bar-cell" }, bar));
      const after = element("td", { class: "continuation", colspan: 4 }, line);
      return line ? [row, element("tr", {}, after)] : [row];
    });
    const titles = ["move and continuation", "value", "visits", ""];
    const head = element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)));
    const proved = role.solved ? ", proved" : "";
    const caption = element("caption", {}, `${game.roles[role.role]}: ${number(role.value)}${proved}`);
    return element("table", {}, caption, element("thead", {}, head), element("tbody", {}, ...rows));
  });
  find("ranking").replaceChildren(...tables);
}

/** What can never change again. */
export function drawKnowledge(game, known) {
  const lines = [];
  const share = ([part, all], what) => {
    const meter = element("meter", { min: 0, max: Math.max(all, 1), value: part, "aria-label": what });
    lines.push(element("div", {}, meter, ` ${part} of ${all} ${what}`));
  };
  if (known.dark) {
    share(known.dark.bases, "propositions are dark");
    share(known.dark.moves, "moves are dark");
    share(known.dark.gates, "gates remain");
    if (known.latches == null) lines.push(element("p", {}, "searching for latches …"));
  } else {
    lines.push(element("p", {}, "no facts yet; there are none for games that only the prover can play"));
  }
  if (known.latches?.length) {
    const some = known.latches.slice(0, 12).join(", ");
    const more = known.latches.length > 12 ? ` and ${known.latches.length - 12} more` : "";
    lines.push(element("p", {}, `latches that hold: ${some}${more}`));
  }
  if (known.latches) {
    const goals = known.goals.map((left, role) => `${game.roles[role]} ${left.join(", ")}`);
    lines.push(element("p", {}, `goals still possible: ${goals.join("; ")}`));
  }
  find("knowledge").replaceChildren(...lines);
}
