// To whom one writes, where the view does not say it already: a channel and a topic, or people.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { getTopics } from "../api/messages.js";
import { nameOf, namesOf, topicsOf } from "../state/select.js";
import { now, patch, store } from "../state/store.js";
import { t } from "../strings/text.js";
import { address } from "./compose-state.js";
import { Icon } from "./icon.js";

/** @typedef {import("../state/outbox.js").Recipient} Recipient */
const MOST = 12;
const wanted = signal("");

/** Loads the topics of a channel, for suggestions and lists. @param {number} stream_id */
export async function learnTopics(stream_id) {
  if (now().topics.has(stream_id)) return;
  try {
    const { topics } = await getTopics(stream_id);
    patch({ topics: new Map(now().topics).set(stream_id, topics) });
  } catch {
    // Suggestions only.
  }
}

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
    ${to?.kind === "direct" ? html`<${People} people=${to.people} />` : html`<${Topic} to=${to} />`}
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

/** @param {string} words @param {number[]} chosen */
function findPeople(words, chosen) {
  const sought = words.trim().toLowerCase();
  if (sought === "") return [];
  const found = [...store.users.value.values()].filter(
    (one) =>
      one.is_active &&
      !chosen.includes(one.user_id) &&
      (one.full_name.toLowerCase().includes(sought) || one.email.toLowerCase().startsWith(sought)),
  );
  const starts = (/** @type {string} */ name) => Number(!name.toLowerCase().startsWith(sought));
  return found
    .sort((a, b) => starts(a.full_name) - starts(b.full_name) || a.full_name.localeCompare(b.full_name))
    .slice(0, MOST);
}

/** @param {{ people: number[] }} properties */
function People({ people }) {
  const found = findPeople(wanted.value, people);
  const set = (/** @type {number[]} */ next) => {
    wanted.value = "";
    address({ kind: "direct", people: next });
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && found[0] !== undefined) set([...people, found[0].user_id]);
    else if (event.key === "Backspace" && wanted.value === "") set(people.slice(0, -1));
    else return;
    event.preventDefault();
  };
  return html`<div class="people">
    ${people.map(
      (id) =>
        html`<span class="chip" key=${id}
          >${nameOf(id)}
          <button
            type="button"
            class="quiet"
            aria-label=${t("remove_one", { name: nameOf(id) })}
            onClick=${() => set(people.filter((one) => one !== id))}
          >
            <${Icon} name="close" /></button
        ></span>`,
    )}
    <input
      aria-label=${t("people")}
      placeholder=${people.length === 0 ? t("people") : ""}
      value=${wanted.value}
      onInput=${(/** @type {any} */ event) => (wanted.value = event.target.value)}
      onKeyDown=${key}
    />
    ${
      found.length === 0
        ? null
        : html`<ul class="suggestions">
            ${found.map((one) => html`<li key=${one.user_id}><button type="button" onClick=${() => set([...people, one.user_id])}>${one.full_name}</button></li>`)}
          </ul>`
    }
  </div>`;
}
