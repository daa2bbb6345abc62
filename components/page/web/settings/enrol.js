// Setting codes of an app up: the password, a picture to scan, the first code, and the recovery codes, which are shown once.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { beginTotp, confirmTotp } from "../api/second-factor.js";
import { copyAndSay, saveFile } from "../elements/copyable.js";
import { Form } from "../elements/form.js";
import { t } from "../strings/text.js";

/** @typedef {import("../elements/form.js").Sent} Sent */
/** @typedef {import("../api/http.js").Answer<"POST /second_factor/totp">} Secret */

/** Squares around the picture that stay light, as readers expect them. */
const MARGIN = 4;

/** @param {{ secret: Secret }} properties */
const Picture = ({ secret }) =>
  html`<svg
    class="qr"
    role="img"
    aria-label=${t("factor_picture")}
    viewBox=${`${-MARGIN} ${-MARGIN} ${secret.qr_size + 2 * MARGIN} ${secret.qr_size + 2 * MARGIN}`}
    shape-rendering="crispEdges"
  >
    <path d=${secret.qr_path} />
  </svg>`;

export const CodeField = () =>
  html`<label
    >${t("factor_code")}
    <input
      name="code"
      dir="ltr"
      autocomplete="one-time-code"
      autocapitalize="characters"
      spellcheck=${false}
      maxlength="40"
      required
      autofocus
  /></label>`;

/** @param {{ username: string }} properties for password managers */
export const PasswordField = ({ username }) =>
  html`<input hidden readonly name="username" autocomplete="username" value=${username} />
    <label>${t("password")} <input name="password" type="password" required autocomplete="current-password" /></label>`;

/** @param {{ codes: readonly string[], done: () => void }} properties */
export function RecoveryCodes({ codes, done }) {
  const text = codes.join("\n");
  return html`<div class="recovery-codes" role="status">
    <p>${t("factor_codes_text")}</p>
    <pre class="entries">${text}</pre>
    <div class="buttons">
      <button type="button" class="plain" onClick=${() => copyAndSay(text)}>${t("copy")}</button>
      <button type="button" class="plain" onClick=${() => saveFile("recovery-codes.txt", `${text}\n`)}>
        ${t("download")}
      </button>
      <button type="button" class="primary" onClick=${done}>${t("factor_codes_kept")}</button>
    </div>
  </div>`;
}

/**
 * @param {object} properties
 * @param {boolean} properties.hasPassword
 * @param {string} properties.username for password managers
 * @param {() => void} properties.done called when the recovery codes were seen
 */
export function Enrol({ hasPassword, username, done }) {
  /** @type {import("@preact/signals").Signal<Secret | null>} */
  const secret = useSignal(null);
  /** @type {import("@preact/signals").Signal<string[] | null>} */
  const codes = useSignal(null);
  const confirm = async (/** @type {Sent} */ { text }) => {
    const { recovery_codes } = await confirmTotp(text("code"));
    // An account with a passkey has some already.
    if (recovery_codes.length > 0) codes.value = recovery_codes;
    else done();
  };
  if (codes.value !== null) return html`<${RecoveryCodes} codes=${codes.value} done=${done} />`;
  if (secret.value === null)
    return html`<${Form}
      look="page"
      run=${async (/** @type {Sent} */ { data }) => void (secret.value = await beginTotp(String(data.get("password") ?? "")))}
      action=${t("factor_set_up")}
    >
      ${hasPassword ? html`<${PasswordField} username=${username} />` : null}
    <//>`;
  return html`<div class="enrol">
    <p>${t("factor_scan")}</p>
    <${Picture} secret=${secret.value} />
    <details>
      <summary>${t("factor_type")}</summary>
      <p class="key"><code>${secret.value.secret}</code></p>
    </details>
    <${Form} look="page" run=${confirm} action=${t("factor_confirm")}>
      <${CodeField} />
    <//>
  </div>`;
}
