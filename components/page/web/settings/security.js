// Security of the account: the second factor.

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

/** @typedef {import("../elements/form.js").Sent} Sent */

/** @type {import("@preact/signals-core").Signal<import("../api/http.js").Answer<"GET /second_factor"> | null>} */
const state = signal(null);
const problem = signal("");
/** New recovery codes, on the screen no longer than the page that showed them. @type {import("@preact/signals-core").Signal<string[]>} */
const fresh = signal(/** @type {string[]} */ ([]));

const load = () => attempt(async () => void (state.value = await getSecondFactor()), problem);

function On() {
  const now = /** @type {NonNullable<typeof state.value>} */ (state.value);
  const renew = async (/** @type {Sent} */ { text }) => {
    fresh.value = (await renewRecoveryCodes(text("code"))).recovery_codes;
    await load();
  };
  const remove = async (/** @type {Sent} */ { text }) => {
    await removeTotp(text("code"));
    note(t("factor_removed"));
    await load();
  };
  return html`<p>${t("factor_since", { when: moment(now.totp_since ?? 0) })}</p>
    <p class="hint">${t("factor_codes_left", { n: now.recovery_codes_left })}</p>
    ${now.is_required ? html`<p class="hint">${t("factor_required")}</p>` : null}
    ${
      fresh.value.length > 0
        ? html`<${RecoveryCodes} codes=${fresh.value} done=${() => (fresh.value = [])} />`
        : html`<details class="renew-codes">
            <summary>${t("factor_new_codes")}</summary>
            <${Form} look="page" run=${renew} action=${t("factor_make_codes")} resets><${CodeField} /><//>
          </details>`
    }
    <details class="remove-factor">
      <summary>${t("factor_remove")}</summary>
      <p class="hint">${t("factor_remove_text")}</p>
      <${Form} look="page" run=${remove} action=${t("remove")} resets><${CodeField} /><//>
    </details>`;
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
  const enrol = () =>
    html`<p class="hint">${t("factor_text")}</p>
      <${Enrol}
        hasPassword=${now?.has_password === true}
        username=${me?.delivery_email ?? ""}
        done=${() => void load()}
      />`;
  return html`<section class="second-factor">
    <h2>${t("second_factor")}</h2>
    <p class="error" role="alert">${problem}</p>
    ${now === null ? null : now.totp_since === null ? enrol() : html`<${On} />`}
  </section>`;
}
