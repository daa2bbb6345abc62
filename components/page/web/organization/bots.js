// Bots: those that there are, making one, and changing one.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { deactivateUser, reactivateUser } from "../api/organization.js";
import { Avatar } from "../people/avatar.js";
import { BotAccess } from "./bot-access.js";
import { showBot } from "./bot-card.js";
import { aboutKind, NewBotForm } from "./bot-form.js";
import { attempt } from "../frame/note.js";
import { openPerson } from "../frame/open.js";
import { amAdministrator, mayCreateHooks } from "../state/rights.js";
import { nameOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../api/bots.js").CreatedBot} CreatedBot */

/** The bot that was made last. @type {import("@preact/signals-core").Signal<CreatedBot | null>} */
const made = signal(null);

/** @param {{ bot: CreatedBot }} properties */
function Made({ bot }) {
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  // It is below the form, often outside the screen.
  useEffect(() => heading.current?.focus(), []);
  return html`<section class="made">
    <h2 ref=${heading} tabindex="-1">${t("bot_made", { name: bot.full_name })}</h2>
    <p class="hint">${t("bot_made_text")}</p>
    <${BotAccess} id=${bot.user_id} apiKey=${bot.api_key} />
  </section>`;
}

/** @param {{ bot: any }} properties */
function Line({ bot }) {
  const { user_id: id, full_name: name, bot_owner_id: owner, is_active: isActive } = bot;
  const mayChange = amAdministrator() || owner === store.me.value;
  return html`<li>
    <${Avatar} id=${id} />
    <button type="button" class="name" aria-haspopup="dialog" onClick=${() => openPerson(id)}>
      <bdi>${name}</bdi>
    </button>
    ${isActive ? null : html`<span class="tag">${t("deactivated")}</span>`}
    <span class="hint">${t(aboutKind(bot.bot_type)[1])}${owner ? html` · <bdi>${nameOf(owner)}</bdi>` : null}</span>
    ${
      mayChange && isActive
        ? html`<button
            type="button"
            class="plain"
            aria-haspopup="dialog"
            aria-label=${`${t("edit")}: ${name}`}
            onClick=${() => showBot(bot)}
          >
            ${t("edit")}
          </button>`
        : null
    }
    ${
      mayChange
        ? html`<button
            type="button"
            class="plain"
            aria-label=${`${t(isActive ? "deactivate_person" : "reactivate_person")}: ${name}`}
            onClick=${() => attempt(() => (isActive ? deactivateUser(id) : reactivateUser(id)))}
          >
            ${t(isActive ? "deactivate_person" : "reactivate_person")}
          </button>`
        : null
    }
  </li>`;
}

export function Bots() {
  // A key is on the screen no longer than the page that showed it.
  useEffect(() => () => void (made.value = null), []);
  const all = [...store.users.value.values()]
    .filter((one) => one.is_bot && !(/** @type {any} */ (one).is_system_bot))
    .sort((a, b) => a.full_name.localeCompare(b.full_name));
  return html`<section class="broad">
    <h2>${t("organization_bots")}</h2>
    ${all.length === 0 ? html`<p class="hint">${t("none_yet")}</p>` : null}
    <ul class="names faces accounts">
      ${all.map((bot) => html`<${Line} key=${bot.user_id} bot=${bot} />`)}
    </ul>
    ${
      mayCreateHooks()
        ? html`<h3>${t("new_bot")}</h3>
            <${NewBotForm} done=${(/** @type {CreatedBot} */ bot) => (made.value = bot)} />`
        : null
    }
    ${made.value === null ? null : html`<${Made} key=${made.value.user_id} bot=${made.value} />`}
  </section>`;
}
