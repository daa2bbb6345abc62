// The live view of a signed-in owner: signs in, asks for the figures, draws them.
// Credentials live in one variable here and go nowhere but into the header of requests.

import { History, age, bytes, count, duration, quantile, sum } from "./history.js";

const EVERY = 2_000;
const SVG = "http://www.w3.org/2000/svg";
const KEY = /^[A-Za-z0-9]{32}$/;

const element = (id) => document.getElementById(id);

let authorization = null;
let history = new History();
let timer;

class Refused extends Error {}

/** Calls an operation; what people should know of a failure is the text of a Refused. */
async function call(path, options = {}) {
  let answer;
  try {
    answer = await fetch(`/api/v1${path}`, { cache: "no-store", credentials: "omit", ...options });
  } catch {
    throw new Error("The server does not answer.");
  }
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  if (answer.status === 401 && body.code === "USER_DEACTIVATED") throw new Refused("This account is deactivated.");
  if (answer.status === 401) throw new Refused("User name and key or password do not belong together.");
  if (body.code === "UNAUTHORIZED_PRINCIPAL") throw new Refused("The figures are for owners of the organization, and this account is none.");
  if (answer.status === 429) throw new Error("Too many requests; wait a little.");
  throw new Error(body.msg || `The server answers with status ${answer.status}.`);
}

function basic(user, key) {
  const utf8 = new TextEncoder().encode(`${user}:${key}`);
  return `Basic ${btoa(String.fromCharCode(...utf8))}`;
}

const ask = (credentials) => call("/server_figures", { headers: { Authorization: credentials } });

/** Tries the text as a key where it looks like one, and exchanges it for a key otherwise. */
async function signIn(user, secret) {
  if (KEY.test(secret)) {
    try {
      const credentials = basic(user, secret);
      return { credentials, user, figures: await ask(credentials) };
    } catch (error) {
      if (!(error instanceof Refused) || !error.message.startsWith("User name")) throw error;
    }
  }
  const body = new URLSearchParams({ username: user, password: secret });
  const made = await call("/fetch_api_key", { method: "POST", body });
  const credentials = basic(made.email, made.api_key);
  return { credentials, user: made.email, figures: await ask(credentials) };
}

