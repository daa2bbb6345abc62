// Settings of the account: name, picture, password.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { deleteAvatar, uploadAvatar } from "../api/files.js";
import { updateSettings } from "../api/people.js";
import { getServerSettings } from "../api/sessions.js";
import { Avatar } from "../people/avatar.js";
import { ApiKeys } from "./api-keys.js";
import { showCrop } from "./crop.js";
import { Form } from "../elements/form.js";
import { attempt, note } from "../frame/note.js";
import { openCompanyAccounts } from "./company.js";
import { openSessions } from "./sessions.js";
import { amAdministrator } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

const problem = signal("");

/** Of the picture, which has no form. @param {() => Promise<unknown>} action */
const run = (action) => attempt(action, problem);

const own = () => /** @type {any} */ (store.users.value.get(store.me.value));

/** Password managers look for the address beside a password. */
const Username = () =>
  html`<input hidden readonly name="username" autocomplete="username" value=${own()?.delivery_email ?? ""} />`;

/** @typedef {import("../elements/form.js").Sent} Sent */

function Name() {
  const isFixed = store.realm.value["realm_name_changes_disabled"] === true && !amAdministrator();
  const save = async (/** @type {Sent} */ { text }) => {
    await updateSettings({ full_name: text("full_name") });
    note(t("saved"));
  };
  return html`<${Form} look="inline" run=${save} action=${isFixed ? "" : t("save")}>
    <label
      >${t("name")}
      <input name="full_name" dir="auto" required maxlength="100" readonly=${isFixed} defaultValue=${own()?.full_name}
    /></label>
  <//>`;
}

function Address() {
  const isFixed = store.realm.value["realm_email_changes_disabled"] === true && !amAdministrator();
  const address = own()?.delivery_email ?? "";
  const save = async (/** @type {Sent} */ { text }) => {
    await updateSettings({ email: text("email") });
    const { mail_enabled } = await getServerSettings();
    note(t(mail_enabled ? "email_to_confirm" : "email_changed"));
  };
  return html`<${Form} look="inline" run=${save} action=${isFixed ? "" : t("save")}>
    <label
      >${t("email")}
      <input
        key=${address}
        name="email"
        type="email"
        required
        autocomplete="email"
        readonly=${isFixed}
        defaultValue=${address}
    /></label>
  <//>`;
}

function Picture() {
  const isFixed = store.realm.value["realm_avatar_changes_disabled"] === true && !amAdministrator();
  const choose = (/** @type {any} */ { target }) => {
    const [file] = target.files;
    const most = store.realm.value["max_avatar_file_size_mib"] ?? 5;
    if (file === undefined) return;
    void run(async () => {
      const send = (/** @type {File} */ square) => {
        if (square.size > most * 1024 * 1024) throw new Error(t("file_too_large", { most }));
        return uploadAvatar(square);
      };
      await showCrop(file, send).catch(() => {
        throw new Error(t("not_a_picture"));
      });
    });
    target.value = "";
  };
  return html`<div class="picture">
    <${Avatar} id=${store.me.value} />
    ${
      isFixed
        ? null
        : html`<label class="plain button"
              >${t("new_picture")} <input class="aside" type="file" accept="image/*" onChange=${choose}
            /></label>
            <button type="button" class="plain" onClick=${() => run(deleteAvatar)}>${t("remove_picture")}</button>`
    }
    <p class="error" role="alert">${problem}</p>
  </div>`;
}

function Password() {
  const realm = store.realm.value;
  const save = async (/** @type {Sent} */ { data }) => {
    await updateSettings({ old_password: String(data.get("old")), new_password: String(data.get("new")) });
    note(t("password_changed"));
  };
  return html`<section>
    <h2>${t("password")}</h2>
    <p class="hint">${t("password_ends_sessions")}</p>
    <${Form} look="page" run=${save} action=${t("change_password")} resets>
      <${Username} />
      <label>${t("old_password")} <input name="old" type="password" required autocomplete="current-password" /></label>
      <label
        >${t("new_password")}
        <input
          name="new"
          type="password"
          required
          autocomplete="new-password"
          minlength=${realm["password_min_length"] ?? 6}
          maxlength=${realm["password_max_length"] ?? 100}
      /></label>
    <//>
  </section>`;
}

/** Whether people sign in with company accounts here. */
const hasCompanyAccounts = () =>
  Object.keys(store.realm.value["realm_authentication_methods"] ?? {}).some((way) => way.startsWith("openid:"));

export function Account() {
  useEffect(() => {
    problem.value = "";
  }, []);
  return html`<section>
      <h2>${t("account")}</h2>
      <${Picture} />
      <${Name} />
      <${Address} />
    </section>
    <${Password} />
    <${ApiKeys} address=${own()?.delivery_email ?? own()?.email ?? ""} />
    <section>
      <h2>${t("sessions")}</h2>
      <button type="button" class="plain" onClick=${() => attempt(openSessions)}>${t("show")}</button>
    </section>
    ${
      hasCompanyAccounts()
        ? html`<section>
            <h2>${t("company_accounts")}</h2>
            <button type="button" class="plain" onClick=${() => attempt(openCompanyAccounts)}>${t("show")}</button>
          </section>`
        : null
    }`;
}
