// The passkeys of the account: a list, one more, and the button that uses one in place of a code.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { hasPasskeys, makePasskey, passkeyAnswer, removePasskey } from "../api/passkeys.js";
import { Form } from "../elements/form.js";
import { moment } from "../elements/time.js";
import { attempt } from "../frame/note.js";
import { t } from "../strings/text.js";
import { CodeField, PasswordField, RecoveryCodes } from "./enrol.js";

/** @typedef {import("../elements/form.js").Sent} Sent */
/** @typedef {import("../api/http.js").Answer<"GET /second_factor">["passkeys"][number]} Passkey */

/**
 * Uses a passkey in place of a code.
 * @param {object} properties
 * @param {(answer: string) => unknown} properties.use
 * @param {boolean} properties.isOffered whether there is a passkey that works here
 */
export function PasskeyInstead({ use, isOffered }) {
  const problem = useSignal("");
  if (!isOffered || !hasPasskeys) return null;
  const run = () => attempt(async () => void (await use(await passkeyAnswer())), problem);
  return html`<button type="button" class="plain passkey" onClick=${run}>${t("passkey_use")}</button>
    <p class="error" role="alert">${problem}</p>`;
}

/** @param {{ one: Passkey, isOffered: boolean, done: () => unknown }} properties */
function Line({ one, isOffered, done }) {
  const remove = async (/** @type {string} */ code) => {
    await removePasskey(one.id, code);
    await done();
  };
  return html`<li class="session">
    <span>
      <bdi>${one.name}</bdi>
      <span class="hint">
        ${one.last_used === null ? t("never_used") : t("last_used", { when: moment(one.last_used) })}
        ${one.is_usable ? null : t("passkey_elsewhere", { host: one.host })}
      </span>
    </span>
    <details>
      <summary aria-label=${`${t("remove")}: ${one.name}`}>${t("remove")}</summary>
      <${Form} look="page" run=${(/** @type {Sent} */ { text }) => remove(text("code"))} action=${t("remove")}
        ><${CodeField}
      /><//>
      <${PasskeyInstead} use=${remove} isOffered=${isOffered} />
    </details>
  </li>`;
}

/**
 * @param {object} properties
 * @param {boolean} properties.hasPassword
 * @param {string} properties.username
 * @param {() => unknown} properties.done called when recovery codes, if there are any, were seen
 */
export function AddPasskey({ hasPassword, username, done }) {
  /** @type {import("@preact/signals").Signal<readonly string[]>} */
  const codes = useSignal(/** @type {readonly string[]} */ ([]));
  if (!hasPasskeys) return html`<p class="hint">${t("passkey_unsupported")}</p>`;
  if (codes.value.length > 0)
    return html`<${RecoveryCodes}
      codes=${codes.value}
      done=${() => {
        codes.value = [];
        done();
      }}
    />`;
  const make = async (/** @type {Sent} */ { text, data }) => {
    const { recovery_codes } = await makePasskey(String(data.get("password") ?? ""), text("passkey_name"));
    if (recovery_codes.length > 0) codes.value = recovery_codes;
    else done();
  };
  return html`<${Form} class="add-passkey" look="page" run=${make} action=${t("passkey_add")} resets>
    <label
      >${t("name")}
      <input
        name="passkey_name"
        dir="auto"
        required
        maxlength="60"
        autocomplete="off"
        placeholder=${t("passkey_example")}
    /></label>
    ${hasPassword ? html`<${PasswordField} username=${username} />` : null}
  <//>`;
}

/**
 * @param {object} properties
 * @param {readonly Passkey[]} properties.passkeys
 * @param {boolean} properties.canAdd whether passkeys can be made at the address of the server
 * @param {boolean} properties.hasPassword
 * @param {string} properties.username
 * @param {() => unknown} properties.done called after a change
 */
export function Passkeys({ passkeys, canAdd, hasPassword, username, done }) {
  if (!canAdd && passkeys.length === 0) return null;
  const isOffered = passkeys.some((one) => one.is_usable);
  return html`<section class="passkeys">
    <h2>${t("passkeys")}</h2>
    <p class="hint">${t("passkey_text")}</p>
    <ul class="names">
      ${passkeys.map((one) => html`<${Line} key=${one.id} one=${one} isOffered=${isOffered} done=${done} />`)}
    </ul>
    ${canAdd ? html`<${AddPasskey} hasPassword=${hasPassword} username=${username} done=${done} />` : null}
  </section>`;
}
