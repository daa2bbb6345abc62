// The keys with which programs use the account: made with a name, a scope and an end, listed, and ended.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { createApiKey, endApiKey, getApiKeys } from "../api/sessions.js";
import { Form } from "../elements/form.js";
import { moment } from "../elements/time.js";
import { attempt } from "../frame/note.js";
import { NewKey, Zuliprc } from "../organization/new-key.js";
import { amModerator, mayMakeKeys } from "../state/rights.js";
import { t } from "../strings/text.js";

/** @typedef {import("../api/sessions.js").ApiKey} ApiKey */
/** @typedef {import("../elements/form.js").Sent} Sent */
/** @typedef {import("../strings/text.js").Key} Key */

/** @type {import("@preact/signals-core").Signal<ApiKey[]>} */
const keys = signal([]);
const secret = signal("");

const DAY = 24 * 60 * 60;
const DAYS = [7, 30, 90, 365];

const load = () => attempt(async () => void (keys.value = (await getApiKeys()).api_keys));

/** @type {Record<ApiKey["scope"], Key>} */
const SCOPES = {
  read: "scope_read",
  send: "scope_send",
  everything: "scope_everything",
  administer: "scope_administer",
  account: "scope_account",
};

/** What a key may be used for, in words. @param {ApiKey["scope"]} scope */
export const scopeText = (scope) => t(SCOPES[scope]);

/** When a key was used and when it ends. @param {ApiKey} one */
export const keyTimes = ({ last_used, ends }) =>
  [
    last_used === null ? t("never_used") : t("last_used", { when: moment(last_used) }),
    ends === null ? "" : t("key_ends", { when: moment(ends) }),
  ]
    .filter((text) => text !== "")
    .join(" · ");

/** The name of a key, or how it was made. @param {ApiKey} one */
export const keyName = ({ name, client, created }) =>
  html`<bdi>${name ?? t("key_made", { when: moment(created) })}</bdi>
    ${name === null ? html` <span class="hint"><bdi>${client}</bdi></span>` : null}`;

/** @param {{ one: ApiKey }} properties */
function Line({ one }) {
  const end = () =>
    attempt(async () => {
      await endApiKey(one.id);
      await load();
    });
  return html`<li class="session">
    <span>
      ${keyName(one)} <span class="tag">${scopeText(one.scope)}</span>
      <span class="hint">${keyTimes(one)}</span>
    </span>
    <button type="button" class="plain" aria-label=${`${t("end_key")}: ${one.name ?? one.client}`} onClick=${end}>
      ${t("end_key")}
    </button>
  </li>`;
}

function Make() {
  const make = async (/** @type {Sent} */ { text, data }) => {
    const days = Number(data.get("days"));
    const ends = days === 0 ? null : Math.floor(Date.now() / 1000) + days * DAY;
    const scope = /** @type {"read" | "send" | "everything" | "administer"} */ (text("scope"));
    secret.value = (await createApiKey({ name: text("key_name"), scope, ends })).api_key;
    await load();
  };
  /** @type {ApiKey["scope"][]} */
  const scopes = ["read", "send", "everything"];
  if (amModerator()) scopes.push("administer");
  return html`<${Form} look="page" run=${make} action=${t("new_key")} resets>
    <label>${t("name")} <input name="key_name" dir="auto" required maxlength="60" autocomplete="off" /></label>
    <label
      >${t("key_scope")}
      <select name="scope">
        ${scopes.map((scope) => html`<option key=${scope} value=${scope}>${scopeText(scope)}</option>`)}
      </select></label
    >
    <label
      >${t("key_end")}
      <select name="days">
        <option value="0">${t("no_end")}</option>
        ${DAYS.map((n) => html`<option key=${n} value=${n}>${t("days_count", { n })}</option>`)}
      </select></label
    >
  <//>`;
}

/** @param {{ address: string }} properties */
export function ApiKeys({ address }) {
  useEffect(() => {
    void load();
    // A key is on the screen no longer than the page that showed it.
    return () => {
      secret.value = "";
      keys.value = [];
    };
  }, []);
  return html`<section class="api-keys">
    <h2>${t("api_keys")}</h2>
    <p class="hint">${t("api_key_text")}</p>
    <ul class="names">
      ${keys.value.map((one) => html`<${Line} key=${one.id} one=${one} />`)}
    </ul>
    ${mayMakeKeys() ? html`<${Make} />` : html`<p class="hint">${t("no_keys_here")}</p>`}
    <${NewKey} apiKey=${secret.value} />
    <${Zuliprc} email=${address} apiKey=${secret.value} />
  </section>`;
}
