// Which ways to sign in are on.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { updateRealm } from "../api/organization.js";
import { getServerSettings } from "../api/sessions.js";
import { note, textOf } from "../frame/note.js";
import { amOwner } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @type {Record<string, import("../strings/text.js").Key>} */
const OWN = { Email: "way_password", Passkey: "way_passkey" };

/** Names of the providers that are on, by way. @type {import("@preact/signals-core").Signal<Record<string, string>>} */
const names = signal({});

async function learn() {
  try {
    const { external_authentication_methods } = await getServerSettings();
    const named = external_authentication_methods.map((one) => [one.name, one.display_name]);
    names.value = { ...names.value, ...Object.fromEntries(named) };
  } catch {
    // The ids of the providers are shown.
  }
}

/** @param {string} way */
const nameOf = (way) => {
  const own = OWN[way];
  if (own !== undefined) return t(own);
  return names.value[way] ?? `${t("company_account")}: ${way.replace(/^openid:/u, "")}`;
};

/** @param {string} way @param {HTMLInputElement} box */
async function change(way, box) {
  try {
    await updateRealm({ authentication_methods: { [way]: box.checked } });
    note(t("saved"));
  } catch (error) {
    box.checked = !box.checked;
    note(textOf(error));
  }
}

export function Ways() {
  useEffect(() => void learn(), []);
  /** @type {Record<string, { enabled: boolean }>} */
  const ways = store.realm.value["realm_authentication_methods"] ?? {};
  if (Object.keys(ways).length < 2) return null;
  return html`<section>
    <h2>${t("ways_to_sign_in")}</h2>
    ${Object.entries(ways).map(
      ([way, { enabled }]) =>
        html`<label class="choice" key=${way}
          ><input
            type="checkbox"
            name=${way}
            disabled=${!amOwner()}
            checked=${enabled}
            onChange=${(/** @type {any} */ { target }) => void change(way, target)}
          />
          ${nameOf(way)}</label
        >`,
    )}
    <p class="hint">${t("ways_hint")}</p>
  </section>`;
}
