// Texts: every word that people read is in the tables beside this file. Only those of the reader's
// language are loaded: one with the page, one with the first module that comes later.

import { signal } from "@preact/signals-core";
import { choose, LOADS, ofBrowser } from "./tables.js";

/** @typedef {keyof typeof import("./en.js").en | keyof typeof import("./later/en.js").en} Key */
/** @typedef {import("./tables.js").Table} Table */

/** Texts of what is loaded when it is needed. @type {Record<string, () => Promise<Table>>} */
const LATER = {
  en: async () => (await import("./later/en.js")).en,
  de: async () => (await import("./later/de.js")).de,
};
/** @type {Record<string, Table>} */
const tables = {};
/** The same for `LATER`. @type {Record<string, Table>} */
const further = {};
let isMoreWanted = false;

export const language = signal(ofBrowser());
/** The language that is wanted, while its table may be on its way. */
let wish = language.value;

/** Changes the language once its table is here. @param {string} wanted */
async function take(wanted) {
  wish = wanted;
  tables[wanted] ??= await /** @type {() => Promise<Table>} */ (LOADS[wanted])();
  if (isMoreWanted) further[wanted] ??= await /** @type {() => Promise<Table>} */ (LATER[wanted])();
  if (wish !== wanted) return;
  language.value = wanted;
  document.documentElement.lang = wanted;
}

/** Loads the texts that the page begins with. */
export async function beginToSpeak() {
  while (tables[language.value] === undefined) {
    try {
      await take(wish);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

/** Loads the texts of what comes later; they stay for good. */
export async function learnMore() {
  isMoreWanted = true;
  const now = language.value;
  further[now] ??= await /** @type {() => Promise<Table>} */ (LATER[now])();
}

/** Languages there are, each in itself. */
export const LANGUAGES = /** @type {const} */ ([
  ["en", "English"],
  ["de", "Deutsch"],
]);

const CHOSEN = "spindle-language";

/** English is also the default: this browser remembers that it was chosen. @param {unknown} setting */
export function preferLanguage(setting) {
  try {
    localStorage.setItem(CHOSEN, String(setting));
  } catch {
    // Not allowed: English then gives way to the language of the browser.
  }
}

function chosenHere() {
  try {
    return localStorage.getItem(CHOSEN);
  } catch {
    return null;
  }
}

/** The reader's setting, when there is one. @param {string | undefined} setting */
export function speak(setting) {
  const isChosen = setting !== undefined && setting !== "" && (setting !== "en" || chosenHere() === "en");
  const wanted = isChosen ? choose([setting]) : ofBrowser();
  // Where it cannot be loaded, the page stays in the language that it has.
  if (wanted !== wish) take(wanted).catch(() => (wish = language.value));
}

/**
 * A text with its blanks filled in. A text of two forms, parted by `|`, is chosen by `n`.
 * @param {Key} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const text = tables[language.value]?.[key] ?? further[language.value]?.[key] ?? key;
  const forms = text.split("|");
  const form = forms.length > 1 && values.n !== 1 ? forms[1] : forms[0];
  const chosen = form ?? text;
  return !chosen.includes("{") ? chosen : chosen.replace(/\{(\w+)\}/gu, (blank, name) => String(values[name] ?? blank));
}
