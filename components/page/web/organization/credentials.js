// Where a person is signed in, and the API keys and company accounts of the account: owners list and end them.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import {
  disconnectUserIdentity,
  endUserApiKey,
  endUserSession,
  endUserSessions,
  getUserApiKeys,
  getUserIdentities,
  getUserSessions,
  revokeUserApiKeys,
} from "../api/organization.js";
import { moment } from "../elements/time.js";
import { attempt } from "../frame/note.js";
import { keyName, keyTimes, scopeText } from "../settings/api-keys.js";
import { t } from "../strings/text.js";

/** @typedef {Awaited<ReturnType<typeof getUserSessions>>["sessions"]} Sessions */
/** @typedef {import("../api/sessions.js").ApiKey} ApiKey */
/** @typedef {Awaited<ReturnType<typeof getUserIdentities>>["identities"]} Identities */

/** @type {import("@preact/signals-core").Signal<{ sessions: Sessions, keys: ApiKey[], identities: Identities } | null>} */
const found = signal(null);

export const forgetCredentials = () => void (found.value = null);

/** @param {{ id: number }} properties */
export function Credentials({ id }) {
  const load = () =>
    attempt(async () => {
      const [{ sessions }, { api_keys: keys }, { identities }] = await Promise.all([
        getUserSessions(id),
        getUserApiKeys(id),
        getUserIdentities(id),
      ]);
      found.value = { sessions, keys, identities };
    });
  const end = (/** @type {() => Promise<unknown>} */ run) => () =>
    attempt(async () => {
      await run();
      await load();
    });
  const { sessions, keys, identities } = found.value ?? { sessions: [], keys: [], identities: [] };
  const button = (/** @type {string} */ text, /** @type {() => Promise<unknown>} */ run, label = text) =>
    html`<button type="button" class="plain" aria-label=${label} onClick=${end(run)}>${text}</button>`;
  return html`<section class="credentials">
    <h3>${t("credentials")}</h3>
    <p class="hint">${t("credentials_text")}</p>
    <ul class="names">
      ${sessions.map(
        (one) =>
          html`<li key=${one.id} class="session">
            <span>${one.client} <span class="hint">${t("last_used", { when: moment(one.last_used) })}</span></span>
            ${button(t("sign_out"), () => endUserSession(id, one.id), `${t("sign_out")}: ${one.client}`)}
          </li>`,
      )}
      ${keys.map(
        (one) =>
          html`<li key=${`key-${one.id}`} class="session">
            <span>
              ${keyName(one)} <span class="tag">${scopeText(one.scope)}</span>
              <span class="hint">${keyTimes(one)}</span>
            </span>
            ${button(t("end_key"), () => endUserApiKey(id, one.id), `${t("end_key")}: ${one.name ?? one.client}`)}
          </li>`,
      )}
      ${identities.map(
        (one) =>
          html`<li key=${`identity-${one.id}`} class="session">
            <span>
              ${one.display_name} <span class="tag">${t("company_account")}</span>
              <span class="hint">${t("last_used", { when: moment(one.last_used) })}</span>
            </span>
            ${button(t("disconnect_account"), () => disconnectUserIdentity(id, one.id), `${t("disconnect_account")}: ${one.display_name}`)}
          </li>`,
      )}
    </ul>
    <div class="buttons" role="status">
      ${
        found.value === null
          ? html`<button type="button" class="plain" onClick=${load}>${t("show_credentials")}</button>`
          : html`${sessions.length === 0 ? null : button(t("sign_out_all"), () => endUserSessions(id))}
            ${keys.length === 0 ? null : button(t("revoke_keys"), () => revokeUserApiKeys(id))}
            ${sessions.length + keys.length + identities.length === 0 ? t("none_yet") : null}`
      }
    </div>
  </section>`;
}
