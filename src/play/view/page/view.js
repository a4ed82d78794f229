// The page: asks the server what is shown, and tells it what the person does.

import { drawBoards, element, makeBoards } from "./board.js";
import { drawKnowledge, drawMatch, drawSearch } from "./panels.js";

const POLL = 300; // milliseconds
const LISTED = 150; // moves

const find = (id) => document.getElementById(id);
const key = (place) => place.join(" ");

let game; // what does not change
let scene; // the position that is shown
let thinking; // what changes while it is
let boards;
let role = null; // whose move is being chosen
let held = []; // the places that were taken, as keys
let failure = "";

async function ask(address, body) {
  const options = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const answer = await fetch(address, options);
  const message = await answer.json();
  if (!answer.ok) throw new Error(message.error);
  return message;
}

/** Changes the match, and shows what became of it. */
async function tell(address, body) {
  try {
    failure = "";
    show(await ask(address, body));
  } catch (error) {
    failure = error.message;
    draw();
  }
}

const go = (depth) => tell("/api/go", { depth });

function play(text) {
  const moves = game.roles.map((_, at) => (at === role ? text : null));
  tell("/api/play", { version: scene.version, moves });
}

/** The roles whose moves the person chooses now. */
function choosers() {
  return game.roles.flatMap((_, at) => {
    const open = scene.legal[at].length > 1 && !scene.chosen[at];
    return open && at !== game.random && !scene.machines[at] ? [at] : [];
  });
}

/** The moves of the role that name the places that were taken, in this order. */
function candidates() {
  if (role == null) return [];
  return scene.legal[role].filter((move) =>
    held.every((place, at) => move.places[at]?.some((other) => key(other) === place)));
}

/** Takes a place: the next one that a move names. */
function take(board, site) {
  const place = key([board, site]);
  const before = held;
  held = [...before, place];
  if (before.length && !candidates().length) held = [place];
  const left = candidates();
  if (!left.length || (before.length === 1 && before[0] === place && held.length === 1)) held = [];
  const complete = left.filter((move) => move.places.length === held.length);
  if (held.length && complete.length === 1 && left.length === 1) return play(complete[0].text);
  draw();
  if (complete.length > 1) find("moves").querySelector("button")?.focus();
}

function status() {
  if (failure) return failure;
  if (scene.goals) {
    const goals = scene.goals.map((goal, at) => `${game.roles[at]} ${goal ?? "undefined"}`);
    return `The match is over: ${goals.join(", ")}.`;
  }
  const stuck = scene.legal.findIndex((moves) => !moves.length);
  if (stuck >= 0) return `${game.roles[stuck]} has no legal move, so the match cannot continue.`;
  const waiting = choosers().map((at) => game.roles[at]);
  const depth = `After ${scene.depth} joint moves`;
  if (!waiting.length) return `${depth}: no role has a choice here.`;
  const taken = held.length ? `, from ${held.map(placeName).join(" to ")}` : "";
  return `${depth}: your move for ${waiting.join(", ")}${taken}.`;
}

function placeName(place) {
  const [board, site] = place.split(" ").map(Number);
  return game.grids[board].sites[site].name;
}

function places(parts) {
  return new Set(parts.flat().map(key));
}

function draw() {
  const open = choosers();
  if (!open.includes(role)) role = open[0] ?? null;
  const left = candidates();
  const search = thinking?.search.version === scene.version ? thinking.search : null;
  const known = thinking?.knowledge.version === scene.version ? thinking.knowledge : null;
  const ranked = search?.roles.find((other) => other.role === role) ?? search?.roles[0];
  const best = ranked?.moves[0];
  const named = best && scene.legal[ranked.role].find((move) => move.text === best.text)?.places;
  const points = named?.length > 1 && named.every((part) => part.length === 1);
  const marks = {
    target: places(left.map((move) => move.places[held.length] ?? [])),
    held: new Set(held),
    best: places(named ?? []),
    fixed: places([known?.dark?.places ?? []]),
  };
  drawBoards(game, boards, scene, marks, points ? [named[0][0], named[1][0]] : null);
  find("status").textContent = status();
  find("rest").replaceChildren(...scene.rest.map((text) => element("li", {}, text)));
  drawMoves(open, left);
  drawMatch(game, scene, thinking?.values ?? [], go);
  if (search) drawSearch(game, search);
  if (known) drawKnowledge(game, known);
  find("back").disabled = find("first").disabled = scene.depth === 0;
  find("next").disabled = find("last").disabled = scene.depth === scene.line.length;
}

