// Texts: every word that people read is in the tables beside this file.

import { signal } from "@preact/signals-core";
import { de } from "./de.js";
import { en } from "./en.js";

/** @typedef {keyof typeof en} Key */
/** @type {Record<string, Record<Key, string>>} */
export const TABLES = { en, de };

/** @param {readonly string[]} wanted @returns {string} */
export function choose(wanted) {
  for (const language of wanted) {
    const short = language.toLowerCase().split("-")[0] ?? "";
    if (short in TABLES) return short;
  }
  return "en";
}

export const language = signal(choose(navigator.languages ?? [navigator.language]));

/** Languages there are, each in itself. */
export const LANGUAGES = /** @type {const} */ ([
  ["en", "English"],
  ["de", "Deutsch"],
]);

const CHOSEN = "spindle-language";

/** English is also what nobody has chosen: this browser remembers that it was. @param {unknown} setting */
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
  language.value = choose(isChosen ? [setting] : (navigator.languages ?? [navigator.language]));
  document.documentElement.lang = language.value;
}

/**
 * A text with its blanks filled in. A text of two forms, parted by `|`, is chosen by `n`.
 * @param {Key} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const text = TABLES[language.value]?.[key] ?? en[key];
  const forms = text.split("|");
  const form = forms.length > 1 && values.n !== 1 ? forms[1] : forms[0];
  return (form ?? text).replace(/\{(\w+)\}/gu, (blank, name) => String(values[name] ?? blank));
}
