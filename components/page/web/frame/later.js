// Modules that come when they are first needed. After an upgrade they are gone: then the banner asks
// for a reload.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { checkVersion } from "../state/version.js";
import { learnMore, t } from "../strings/text.js";
import { attempt } from "./note.js";

/** A module with its texts. @template T @param {() => Promise<T>} load */
export async function fetched(load) {
  try {
    const [found] = await Promise.all([load(), learnMore()]);
    return found;
  } catch {
    void checkVersion();
    throw new Error(t("not_loaded"));
  }
}

/** Runs something of a module. @template T @param {() => Promise<T>} load @param {(module: T) => unknown} run */
export const withModule = (load, run) =>
  attempt(async () => {
    await run(await fetched(load));
  });

/** Milliseconds until a view that nothing can be done without is asked for again. */
const AGAIN = 1000;
const loading = () => html`<div class="page"><p class="edge" role="status">${t("loading")}</p></div>`;

/**
 * A view of a module; a second visit tries again what failed.
 * @param {() => Promise<any>} load of the view
 * @param {() => any} waiting what is drawn until it is here
 * @param {boolean} isNeeded it is tried again without a visit
 */
export function laterView(load, waiting = loading, isNeeded = false) {
  /** @type {import("@preact/signals-core").Signal<{ view: any }>} */
  const loaded = signal({ view: null });
  let isAsked = false;
  const ask = async () => {
    isAsked = true;
    await withModule(load, (view) => (loaded.value = { view }));
    isAsked = false;
    if (isNeeded && loaded.value.view === null) setTimeout(() => (loaded.value = { view: null }), AGAIN);
  };
  return (/** @type {any} */ properties) => {
    const { view } = loaded.value;
    if (view !== null) return html`<${view} ...${properties} />`;
    if (!isAsked) void ask();
    return waiting();
  };
}
