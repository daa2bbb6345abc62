// How people get in: invitations, addresses, and how long one is new.

import { html } from "htm/preact";
import { addRealmDomain, removeRealmDomain } from "../api/organization.js";
import { Form } from "../elements/form.js";
import { attempt } from "../frame/note.js";
import { RealmChoice, RealmToggle } from "./realm-setting.js";
import { amOwner } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Ways } from "./ways.js";

const DAYS = [0, 1, 3, 7, 30];

/** @param {import("../elements/form.js").Sent} sent */
const add = ({ text, data }) => addRealmDomain(text("domain"), data.has("below"));

function Domains() {
  /** @type {{ domain: string, allow_subdomains: boolean }[]} */
  const domains = store.personal.value["realm_domains"] ?? [];
  return html`<section>
    <h2>${t("domains")}</h2>
    <${RealmToggle} name="emails_restricted_to_domains" text=${t("only_domains")} />
    <ul class="names">
      ${domains.map(
        ({ domain, allow_subdomains }) =>
          html`<li class="session" key=${domain}>
            <span>${domain} ${allow_subdomains ? html`<span class="hint">${t("with_subdomains")}</span>` : null}</span>
            ${
              amOwner()
                ? html`<button
                    type="button"
                    class="plain"
                    aria-label=${t("remove_one", { name: domain })}
                    onClick=${() => attempt(() => removeRealmDomain(domain))}
                  >
                    ${t("remove")}
                  </button>`
                : null
            }
          </li>`,
      )}
    </ul>
    ${
      amOwner()
        ? html`<${Form} look="page" run=${add} action=${t("add")} resets>
            <label>${t("domain")} <input name="domain" required autocomplete="off" placeholder="example.org" /></label>
            <label class="choice"><input type="checkbox" name="below" /> ${t("with_subdomains")}</label>
          <//>`
        : null
    }
  </section>`;
}

/** Days for which a browser stays signed in. */
const LENGTHS = [1, 7, 14, 30, 90, 365];

const SigningIn = () =>
  html`<section>
    <h2>${t("organization_sign_in")}</h2>
    <${RealmChoice}
      name="second_factor_required_for"
      text=${t("factor_required_for")}
      options=${[
        ["nobody", t("factor_for_nobody")],
        ["administrators", t("factor_for_administrators")],
        ["members", t("factor_for_members")],
        ["everyone", t("factor_for_everyone")],
      ]}
    />
    <${RealmChoice}
      name="session_days"
      text=${t("session_days")}
      options=${LENGTHS.map((n) => [n, t("days_count", { n })])}
    />
  </section>`;

export const Joining = () =>
  html`<section>
      <h2>${t("organization_joining")}</h2>
      <${RealmToggle} name="invite_required" text=${t("invite_required")} />
      <${RealmToggle} name="disallow_disposable_email_addresses" text=${t("no_disposable")} />
      <${RealmChoice}
        name="waiting_period_threshold"
        text=${t("waiting_period")}
        options=${DAYS.map((n) => [n, n === 0 ? t("no_wait") : t("days_count", { n })])}
      />
    </section>
    <${Ways} />
    <${SigningIn} />
    <${Domains} />`;
