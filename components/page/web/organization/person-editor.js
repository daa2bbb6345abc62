// A user's name and profile, changed by an administrator, and a link for a user who has forgotten the password.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { createPasswordLink, updateUser } from "../api/organization.js";
import { resetSecondFactor } from "../api/second-factor.js";
import { copyText } from "../elements/copy.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { Form } from "../elements/form.js";
import { attempt, note } from "../frame/note.js";
import { changesIn, chosen, ProfileInputs } from "../settings/profile.js";
import { Credentials, forgetCredentials } from "./credentials.js";
import { amOwner } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

const ADMINISTRATOR = 200;
const link = signal("");

/** @param {number} id */
export function editPerson(id) {
  chosen.value = {};
  link.value = "";
  forgetCredentials();
  open.value = () => html`<${Editor} key=${id} id=${id} />`;
}

/** @param {{ user: any }} properties */
function PasswordLink({ user }) {
  const make = () => attempt(async () => (link.value = (await createPasswordLink(user.user_id)).password_link));
  const copy = async () => note(t((await copyText(link.value)) ? "link_copied" : "copy_failed"));
  return html`<section class="password-link">
    <h3>${t("password_link")}</h3>
    <p class="hint">${t("password_link_text")}</p>
    <div role="status">
      ${
        link.value === ""
          ? null
          : html`<label
                >${t("password_link")}
                <input readonly value=${link.value} onFocus=${(/** @type {any} */ event) => event.target.select()}
              /></label>
              <button type="button" class="plain" onClick=${copy}>${t("copy_link")}</button>`
      }
    </div>
    <button type="button" class="plain" onClick=${make}>${t("make_link")}</button>
  </section>`;
}

/** @param {{ id: number }} properties */
function SecondFactor({ id }) {
  const reset = () =>
    attempt(async () => {
      await resetSecondFactor(id);
      note(t("factor_was_reset"));
    });
  return html`<section class="second-factor">
    <h3>${t("second_factor")}</h3>
    <p class="hint">${t("factor_reset_text")}</p>
    <button type="button" class="plain" onClick=${reset}>${t("factor_reset")}</button>
  </section>`;
}

const ownRole = () => store.users.value.get(store.me.value)?.role ?? 600;

/** @param {{ id: number }} properties */
function Editor({ id }) {
  const user = /** @type {any} */ (store.users.value.get(id));
  if (user === undefined) return html`<${Dialog} title=${t("not_found")}><//>`;
  const save = async (/** @type {import("../elements/form.js").Sent} */ { text, data }) => {
    const profile_data = changesIn(data, user);
    const full_name = text("full_name");
    await updateUser(id, {
      ...(full_name === user.full_name ? {} : { full_name }),
      ...(profile_data.length === 0 ? {} : { profile_data }),
    });
    close();
    note(t("saved"));
  };
  // The server also refuses accounts with special permissions.
  const mayMake = id !== store.me.value && user.is_active && (amOwner() || user.role > ADMINISTRATOR);
  return html`<${Dialog} title=${user.full_name} class="editor">
    <${Form} run=${save} action=${t("save")} cancel=${close}>
      <label
        >${t("name")} <input name="full_name" dir="auto" required maxlength="100" defaultValue=${user.full_name}
      /></label>
      <${ProfileInputs} user=${user} />
    <//>
    ${mayMake ? html`<${PasswordLink} user=${user} />` : null}
    ${id !== store.me.value && user.role > ownRole() ? html`<${SecondFactor} id=${id} />` : null}
    ${amOwner() && id !== store.me.value ? html`<${Credentials} id=${id} />` : null}
  <//>`;
}
