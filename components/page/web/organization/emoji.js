// Emoji of the organization's own: those there are, and adding one.

import { html } from "htm/preact";
import { deleteEmoji, uploadEmoji } from "../api/organization.js";
import { Form } from "../elements/form.js";
import { attempt } from "../frame/note.js";
import { amAdministrator, mayAddEmoji } from "../state/rights.js";
import { nameOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @param {import("../elements/form.js").Sent} sent */
const add = ({ text, data }) => uploadEmoji(text("name"), /** @type {File} */ (data.get("picture")));

/** @param {{ emoji: any }} properties */
const Line = ({ emoji }) =>
  html`<li class="session">
    <span
      ><img class="glyph" src=${emoji.source_url} alt="" />
      <code>:${emoji.name}:</code>
      ${emoji.author_id ? html`<span class="hint"><bdi>${nameOf(emoji.author_id)}</bdi></span>` : null}</span
    >
    ${
      amAdministrator() || emoji.author_id === store.me.value
        ? html`<button
            type="button"
            class="plain"
            aria-label=${t("remove_one", { name: emoji.name })}
            onClick=${() => attempt(() => deleteEmoji(emoji.name))}
          >
            ${t("remove")}
          </button>`
        : null
    }
  </li>`;

export function Emoji() {
  const all = [...store.emoji.value.values()]
    .filter((one) => !one.deactivated)
    .sort((a, b) => a.name.localeCompare(b.name));
  return html`<section>
    <h2>${t("organization_emoji")}</h2>
    <ul class="names">
      ${all.map((emoji) => html`<${Line} key=${emoji.id} emoji=${emoji} />`)}
    </ul>
    ${all.length === 0 ? html`<p class="hint">${t("none_yet")}</p>` : null}
    ${
      mayAddEmoji()
        ? html`<${Form} look="page" run=${add} action=${t("add")} resets>
            <label
              >${t("name")}
              <input name="name" required autocomplete="off" pattern="[a-z0-9_\\-]*[a-z0-9]" placeholder="shuttle"
            /></label>
            <label>${t("picture")} <input name="picture" type="file" accept="image/*" required /></label>
          <//>`
        : null
    }
  </section>`;
}
