// An API key that has just been made, to be copied.

import { html } from "htm/preact";
import { t } from "../strings/text.js";
import { copyText } from "../elements/copy.js";
import { note } from "../frame/note.js";

/** @param {{ apiKey: string }} properties `apiKey`: empty when none was made */
export const NewKey = ({ apiKey }) =>
  html`<div role="status">
    ${
      apiKey === ""
        ? null
        : html`<p class="key">
            <code>${apiKey}</code>
            <button
              type="button"
              class="plain"
              onClick=${async () => note(t((await copyText(apiKey)) ? "copied" : "copy_failed"))}
            >
              ${t("copy")}
            </button>
          </p>`
    }
  </div>`;
