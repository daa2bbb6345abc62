// The page itself: whose server this is, and whether it answers.
// Figures are in live.js. Nothing is stored, and markup is never built from text.

import { offerCopying } from "./copy.js";
import { startFigures } from "./live.js";

const CHECK_EVERY = 30_000;
const element = (id) => document.getElementById(id);

/** Shows the state in words and as the colour of the dot: good, waiting or bad. */
export function showState(kind, text) {
  element("dot").className = `dot ${kind}`;
  element("state-text").textContent = text;
}

/** Asks what every client asks first; it reads the database, so an answer means that it works. */
async function check() {
  const started = performance.now();
  try {
    const answer = await fetch("/api/v1/server_settings", { cache: "no-store", credentials: "omit" });
    const took = Math.max(1, Math.round(performance.now() - started));
    if (answer.status === 429) return;
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const settings = await answer.json();
    const name = settings.realm_name || "Spindle";
    element("name").textContent = name;
    document.title = name === "Spindle" ? name : `${name} · Spindle`;
    showState("good", `Up, answers in ${took} ms`);
  } catch {
    showState("bad", "Does not answer");
  }
}

offerCopying();
startFigures();
await check();
setInterval(() => document.hidden || check(), CHECK_EVERY);
