// A text to be copied or downloaded.

import { html } from "htm/preact";
import { t } from "../strings/text.js";
import { copyText } from "./copy.js";
import { note } from "../frame/note.js";

/** @param {string} text */
export const copyAndSay = async (text) => note(t((await copyText(text)) ? "copied" : "copy_failed"));

/** @param {{ text: string, label?: string }} properties label: what is copied, where a page has several */
export const Copyable = ({ text, label }) =>
  html`<p class="key">
    <code>${text}</code>
    <button
      type="button"
      class="plain"
      aria-label=${label === undefined ? undefined : `${t("copy")}: ${label}`}
      onClick=${() => copyAndSay(text)}
    >
      ${t("copy")}
    </button>
  </p>`;

/** Saves a text as a file. @param {string} name @param {string} text */
export function saveFile(name, text) {
  // Of no type that a browser would give an ending.
  const address = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read it only after the click has ended.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
