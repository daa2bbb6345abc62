// For a person who must have a second factor and has none: they set it up, and then go on.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { getSecondFactor } from "../api/second-factor.js";
import { endCurrentSession } from "../api/sessions.js";
import { Mark } from "../elements/icon.js";
import { Enrol } from "../settings/enrol.js";
import { AddPasskey } from "../settings/passkeys.js";
import { connect } from "../state/link.js";
import { t } from "../strings/text.js";
import { attempt, Notes } from "./note.js";

/** @type {import("@preact/signals-core").Signal<import("../api/http.js").Answer<"GET /second_factor"> | null>} */
const state = signal(null);
const problem = signal("");

async function load() {
  state.value = await getSecondFactor();
  // Set up in another tab.
  if (state.value.totp_since !== null || state.value.passkeys.length > 0) connect();
}

const leave = () =>
  attempt(async () => {
    await endCurrentSession();
    connect();
  }, problem);

export function MustEnrol() {
  useEffect(() => {
    void attempt(load, problem);
    return () => void (state.value = null);
  }, []);
  return html`<div class="sign-in must-enrol">
    <header class="top">
      <a class="brand" href="/"><${Mark} /> Spindle</a>
    </header>
    <main>
      <h1>${t("second_factor")}</h1>
      <p>${t("factor_must")}</p>
      <p class="error" role="alert">${problem}</p>
      ${state.value === null ? null : html`<${Enrol} hasPassword=${state.value.has_password} username="" done=${connect} />`}
      ${
        state.value?.can_have_passkeys === true
          ? html`<p>${t("passkey_instead")}</p>
              <${AddPasskey} hasPassword=${state.value.has_password} username="" done=${connect} />`
          : null
      }
      <p class="hint"><button type="button" class="plain" onClick=${leave}>${t("sign_out")}</button></p>
    </main>
    <${Notes} />
  </div>`;
}
