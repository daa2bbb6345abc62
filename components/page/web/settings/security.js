// Security of the account: the second factor, and passkeys.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { getSecondFactor, removeTotp, renewRecoveryCodes } from "../api/second-factor.js";
import { Form } from "../elements/form.js";
import { moment } from "../elements/time.js";
import { attempt, note } from "../frame/note.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { CodeField, Enrol, RecoveryCodes } from "./enrol.js";
import { PasskeyInstead, Passkeys } from "./passkeys.js";

/** @typedef {import("../elements/form.js").Sent} Sent */

/** @typedef {import("../api/http.js").Answer<"GET /second_factor">} State */

/** @type {import("@preact/signals-core").Signal<State | null>} */
const state = signal(null);
const problem = signal("");
/** New recovery codes, on the screen no longer than the page that showed them. @type {import("@preact/signals-core").Signal<string[]>} */
const fresh = signal(/** @type {string[]} */ ([]));

/** Whether a passkey works here. @param {State} now */
const isOffered = (now) => now.passkeys.some((one) => one.is_usable);

const load = () => attempt(async () => void (state.value = await getSecondFactor()), problem);

/** The codes of an app: on, or to be set up. @param {{ now: State, username: string }} properties */
function App({ now, username }) {
  if (now.totp_since === null)
    return html`<p class="hint">${t("factor_text")}</p>
      <${Enrol} hasPassword=${now.has_password} username=${username} done=${() => void load()} />`;
  const remove = async (/** @type {string} */ code) => {
    await removeTotp(code);
    note(t("factor_removed"));
    await load();
  };
  return html`<p>${t("factor_since", { when: moment(now.totp_since) })}</p>
    <details class="remove-factor">
      <summary>${t("factor_remove")}</summary>
      <p class="hint">${t("factor_remove_text")}</p>
      <${Form} look="page" run=${(/** @type {Sent} */ { text }) => remove(text("code"))} action=${t("remove")} resets>
        <${CodeField} />
      <//>
      <${PasskeyInstead} use=${remove} isOffered=${isOffered(now)} />
    </details>`;
}

/** @param {{ now: State }} properties */
function Recovery({ now }) {
  const renew = async (/** @type {string} */ code) => {
    fresh.value = (await renewRecoveryCodes(code)).recovery_codes;
    await load();
  };
  return html`<p class="hint">${t("factor_codes_left", { n: now.recovery_codes_left })}</p>
    ${
      fresh.value.length > 0
        ? html`<${RecoveryCodes} codes=${fresh.value} done=${() => (fresh.value = [])} />`
        : html`<details class="renew-codes">
            <summary>${t("factor_new_codes")}</summary>
            <${Form}
              look="page"
              run=${(/** @type {Sent} */ { text }) => renew(text("code"))}
              action=${t("factor_make_codes")}
              resets
            >
              <${CodeField} />
            <//>
            <${PasskeyInstead} use=${renew} isOffered=${isOffered(now)} />
          </details>`
    }`;
}

export function Security() {
  useEffect(() => {
    void load();
    return () => {
      state.value = null;
      fresh.value = [];
    };
  }, []);
  const now = state.value;
  const me = /** @type {any} */ (store.users.value.get(store.me.value));
  const username = me?.delivery_email ?? "";
  const isOn = now !== null && (now.totp_since !== null || now.passkeys.length > 0);
  return html`<section class="second-factor">
      <h2>${t("second_factor")}</h2>
      <p class="error" role="alert">${problem}</p>
      ${now?.is_required === true ? html`<p class="hint">${t("factor_required")}</p>` : null}
      ${now === null ? null : html`<${App} now=${now} username=${username} />`}
      ${isOn ? html`<${Recovery} now=${now} />` : null}
    </section>
    ${
      now === null
        ? null
        : html`<${Passkeys}
            passkeys=${now.passkeys}
            canAdd=${now.can_have_passkeys}
            hasPassword=${now.has_password}
            username=${username}
            done=${load}
          />`
    }`;
}
