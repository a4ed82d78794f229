// Boards: places as buttons, with what is on them.

// A table without the names that all objects have, such as `constructor`.
const table = (entries) => Object.assign(Object.create(null), entries);
// Names of colours in rulesheets, as paint.
const PAINT = table({
  white: "#fbfbf6", black: "#23252b", red: "#d2453d", green: "#3d9a50", blue: "#3b6fd4",
  yellow: "#e8c33a", orange: "#e8893a", purple: "#8d57c4", magenta: "#c24fa5", teal: "#2f9c95",
  pink: "#e58ab0", cyan: "#4fb6cf", brown: "#8d6a48", silver: "#b4b9c1", gold: "#d9b23c",
});
const ROLES = ["#3b6fd4", "#d2453d", "#3d9a50", "#e8c33a", "#8d57c4", "#2f9c95"];
// Figures that everybody knows by these names.
const FIGURES = table({ king: "♚", queen: "♛", rook: "♜", bishop: "♝", knight: "♞", pawn: "♟" });

const words = (text) => text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/);

/** The colour of a role: of its name, if that is one. */
export function roleColour(game, role) {
  const named = words(game.roles[role]).find((word) => PAINT[word]);
  return named ? PAINT[named] : ROLES[role % ROLES.length];
}

/** Black or white, whichever can be read on a colour. */
function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.3 * r + 0.6 * g + 0.1 * b > 140 ? "#16181c" : "#fdfdfb";
}

export function element(name, attributes = {}, ...children) {
  const made = name === "svg" || name === "line" || name === "polyline" || name === "text" || name === "circle"
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** What is at a place, as a disc or a word. */
function piece(game, grid, text) {
  const known = grid.known.get(text);
  const figure = words(text).map((word) => FIGURES[word]).find(Boolean);
  const made = element("span", { class: "piece" }, figure ?? known?.symbol ?? text);
  const painted = words(text).find((word) => PAINT[word]);
  const colour = painted ? PAINT[painted] : known?.owner != null ? roleColour(game, known.owner) : null;
  if (colour) {
    made.style.background = colour;
    made.style.color = inkOn(colour);
    made.style.boxShadow = "0 0 0 1px #0006";
  }
  return made;
}

/** The boards of a game, made once. `take` is called with the numbers of a board and a place. */
export function makeBoards(game, take) {
  return game.grids.map((grid, number) => {
    grid.known = new Map(grid.contents.map((content) => [content.text, content]));
    const width = Math.max(...grid.sites.map((site) => site.left)) + 2;
    const height = Math.max(...grid.sites.map((site) => site.top)) + 2;
    const half = Math.max(9, Math.min(32, Math.floor(Math.min(640 / width, 560 / height))));
    const board = element("div", { class: `board ${grid.kind}`, role: "group", "aria-label": `board ${grid.name}` });
    board.style.width = `${width * half}px`;
    board.style.height = `${height * half}px`;
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}` });
    const sites = grid.sites.map((site, at) => {
      const button = element("button", {
        class: "site", type: "button", tabindex: at === 0 ? 0 : -1, "data-place": `${number} ${at}`,
        onclick: () => take(number, at),
        onkeydown: (event) => wander(event, grid, sites, at),
        onfocus: () => sites.forEach((other) => (other.tabIndex = other === button ? 0 : -1)),
      });
      Object.assign(button.style, {
        left: `${site.left * half}px`, top: `${site.top * half}px`,
        width: `${2 * half - 1}px`, height: `${2 * half - 1}px`, fontSize: `${half * 0.8}px`,
      });
      return button;
    });
    board.append(...sites, svg);
    for (const [left, name] of grid.columns) {
      board.append(axis(name, { left: left * half, top: height * half, width: 2 * half }));
    }
    for (const [top, name] of grid.rows) {
      board.append(axis(name, { left: -36, top: (top + 0.6) * half, width: 34 }));
    }
    const figure = element("figure", {}, board);
    if (game.grids.length > 1) figure.prepend(element("figcaption", {}, grid.name));
    return { grid, figure, svg, sites };
  });
}

function axis(name, places) {
  const made = element("span", { class: "axis", "aria-hidden": "true" }, name);
  for (const [key, value] of Object.entries(places)) made.style[key] = `${value}px`;
  return made;
}

/** Goes to the nearest place in the direction of an arrow key. */
function wander(event, grid, sites, from) {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!step) return;
  event.preventDefault();
  let [best, least] = [null, Infinity];
  grid.sites.forEach((site, at) => {
    const [x, y] = [site.left - grid.sites[from].left, site.top - grid.sites[from].top];
    const along = x * step[0] + y * step[1];
    const aside = Math.abs(x * step[1]) + Math.abs(y * step[0]);
    if (along > 0 && along + 3 * aside < least) [best, least] = [at, along + 3 * aside];
  });
  if (best != null) sites[best].focus();
}

/** Draws a position. `marks` maps classes to sets of places as `board place`. */
export function drawBoards(game, boards, scene, marks, arrow) {
  boards.forEach(({ grid, sites, svg }, number) => {
    sites.forEach((button, at) => {
      const contents = scene.contents[number][at];
      const name = `${grid.sites[at].name}: ${contents.join(", ") || "empty"}`;
      const states = Object.entries(marks).filter(([, places]) => places.has(`${number} ${at}`));
      const classes = ["site", contents.length > 1 && "many", ...states.map(([state]) => state)];
      const key = classes.join(" ") + name;
      if (button.dataset.key === key) return;
      button.dataset.key = key;
      button.className = classes.filter(Boolean).join(" ");
      const spoken = { target: "can be selected", held: "selected", fixed: "never changes again" };
      const extra = states.map(([state]) => spoken[state]).filter(Boolean);
      button.setAttribute("aria-label", [name, ...extra].join(", "));
      button.title = name;
      button.replaceChildren(...contents.map((text) => piece(game, grid, text)));
    });
    const middle = (at) => [grid.sites[at].left + 1, grid.sites[at].top + 1];
    const segment = (kind, from, to) => {
      const [[x1, y1], [x2, y2]] = [middle(from), middle(to)];
      return element("line", { class: kind, x1, y1, x2, y2, "vector-effect": "non-scaling-stroke" });
    };
    const lines = scene.lines[number].map(([from, to]) => segment("line", from, to));
    if (arrow && arrow.every(([board]) => board === number)) {
      lines.push(segment("arrow", arrow[0][1], arrow[1][1]));
      const [x, y] = middle(arrow[1][1]);
      lines.push(element("circle", { class: "arrow", cx: x, cy: y, r: 0.3, "vector-effect": "non-scaling-stroke" }));
    }
    svg.replaceChildren(...lines);
  });
}
