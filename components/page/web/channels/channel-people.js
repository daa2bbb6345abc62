// The subscribers of a channel: find, add and remove them.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { addSubscribers, getSubscribers, removeSubscribers } from "../api/channels.js";
import { mayAddTo, mayRemoveFrom } from "../state/rights.js";
import { nameOf } from "../state/select.js";
import { store, watchers } from "../state/store.js";
import { t } from "../strings/text.js";
import { Avatar } from "../people/avatar.js";
import { Dialog, open } from "../elements/dialog.js";
import { attempt, textOf } from "../frame/note.js";
import { PeopleField } from "../people/people-field.js";

/** @typedef {import("../types.js").Channel} Channel */

/** Lines that are drawn at once; filtering finds the rest. */
const MOST = 200;
/** @type {import("@preact/signals-core").Signal<number[] | null>} */
const inside = signal(null);
/** @type {import("@preact/signals-core").Signal<number[]>} */
const chosen = signal([]);
const sought = signal("");
const problem = signal("");

/** @param {number} id */
const load = (id) =>
  attempt(async () => {
    inside.value = (await getSubscribers(id)).subscribers;
  });

/** @param {Channel} channel */
export function openChannelPeople(channel) {
  inside.value = null;
  chosen.value = [];
  sought.value = "";
  problem.value = "";
  open.value = () => html`<${ChannelPeople} id=${channel.stream_id} />`;
}

/** @param {() => Promise<unknown>} action @param {number} id */
async function run(action, id) {
  problem.value = "";
  try {
    await action();
    chosen.value = [];
    await load(id);
  } catch (error) {
    problem.value = textOf(error);
  }
}

/** @param {{ id: number }} properties */
function ChannelPeople({ id }) {
  useEffect(() => {
    void load(id);
    const watch = (/** @type {any} */ event) => {
      const isHere = event.type === "subscription" && (event.stream_ids ?? []).includes(id);
      if (isHere) void load(id);
    };
    watchers.add(watch);
    return () => void watchers.delete(watch);
  }, [id]);
  const channel = store.channels.value.get(id);
  if (channel === undefined) return html`<${Dialog} title=${t("unknown_channel")}><//>`;
  const wanted = sought.value.trim().toLowerCase();
  const found = (inside.value ?? [])
    .filter((one) => nameOf(one).toLowerCase().includes(wanted))
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  const mayRemove = mayRemoveFrom(channel);
  const add = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (chosen.value.length > 0) void run(() => addSubscribers(channel.name, chosen.value), id);
  };
  return html`<${Dialog} title=${t("people_of", { name: channel.name })}>
    ${
      mayAddTo(channel)
        ? html`<form class="adding" onSubmit=${add}>
            <${PeopleField}
              people=${chosen.value}
              except=${inside.value ?? []}
              set=${(/** @type {number[]} */ next) => (chosen.value = next)}
            />
            <button type="submit" class="primary" disabled=${chosen.value.length === 0}>${t("add")}</button>
          </form>`
        : null
    }
    <p class="error" role="alert">${problem}</p>
    <input
      type="search"
      class="wide"
      aria-label=${t("filter")}
      placeholder=${t("filter")}
      value=${sought.value}
      onInput=${(/** @type {any} */ event) => (sought.value = event.target.value)}
    />
    ${inside.value === null ? html`<p role="status">${t("loading")}</p>` : html`<p class="hint">${t("subscriber_count", { n: inside.value.length })}</p>`}
    <ul class="names faces">
      ${found.slice(0, MOST).map(
        (one) =>
          html`<li key=${one}>
            <${Avatar} id=${one} /> <bdi class="name">${nameOf(one)}</bdi>
            ${
              mayRemove && one !== store.me.value
                ? html`<button
                    type="button"
                    class="plain"
                    aria-label=${t("remove_one", { name: nameOf(one) })}
                    onClick=${() => run(() => removeSubscribers(channel.name, [one]), id)}
                  >
                    ${t("remove")}
                  </button>`
                : null
            }
          </li>`,
      )}
    </ul>
  <//>`;
}
