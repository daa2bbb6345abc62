// The second step of signing in: a code, after the password or the link was right.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { CodeField } from "../settings/enrol.js";
import { PasskeyInstead } from "../settings/passkeys.js";
import { t } from "../strings/text.js";

/** What goes on with a code, while one is asked for. @type {import("@preact/signals-core").Signal<((code: string) => Promise<unknown>) | null>} */
export const pending = signal(null);

/**
 * @param {object} properties
 * @param {(code: string) => void} properties.enter
 * @param {import("@preact/signals-core").Signal<string>} properties.problem
 * @param {boolean} properties.isBusy
 * @param {boolean} properties.hasPasskeyWay whether passkeys can be used at this address
 */
export function SecondStep({ enter, problem, isBusy, hasPasskeyWay }) {
  const send = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    enter(String(form.get("code")).trim());
  };
  const back = () => {
    pending.value = null;
    problem.value = "";
  };
  return html`<form class="second-step" onSubmit=${send}>
      <p class="hint">${t("factor_ask")}</p>
      <${CodeField} />
      <p class="error" role="alert">${problem}</p>
      <button class="primary" type="submit" disabled=${isBusy}>${t("sign_in")}</button>
    </form>
    <${PasskeyInstead} use=${enter} isOffered=${hasPasskeyWay} />
    <p class="hint">${t("factor_lost")}</p>
    <p class="hint"><button type="button" class="plain" onClick=${back}>${t("go_back")}</button></p>`;
}
