// Choosing people: those who are chosen, and a field that finds others by name or address.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { findPeople } from "../state/people.js";
import { nameOf } from "../state/select.js";
import { t } from "../strings/text.js";
import { Icon } from "../elements/icon.js";

const MOST = 12;

/**
 * @param {object} properties
 * @param {number[]} properties.people who is chosen
 * @param {(people: number[]) => void} properties.set
 * @param {readonly number[]} [properties.except] who is not offered
 */
export function PeopleField({ people, set: tell, except = [] }) {
  const wanted = useSignal("");
  const found = findPeople(wanted.value, [...people, ...except], MOST);
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
