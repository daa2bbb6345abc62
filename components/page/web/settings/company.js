// The company accounts with which one signs in.

import { html } from "htm/preact";
import { disconnectIdentity, getIdentities } from "../api/sessions.js";
import { Dialog, open } from "../elements/dialog.js";
import { moment } from "../elements/time.js";
import { attempt } from "../frame/note.js";
import { t } from "../strings/text.js";

export async function openCompanyAccounts() {
  const { identities } = await getIdentities();
  const end = (/** @type {number} */ id) =>
    attempt(async () => {
      await disconnectIdentity(id);
      await openCompanyAccounts();
    });
  open.value = () =>
    html`<${Dialog} title=${t("company_accounts")}>
      ${identities.length === 0 ? html`<p class="hint">${t("company_accounts_none")}</p>` : null}
      <ul class="names">
        ${identities.map(
          (one) =>
            html`<li key=${one.id} class="session">
              <span>
                ${one.display_name} <span class="hint">${t("last_used", { when: moment(one.last_used) })}</span>
              </span>
              <button
                type="button"
                class="plain"
                aria-label=${`${t("disconnect_account")}: ${one.display_name}`}
                onClick=${() => end(one.id)}
              >
                ${t("disconnect_account")}
              </button>
            </li>`,
        )}
      </ul>
    <//>`;
}
