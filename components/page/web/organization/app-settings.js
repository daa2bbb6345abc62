// The settings of an app by the types of its manifest, and its secrets, which can be set and never read.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { updateApp } from "../api/apps.js";
import { Form } from "../elements/form.js";
import { attempt } from "../frame/note.js";
import { PeopleField } from "../people/people-field.js";
import { settingsOf } from "../state/app-rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { keepApp } from "./app-list.js";

/** @typedef {import("../api/apps.js").App} App */
/** @typedef {App["manifest"]["settings"][number]} Setting */

/** What the server accepts of a value or a secret, in bytes. */
const MOST = 4000;

/** @param {string} name */
const fieldOf = (name) => `setting-${name}`;

/** @param {{ setting: Setting, value: string }} properties */
function ChannelSetting({ setting, value }) {
  const channels = [...store.channels.value.values()]
    .filter((one) => !one.is_archived || String(one.stream_id) === value)
    .sort((a, b) => a.name.localeCompare(b.name));
  return html`<label
    >${setting.label}
    <select name=${fieldOf(setting.name)}>
      <option value="" selected=${value === ""}>${t("app_no_channel")}</option>
      ${channels.map(
        ({ stream_id: id, name }) =>
          html`<option key=${id} value=${id} selected=${String(id) === value}>${name}</option>`,
      )}
    </select></label
  >`;
}

/** @param {{ setting: Setting, value: string }} properties */
function PersonSetting({ setting, value }) {
  const people = useSignal(value === "" ? [] : [Number(value)]);
  return html`<div class="field" role="group" aria-label=${setting.label}>
    <span>${setting.label}</span>
    <input type="hidden" name=${fieldOf(setting.name)} value=${people.value[0] ?? ""} />
    <${PeopleField} people=${people.value} set=${(/** @type {number[]} */ next) => (people.value = next.slice(-1))} />
  </div>`;
}

/** @param {{ setting: Setting, value: string }} properties */
function Field({ setting, value }) {
  const { label, kind } = setting;
  const name = fieldOf(setting.name);
  if (kind === "channel") return html`<${ChannelSetting} setting=${setting} value=${value} />`;
  if (kind === "person") return html`<${PersonSetting} setting=${setting} value=${value} />`;
  if (kind === "switch")
    return html`<label class="choice"
      ><input type="checkbox" name=${name} value="true" defaultChecked=${value === "true"} /> ${label}</label
    >`;
  return html`<label
    >${label}
    ${
      kind === "number"
        ? html`<input name=${name} type="number" step="1" autocomplete="off" defaultValue=${value} />`
        : html`<input name=${name} dir="auto" maxlength=${MOST} autocomplete="off" defaultValue=${value} />`
    }</label
  >`;
}

/** @param {{ app: App }} properties */
export function AppSettings({ app }) {
  const { settings } = app.manifest;
  const said = useSignal("");
  if (settings.length === 0) return null;
  const run = async (/** @type {import("../elements/form.js").Sent} */ { data }) => {
    said.value = "";
    const entered = (/** @type {string} */ name) => /** @type {string | null} */ (data.get(fieldOf(name)));
    keepApp(await updateApp(app.app_id, { settings: settingsOf(app, entered) }));
    said.value = t("saved");
  };
  return html`<h3>${t("settings")}</h3>
    <${Form} run=${run} action=${t("save")} class="app-settings">
      ${settings.map(
        (one) =>
          html`<${Field}
            key=${one.name}
            setting=${one}
            value=${String(app.settings[one.name] ?? one.default ?? "")}
          />`,
      )}
    <//>
    <p class="hint" role="status">${said}</p>`;
}

/** @param {{ app: App, secret: App["manifest"]["secrets"][number] }} properties */
function Secret({ app, secret: { name, label, host } }) {
  const said = useSignal("");
  const problem = useSignal("");
  const isSet = app.secrets_set.includes(name);
  const send = async (/** @type {string | null} */ value, /** @type {import("../strings/text.js").Key} */ words) => {
    said.value = "";
    keepApp(await updateApp(app.app_id, { secrets: { [name]: value } }));
    said.value = t(words);
  };
  const set = (/** @type {import("../elements/form.js").Sent} */ { data }) => send(String(data.get("secret")), "saved");
  return html`<li>
    <${Form} look="inline" run=${set} action=${t(isSet ? "app_secret_replace" : "app_secret_set")} resets>
      <input hidden readonly autocomplete="username" value=${`${app.name} ${name}`} />
      <label
        ><span>${label} <span class="tag">${t(isSet ? "app_secret_is_set" : "app_secret_unset")}</span></span>
        <input name="secret" type="password" required maxlength=${MOST} autocomplete="new-password"
      /></label>
    <//>
    <p class="hint">${t("app_secret_host", { host })}</p>
    <p class="hint" role="status">${said}</p>
    <p class="error" role="alert">${problem}</p>
    ${
      isSet
        ? html`<button
            type="button"
            class="plain"
            aria-label=${t("remove_one", { name: label })}
            onClick=${() => attempt(() => send(null, "app_secret_removed"), problem)}
          >
            ${t("remove")}
          </button>`
        : null
    }
  </li>`;
}

/** @param {{ app: App }} properties */
export function AppSecrets({ app }) {
  const { secrets } = app.manifest;
  if (secrets.length === 0) return null;
  return html`<h3>${t("app_secrets")}</h3>
    <p class="hint">${t("app_secrets_text")}</p>
    <ul class="names app-secrets">
      ${secrets.map((one) => html`<${Secret} key=${one.name} app=${app} secret=${one} />`)}
    </ul>`;
}
