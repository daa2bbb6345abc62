// The page itself: whose server this is, whether it answers, and copying of code.
// Figures are in live.js. Nothing is stored, and markup is never built from text.

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

/** Browsers offer the clipboard to secure origins only; elsewhere the selection is copied. */
async function copy(code) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      // Refused: the selection is left to try.
    }
  }
  const selection = getSelection();
  selection.selectAllChildren(code);
  const copied = document.execCommand("copy");
  if (copied) selection.removeAllRanges();
  return copied;
}

function offerCopying(button) {
  const code = button.closest("figure").querySelector("code");
  let back;
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.textContent = (await copy(code)) ? "Copied" : "Selected";
    clearTimeout(back);
    back = setTimeout(() => (button.textContent = "Copy"), 1800);
  });
}

for (const button of document.querySelectorAll(".copy")) offerCopying(button);
startFigures();
await check();
setInterval(() => document.hidden || check(), CHECK_EVERY);
