// The address of an incoming webhook, made of what is chosen here, and how to set up the service that calls it.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { store } from "../state/store.js";
import { NOTHING, webhookAddress } from "../state/webhook.js";
import { t } from "../strings/text.js";
import { Copyable } from "../elements/copyable.js";
import { IntegrationChoice, integrationOf, labelOf, Setup } from "./integrations.js";
import { site } from "./new-key.js";

/** @typedef {import("../state/webhook.js").Choice} Choice */
/** @typedef {import("../state/webhook.js").Integration} Integration */
/** @typedef {(change: Partial<Choice>) => void} Change */

/** @param {{ choice: Choice, change: Change }} properties */
function Place({ choice, change }) {
  const channels = [...store.channels.value.values()]
    .filter((one) => !one.is_archived)
    .sort((a, b) => a.name.localeCompare(b.name));
  return html`<label
      >${t("channel")}
      <select name="stream" onChange=${(/** @type {any} */ { target }) => change({ stream: target.value })}>
        <option value="">${t("direct_to_owner")}</option>
        ${channels.map(({ stream_id: id, name }) => html`<option key=${id} value=${id} selected=${String(id) === choice.stream}>${name}</option>`)}
      </select></label
    >
    ${
      choice.stream === ""
        ? null
        : html`<label
            >${t("webhook_topic")}
            <input
              name="topic"
              dir="auto"
              autocomplete="off"
              maxlength=${store.realm.value["max_topic_length"] ?? 60}
              value=${choice.topic}
              onInput=${(/** @type {any} */ { target }) => change({ topic: target.value })}
          /></label>`
    }`;
}

/** @param {{ integration: Integration, choice: Choice, change: Change }} properties */
function Options({ integration, choice, change }) {
  const set = (/** @type {string} */ key, /** @type {string} */ value) =>
    change({ options: { ...choice.options, [key]: value } });
  return html`${integration.url_options.map((option) =>
    option.input_type === "checkbox"
      ? html`<label key=${option.key} class="choice"
          ><input
            type="checkbox"
            name=${`option-${option.key}`}
            checked=${choice.options[option.key] === "true"}
            onChange=${(/** @type {any} */ { target }) => set(option.key, target.checked ? "true" : "")}
          />
          ${labelOf(option)}</label
        >`
      : html`<label key=${option.key}
          >${labelOf(option)}
          <input
            name=${`option-${option.key}`}
            dir="auto"
            autocomplete="off"
            value=${choice.options[option.key] ?? ""}
            onInput=${(/** @type {any} */ { target }) => set(option.key, target.value.trim())}
        /></label>`,
  )}`;
}

/** @type {[Choice["filter"], import("../strings/text.js").Key][]} */
const FILTERS = [
  ["", "events_all"],
  ["only_events", "events_only"],
  ["exclude_events", "events_except"],
];

/** @param {{ events: readonly string[], choice: Choice, change: Change }} properties */
function Events({ events, choice, change }) {
  const toggle = (/** @type {string} */ event) => {
    const chosen = new Set(choice.events);
    if (!chosen.delete(event)) chosen.add(event);
    // In the order of the list, whichever was chosen first.
    change({ events: events.filter((one) => chosen.has(one)) });
  };
  return html`<label
      >${t("webhook_events")}
      <select name="filter" onChange=${(/** @type {any} */ { target }) => change({ filter: target.value })}>
        ${FILTERS.map(([filter, key]) => html`<option key=${filter} value=${filter} selected=${filter === choice.filter}>${t(key)}</option>`)}
      </select></label
    >
    ${
      choice.filter === ""
        ? null
        : html`<fieldset class="integrations">
            <legend class="aside">${t("webhook_events")}</legend>
            <ul class="names">
              ${events.map(
                (event) =>
                  html`<li key=${event}>
                    <label class="choice"
                      ><input
                        type="checkbox"
                        name=${event}
                        checked=${choice.events.includes(event)}
                        onChange=${() => toggle(event)}
                      />
                      <code>${event}</code></label
                    >
                  </li>`,
              )}
            </ul>
          </fieldset>`
    }`;
}

/**
 * @param {object} properties
 * @param {string} [properties.service] integration of the bot; without one it is chosen here
 * @param {string} properties.apiKey empty: unknown
 * @param {string} properties.secret that the service and the bot share; empty: none
 */
export function Webhook({ service, apiKey, secret }) {
  const chosen = useSignal("");
  const choice = useSignal(NOTHING);
  const change = (/** @type {Partial<Choice>} */ part) => (choice.value = { ...choice.value, ...part });
  const integration = integrationOf(service ?? chosen.value);
  const choose = (/** @type {string} */ name) => {
    chosen.value = name;
    // Options and events are those of an integration.
    change({ options: {}, filter: "", events: [] });
  };
  const address = integration === undefined ? "" : webhookAddress(site(), integration.name, apiKey, choice.value);
  const properties = { integration, choice: choice.value, change };
  return html`<h3>${t("webhook_address")}</h3>
    <form class="webhook" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}>
      ${service === undefined ? html`<${IntegrationChoice} chosen=${chosen.value} set=${choose} />` : null}
      ${
        integration === undefined
          ? null
          : html`<${Place} ...${properties} />
              <${Options} ...${properties} />
              ${integration.all_event_types === null ? null : html`<${Events} events=${integration.all_event_types} ...${properties} />`}`
      }
    </form>
    ${
      integration === undefined
        ? html`<p class="hint">${t("webhook_choose")}</p>`
        : html`<p class="hint">${t(apiKey === "" ? "webhook_blank" : "webhook_key")}</p>
            <${Copyable} text=${address} label=${t("webhook_address")} />
            <${Setup} integration=${integration} address=${address} secret=${secret} />`
    }`;
}
