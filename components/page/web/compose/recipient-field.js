// To whom one writes, where the view does not say it already: a channel and a topic, or people.

import { html } from "htm/preact";
import { namesOf, topicsOf } from "../state/select.js";
import { store } from "../state/store.js";
import { learnTopics } from "../state/topics.js";
import { t } from "../strings/text.js";
import { address } from "./compose-state.js";
import { Icon } from "../elements/icon.js";
import { PeopleField } from "../people/people-field.js";

/** @typedef {import("../state/outbox.js").Recipient} Recipient */

/** @param {{ to: Recipient | null, fixed: boolean }} properties fixed: the channel or conversation is the view's */
export function RecipientField({ to, fixed }) {
  if (to?.kind === "direct" && fixed)
    return html`<p class="recipient fixed">${t("to")} <b>${namesOf(to.people)}</b></p>`;
  const kind = to?.kind ?? "topic";
  const choose = (/** @type {"topic" | "direct"} */ next) =>
    address(next === "topic" ? { kind: "topic", stream_id: 0, topic: "" } : { kind: "direct", people: [] });
  return html`<div class="recipient">
    ${
      fixed
        ? null
        : html`<div class="switch" role="group" aria-label=${t("to")}>
            <button
              type="button"
              aria-pressed=${kind === "topic"}
              aria-label=${t("channel")}
              title=${t("channel")}
              onClick=${() => choose("topic")}
            >
              <${Icon} name="hash" />
            </button>
            <button
              type="button"
              aria-pressed=${kind === "direct"}
              aria-label=${t("people")}
              title=${t("people")}
              onClick=${() => choose("direct")}
            >
              <${Icon} name="people" />
            </button>
          </div>`
    }
    ${to?.kind === "direct" ? html`<${PeopleField} people=${to.people} set=${(/** @type {number[]} */ people) => address({ kind: "direct", people })} />` : html`<${Topic} to=${to} />`}
  </div>`;
}

const mine = () =>
  [...store.channels.value.values()]
    .filter((one) => one.subscribed && !one.is_archived)
    .sort((a, b) => a.name.localeCompare(b.name));

/** @param {{ to: Extract<Recipient, { kind: "topic" }> | null }} properties */
function Topic({ to }) {
  const stream_id = to?.stream_id ?? 0;
  const topic = to?.topic ?? "";
  const known = topicsOf(stream_id).slice(0, 50);
  const set = (/** @type {number} */ id, /** @type {string} */ name) =>
    address({ kind: "topic", stream_id: id, topic: name });
  return html`<select
      aria-label=${t("channel")}
      value=${stream_id}
      onChange=${(/** @type {any} */ event) => {
        void learnTopics(Number(event.target.value));
        set(Number(event.target.value), topic);
      }}
    >
      ${stream_id === 0 ? html`<option value="0" selected>${t("channel")}</option>` : null}
      ${mine().map((one) => html`<option key=${one.stream_id} value=${one.stream_id} selected=${one.stream_id === stream_id}>${one.name}</option>`)}
    </select>
    <input
      class="topic"
      list="known-topics"
      dir="auto"
      aria-label=${t("topic")}
      placeholder=${t("topic")}
      maxlength=${store.realm.value.max_topic_length ?? 60}
      value=${topic}
      onFocus=${() => void learnTopics(stream_id)}
      onInput=${(/** @type {any} */ event) => set(stream_id, event.target.value)}
    />
    <datalist id="known-topics">${known.map((one) => html`<option value=${one.name}></option>`)}</datalist>`;
}