/** The moves that can be chosen, as buttons and for the entry. */
function drawMoves(open, left) {
  const list = find("moves");
  const shown = JSON.stringify([role, scene.version, held]);
  if (list.dataset.key === shown) return;
  list.dataset.key = shown;
  const button = (move) =>
    element("li", {}, element("button", { type: "button", onclick: () => play(move.text) }, move.text));
  list.replaceChildren(...left.slice(0, LISTED).map(button));
  if (left.length > LISTED) list.append(element("li", {}, `… and ${left.length - LISTED} more: type one, or select a place`));
  find("known").replaceChildren(...left.map((move) => element("option", { value: move.text })));
  find("move").disabled = role == null;
  find("on").disabled = Boolean(scene.goals) || open.length > 0;
  const who = find("who");
  who.hidden = open.length < 2;
  const choice = (at) => {
    const input = element("input", { type: "radio", name: "who", checked: at === role, onchange: () => { role = at; held = []; draw(); } });
    return element("label", {}, input, game.roles[at]);
  };
  who.replaceChildren(who.firstElementChild, ...open.map(choice));
}

/** Shows another position. */
function show(message) {
  const hadFocus = document.activeElement?.dataset?.place;
  if (scene?.version !== message.version) held = [];
  scene = message;
  const boxes = game.roles.flatMap((name, at) => {
    if (at === game.random) return [];
    const change = (event) => {
      const machines = scene.machines.map((is, other) => (other === at ? event.target.checked : is));
      tell("/api/machines", { machines });
    };
    return [element("label", {}, element("input", { type: "checkbox", checked: scene.machines[at], onchange: change }), ` machine plays ${name}`)];
  });
  const group = find("machines");
  const shown = JSON.stringify(scene.machines);
  if (group.dataset.key !== shown) {
    group.dataset.key = shown;
    group.replaceChildren(...boxes);
  }
  draw();
  if (hadFocus && document.activeElement === document.body) {
    document.querySelector(`[data-place="${hadFocus}"]`)?.focus();
  }
}

async function poll() {
  try {
    if (!document.hidden) {
      thinking = await ask("/api/thinking");
      if (thinking.version !== scene.version) show(await ask("/api/scene"));
      else draw();
    }
  } catch {
    find("status").textContent = "The program has ended or does not respond.";
  }
  setTimeout(poll, POLL);
}

function listen() {
  find("entry").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = find("move").value.trim();
    if (text && role != null) play(text.startsWith("(") || !text.includes(" ") ? text : `(${text})`);
    find("move").value = "";
  });
  find("on").addEventListener("click", () => tell("/api/play", { version: scene.version, moves: [] }));
  const steps = { first: () => 0, back: () => scene.depth - 1, next: () => scene.depth + 1, last: () => scene.line.length };
  for (const [id, depth] of Object.entries(steps)) find(id).addEventListener("click", () => go(depth()));
  const keys = { ",": "back", ".": "next", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input") || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") {
      held = [];
      draw();
    } else if (keys[event.key]) {
      event.preventDefault();
      find(keys[event.key]).click();
    }
  });
}

async function start() {
  game = await ask("/api/game");
  document.title = `${game.name} – propjit`;
  find("name").textContent = game.name;
  boards = makeBoards(game, take);
  find("boards").replaceChildren(...boards.map((board) => board.figure));
  listen();
  show(await ask("/api/scene"));
  poll();
}

start().catch((error) => (find("status").textContent = error.message));
