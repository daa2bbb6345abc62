// Settings of the profile: the fields that the organization asks for, and the time zone.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { updateProfile } from "../api/profile.js";
import { Form } from "../elements/form.js";
import { note, textOf } from "../frame/note.js";
import { openPerson } from "../frame/open.js";
import { PeopleField } from "../people/people-field.js";
import { updateSettings } from "../api/people.js";
import { optionsOf, peopleIn } from "../state/profile.js";
import { amAdministrator } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

const LONG = 2;
const DROPDOWN = 3;
const DATE = 4;
const LINK = 5;
const PEOPLE = 6;

/** People who are chosen in fields of people, by field. @type {import("@preact/signals-core").Signal<Record<string, number[]>>} */
export const chosen = signal({});

const own = () => /** @type {any} */ (store.users.value.get(store.me.value));

/** @param {any} field */
const isFixed = (field) => field.editable_by_user === false && !amAdministrator();

/** @param {{ field: any, value: string }} properties */
function Input({ field, value }) {
  const name = `field-${field.id}`;
  const fixed = isFixed(field);
  if (field.type === LONG)
    return html`<textarea name=${name} dir="auto" rows="3" readonly=${fixed} defaultValue=${value}></textarea>`;
  if (field.type === DROPDOWN)
    return html`<select name=${name} disabled=${fixed}>
      <option value="" selected=${value === ""}>–</option>
      ${optionsOf(field).map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
    </select>`;
  const type = field.type === DATE ? "date" : field.type === LINK ? "url" : "text";
  return html`<input
    name=${name}
    type=${type}
    dir="auto"
    autocomplete="off"
    readonly=${fixed}
    defaultValue=${value}
  />`;
}

/** @param {{ field: any, value: any }} properties */
function Field({ field, value }) {
  const hint = field.hint ? html`<span class="hint" dir="auto">${field.hint}</span>` : null;
  if (field.type !== PEOPLE)
    return html`<label
      ><span dir="auto">${field.name}</span> ${hint} ${Input({ field, value: String(value ?? "") })}</label
    >`;
  const people = chosen.value[field.id] ?? peopleIn(value);
  const set = (/** @type {number[]} */ next) => (chosen.value = { ...chosen.value, [field.id]: next });
  return html`<div class="field" role="group" aria-label=${field.name}>
    <span dir="auto">${field.name}</span> ${hint}
    ${isFixed(field) ? null : html`<${PeopleField} people=${people} set=${set} />`}
  </div>`;
}

/** The fields of the organization, in its order. @returns {any[]} */
export const profileFields = () =>
  (store.personal.value["custom_profile_fields"] ?? []).toSorted(
    (/** @type {any} */ a, /** @type {any} */ b) => (a.order ?? 0) - (b.order ?? 0),
  );

/** The inputs of a person's fields. @param {{ user: any }} properties */
export const ProfileInputs = ({ user }) =>
  html`${profileFields().map((field) => html`<${Field} key=${field.id} field=${field} value=${user?.profile_data?.[field.id]?.value} />`)}`;

/** What differs from what the server has of a person. @param {FormData} form @param {any} user */
export function changesIn(form, user) {
  const [data, fields] = [user?.profile_data ?? {}, profileFields()];
  /** @type {import("../api/profile.js").Entry[]} */
  const changes = [];
  for (const field of fields.filter((one) => !isFixed(one))) {
    const before = data[field.id]?.value;
    if (field.type === PEOPLE) {
      const people = chosen.value[field.id];
      if (people !== undefined && people.join() !== peopleIn(before).join())
        changes.push({ id: field.id, value: people });
      continue;
    }
    const value = String(form.get(`field-${field.id}`) ?? "").trim();
    if (value !== String(before ?? "")) changes.push({ id: field.id, value });
  }
  return changes;
}

function Fields() {
  if (profileFields().length === 0) return html`<p class="hint">${t("no_profile_fields")}</p>`;
  const save = async (/** @type {import("../elements/form.js").Sent} */ { data: filled }) => {
    const changes = changesIn(filled, own());
    if (changes.length > 0) await updateProfile(changes);
    chosen.value = {};
    note(t("saved"));
  };
  return html`<${Form} look="page" class="profile" run=${save} action=${t("save")}>
    <${ProfileInputs} user=${own()} />
  <//>`;
}

function TimeZone() {
  const now = own()?.timezone ?? "";
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const all = [...new Set([now, here, ...Intl.supportedValuesOf("timeZone")])].filter((zone) => zone !== "").sort();
  const change = async (/** @type {any} */ { target }) => {
    try {
      await updateSettings({ timezone: target.value });
      note(t("saved"));
    } catch (error) {
      target.value = now;
      note(textOf(error));
    }
  };
  return html`<label class="row"
    ><span>${t("time_zone")}</span>
    <select name="timezone" onChange=${change}>
      <option value="" selected=${now === ""}>–</option>
      ${all.map((zone) => html`<option key=${zone} value=${zone} selected=${zone === now}>${zone.replaceAll("_", " ")}</option>`)}
    </select></label
  >`;
}

export function Profile() {
  useEffect(() => {
    chosen.value = {};
  }, []);
  return html`<section>
    <h2>${t("profile")}</h2>
    <p class="hint">${t("profile_text")}</p>
    <${TimeZone} />
    <${Fields} />
    <div>
      <button type="button" class="plain" onClick=${() => openPerson(store.me.value)}>${t("own_profile")}</button>
    </div>
  </section>`;
}
