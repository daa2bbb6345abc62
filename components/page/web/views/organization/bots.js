// Bots: those that there are, and making one.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { createBot, deactivateUser, reactivateUser } from "../../api/organization.js";
import { Avatar } from "../../parts/avatar.js";
import { NewKey } from "../../parts/new-key.js";
import { attempt, textOf } from "../../parts/note.js";
import { openPerson } from "../../parts/open-person.js";
import { amAdministrator, mayCreateBots } from "../../state/rights.js";
import { nameOf } from "../../state/select.js";
import { store } from "../../state/store.js";
import { t } from "../../strings/text.js";

const problem = signal("");
const apiKey = signal("");

/** @param {SubmitEvent} event */
async function create(event) {
  event.preventDefault();
  problem.value = "";
  const form = /** @type {HTMLFormElement} */ (event.target);
  const data = new FormData(form);
  try {
    const { api_key } = await createBot(String(data.get("name")).trim(), String(data.get("short")).trim());
    apiKey.value = api_key;
    form.reset();
  } catch (error) {
    problem.value = textOf(error);
  }
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
    ${owner ? html`<span class="hint"><bdi>${nameOf(owner)}</bdi></span>` : null}
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
  useEffect(() => () => void (apiKey.value = ""), []);
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
      mayCreateBots()
        ? html`<form onSubmit=${create}>
            <h3>${t("new_bot")}</h3>
            <label>${t("name")} <input name="name" required dir="auto" maxlength="100" autocomplete="off" /></label>
            <label>${t("bot_address")} <input name="short" required maxlength="60" autocomplete="off" /></label>
            <p class="error" role="alert">${problem}</p>
            <div><button type="submit" class="plain">${t("create")}</button></div>
          </form>`
        : null
    }
    <${NewKey} apiKey=${apiKey.value} />
  </section>`;
}
