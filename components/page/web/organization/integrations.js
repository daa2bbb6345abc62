// Services that call incoming webhooks: their pictures, choosing one, how to set it up.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { store } from "../state/store.js";
import { emblemOf, findIntegrations, setupOf } from "../state/webhook.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/webhook.js").Integration} Integration */

/** @returns {Integration[]} */
export const integrations = () => store.personal.value["realm_incoming_webhook_bots"] ?? [];

/** @param {string | undefined} name */
export const integrationOf = (name) => integrations().find((one) => one.name === name);

/** @param {{ name: string }} properties name: for people */
function Emblem({ name }) {
  const { letters, hue } = emblemOf(name);
  // Dark enough below white letters in every hue.
  return html`<svg class="emblem" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill=${`hsl(${hue} 45% 30%)`} />
    <text x="16" y="21.5" text-anchor="middle" fill="#fff">${letters}</text>
  </svg>`;
}

/** Labels of options that this client has texts for. @type {Record<string, import("../strings/text.js").Key>} */
const LABELS = {
  base_url: "option_base_url",
  branches: "option_branches",
  completed: "option_completed",
  webhook_secret: "bot_secret",
};

/** @param {{ key: string, label: string }} option */
export const labelOf = ({ key, label }) => (LABELS[key] === undefined ? label : t(LABELS[key]));

/**
 * Which service calls.
 * @param {object} properties
 * @param {string} properties.chosen empty: none of them
 * @param {boolean} [properties.any] whether a bot may be for all services
 * @param {(name: string) => void} properties.set
 */
export function IntegrationChoice({ chosen, any = false, set }) {
  const sought = useSignal("");
  const found = findIntegrations(integrations(), sought.value);
  const now = integrationOf(chosen);
  // The chosen one stays in sight whatever is sought.
  const shown = now === undefined || found.includes(now) ? found : [now, ...found];
  const enter = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (sought.value.trim() !== "" && found[0] !== undefined) set(found[0].name);
  };
  const line = (/** @type {string} */ name, /** @type {string} */ text, /** @type {any} */ picture) =>
    html`<li key=${name}>
      <label class="choice"
        ><input type="radio" name="integration" value=${name} checked=${name === chosen} onChange=${() => set(name)} />
        ${picture} ${text}</label
      >
    </li>`;
  return html`<fieldset class="integrations">
    <legend>${t("bot_integration")}</legend>
    <input
      type="search"
      aria-label=${t("find_integration")}
      placeholder=${t("find_integration")}
      autocomplete="off"
      value=${sought.value}
      onInput=${(/** @type {any} */ event) => (sought.value = event.target.value)}
      onKeyDown=${enter}
    />
    <ul class="names">
      ${any && sought.value === "" ? line("", t("any_integration"), null) : null}
      ${shown.map((one) => line(one.name, one.display_name, html`<${Emblem} name=${one.display_name} />`))}
    </ul>
    ${found.length === 0 ? html`<p class="hint" role="status">${t("no_integration")}</p>` : null}
  </fieldset>`;
}

/** What to enter at the service. @param {{ integration: Integration, address: string, secret: string }} properties */
export function Setup({ integration, address, secret }) {
  if (integration.setup === undefined) return null;
  const { way, entries } = setupOf(integration.setup, address, secret || t("setup_secret"));
  return html`<div class="setup">
    <h3><${Emblem} name=${integration.display_name} /> ${t("set_up", { name: integration.display_name })}</h3>
    <p lang="en">${way.join(" › ")}</p>
    <pre class="entries" lang="en">${entries.join("\n")}</pre>
  </div>`;
}
