// Signing in with a company account: a button for each provider, and why it failed.

import { html } from "htm/preact";
import { signInFailure } from "../state/route.js";
import { t } from "../strings/text.js";

/** @typedef {import("../strings/text.js").Key} Key */
/** @typedef {{ name: string, display_name: string, display_icon: string | null, login_url: string }} Method */

/** Providers alone: other methods of the list need no button here. */
const PROVIDERS = /^openid:/u;

/** @type {Record<string, Key>} */
const FAILURES = {
  state: "failed_state",
  denied: "failed_denied",
  unreachable: "failed_unreachable",
  off: "failed_off",
  no_address: "failed_no_address",
  unverified: "failed_unverified",
  domain: "failed_domain",
  no_account: "failed_no_account",
  bound: "failed_bound",
  deactivated: "failed_deactivated",
  realm_deactivated: "failed_realm_deactivated",
  full: "failed_full",
};

/** Where the reader was going, so that they arrive there after the sign-in. */
const next = () => (/^#sign-in/u.test(location.hash) || location.hash === "" ? "" : location.hash);

/** @param {Method} method */
const addressOf = ({ login_url }) => (next() === "" ? login_url : `${login_url}?next=${encodeURIComponent(next())}`);

/** @param {{ methods: readonly Method[] }} properties */
export function Providers({ methods }) {
  const failure = signInFailure();
  const shown = methods.filter(({ name }) => PROVIDERS.test(name));
  return html`${
    failure === undefined
      ? null
      : html`<p class="error failure" role="alert">
          ${t((Object.hasOwn(FAILURES, failure) && FAILURES[failure]) || "failed_failed")}
        </p>`
  }
  ${
    shown.length === 0
      ? null
      : html`<ul class="providers">
          ${shown.map(
            (method) =>
              html`<li key=${method.name}>
                <a class="provider" href=${addressOf(method)}
                  >${method.display_icon === null ? null : html`<img src=${`${method.login_url}/icon`} alt="" />`}
                  ${t("sign_in_with", { name: method.display_name })}</a
                >
              </li>`,
          )}
        </ul>`
  }`;
}
