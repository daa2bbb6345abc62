// Settings: saved snippets.

import { html } from "htm/preact";
import { Snippets } from "../compose/snippets.js";
import { t } from "../strings/text.js";

export const SavedSnippets = () =>
  html`<section>
    <h2>${t("snippets")}</h2>
    <p class="hint">${t("snippets_text")}</p>
    <${Snippets} />
  </section>`;