function node(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** Puts a value and its unit into an element. */
function put(target, [value, unit]) {
  target.replaceChildren(value);
  if (unit) target.append(node("small", ` ${unit}`));
}

function drawCurve(svg, points) {
  const [line, area] = svg.children;
  const top = Math.max(...points, 1e-9) * 1.15;
  const step = 120 / 59;
  const start = 120 - (points.length - 1) * step;
  const path = points.map((value, index) => `${(start + index * step).toFixed(1)},${(31 - (value / top) * 29).toFixed(1)}`);
  line.setAttribute("points", path.join(" "));
  area.setAttribute("points", `${start.toFixed(1)},32 ${path.join(" ")} 120,32`);
}

/** The tile of a name, made when it is first asked for. */
function tile(name) {
  const id = `tile-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
  const known = element(id);
  if (known) return known;
  const made = node("div", "", "tile");
  made.id = id;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 120 32");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS(SVG, "polyline"), document.createElementNS(SVG, "polygon"));
  made.append(node("h4", name), node("p"), svg);
  element("tiles").append(made);
  return made;
}

function drawTile(name, value, form) {
  const made = tile(name);
  put(made.querySelector("p"), form(value));
  drawCurve(made.querySelector("svg"), history.curve(name, value));
}

const requests = (figures) => figures.requests.reduce((all, part) => all + answered(part), 0);
const answered = (part) => Object.values(part.answers).reduce((all, number) => all + number, 0);
const times = (figures) => sum(figures.requests.map((part) => part.seconds));

function drawTiles(figures) {
  if (figures.scope === "server") {
    drawTile("Requests a second", history.rate(requests), count);
    const recent = history.recent(times);
    drawTile("Median time", quantile(recent, 0.5), duration);
    drawTile("99 % within", quantile(recent, 0.99), duration);
  }
  drawTile("Clients waiting", figures.queues.waiting_polls, count);
  drawTile("Event queues", figures.queues.live, count);
  if (figures.scope !== "server") {
    drawTile("Events a second", history.rate((all) => all.queues.delivered_events), count);
  }
  drawTile("Memory", figures.process.resident_bytes, bytes);
}

function componentRow(part) {
  const same = (figures) => figures.requests.find((other) => other.component === part.component) ?? part;
  const recent = history.recent((figures) => same(figures).seconds);
  const rate = history.rate((figures) => answered(same(figures)));
  const row = node("tr", "", rate === 0 ? "quiet" : "");
  const name = node("th", part.component || "none (refused)");
  name.scope = "row";
  const cells = [
    [count(rate), ""],
    [duration(quantile(recent, 0.5)), ""],
    [duration(quantile(recent, 0.99)), ""],
    [count(part.instances), "wide"],
    [count(part.answers["5xx"]), part.answers["5xx"] > 0 ? "wide bad" : "wide"],
    [count(answered(part)), ""],
  ];
  row.append(name, ...cells.map(([[value, unit], className]) => node("td", unit ? `${value} ${unit}` : value, className)));
  return row;
}

function drawComponents(figures) {
  const parts = figures.requests.filter((part) => answered(part) > 0);
  parts.sort((left, right) => answered(right) - answered(left));
  element("components").replaceChildren(...parts.map(componentRow));
}

function drawRest(figures) {
  const { queues, database, process } = figures;
  const isServer = figures.scope === "server";
  const failed = figures.timers.reduce((all, job) => all + job.failed, 0);
  const rows = [
    isServer && ["Writes a second", count(history.rate((all) => all.database.transactions))],
    isServer && ["Writes for each flush", count(database.groups ? database.transactions / database.groups : null)],
    isServer && ["Flush, 99 % within", duration(quantile(history.recent((all) => all.database.flush_seconds), 0.99))],
    ["Events a second", count(history.rate((all) => all.queues.delivered_events))],
    ["Event until all are woken, 99 %", duration(quantile(history.recent((all) => all.queues.fan_out_seconds), 0.99))],
    ["Queues expired", count(queues.expired)],
    ["Queues that overflowed", count(queues.overflown)],
    isServer && ["Connections", count(process.connections)],
    ["Open files", count(process.open_files)],
    ["Failed runs of timers", count(failed)],
    ["Database", bytes(database.bytes)],
    ["Up for", age(figures.uptime_seconds)],
  ];
  const draw = ([name, [value, unit]]) => {
    const row = node("div");
    row.append(node("dt", name), node("dd", unit ? `${value} ${unit}` : value));
    return row;
  };
  element("rest").replaceChildren(...rows.filter(Boolean).map(draw));
}

function draw(figures) {
  history.add(figures, performance.now());
  element("scope").hidden = figures.scope === "server";
  element("by-component").hidden = figures.scope !== "server";
  drawTiles(figures);
  drawComponents(figures);
  drawRest(figures);
}

async function refresh(user) {
  if (!document.hidden) {
    try {
      const figures = await ask(authorization);
      if (authorization === null) return;
      draw(figures);
      element("who").textContent = `Signed in as ${user}`;
    } catch (error) {
      if (authorization === null) return;
      if (error instanceof Refused) {
        signOut(error.message);
        return;
      }
      element("who").textContent = `${error.message} Trying again.`;
    }
  }
  timer = setTimeout(refresh, EVERY, user);
}

function signOut(reason = "") {
  authorization = null;
  history = new History();
  clearTimeout(timer);
  element("tiles").replaceChildren();
  element("figures").hidden = true;
  element("sign-in").hidden = false;
  element("sign-in-error").textContent = reason;
  element("user").focus();
}

async function submit(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const button = form.querySelector("button");
  const secret = element("secret");
  button.disabled = true;
  element("sign-in-error").textContent = "";
  try {
    const { credentials, user, figures } = await signIn(element("user").value.trim(), secret.value);
    authorization = credentials;
    form.reset();
    form.hidden = true;
    element("figures").hidden = false;
    element("who").textContent = `Signed in as ${user}`;
    draw(figures);
    element("sign-out").focus({ preventScroll: true });
    timer = setTimeout(refresh, EVERY, user);
  } catch (error) {
    element("sign-in-error").textContent = error.message;
    secret.focus();
    secret.select();
  } finally {
    button.disabled = false;
  }
}

/** Offers the form; without scripts it never shows. */
export function startFigures() {
  element("sign-in").hidden = false;
  element("sign-in").addEventListener("submit", submit);
  element("sign-out").addEventListener("click", () => signOut());
}
