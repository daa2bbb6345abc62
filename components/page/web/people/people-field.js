// Choosing people: those who are chosen, and a field that finds others by name or address.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { nameOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Icon } from "../elements/icon.js";

const MOST = 12;

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

/**
 * @param {object} properties
 * @param {number[]} properties.people who is chosen
 * @param {(people: number[]) => void} properties.set
 * @param {readonly number[]} [properties.except] who is not offered
 */
export function PeopleField({ people, set: tell, except = [] }) {
  const wanted = useSignal("");
  const found = findPeople(wanted.value, [...people, ...except]);
  const set = (/** @type {number[]} */ next) => {
    wanted.value = "";
    tell(next);
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
