// Fields of people's profiles: what they are asked for, and in which order.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { createProfileField, deleteProfileField, reorderProfileFields } from "../api/organization.js";
import { ask } from "../elements/dialog.js";
import { Form } from "../elements/form.js";
import { attempt } from "../frame/note.js";
import { Ordered } from "../elements/order.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @type {readonly (readonly [number, import("../strings/text.js").Key])[]} */
const TYPES = [
  [1, "field_short"],
  [2, "field_long"],
  [3, "field_choice"],
  [4, "field_date"],
  [5, "field_link"],
  [6, "field_people"],
  [8, "field_pronouns"],
];
const CHOICE = 3;

const type = signal(1);

/** Lines as the choices of a field. @param {string} lines */
function choicesOf(lines) {
  const texts = lines
    .split("\n")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  return Object.fromEntries(texts.map((text, at) => [String(at), { text, order: String(at + 1) }]));
}

/** @param {import("../elements/form.js").Sent} sent */
async function add({ text }) {
  await createProfileField({
    name: text("name"),
    hint: text("hint"),
    field_type: type.value,
    ...(type.value === CHOICE ? { field_data: choicesOf(text("choices")) } : {}),
  });
  type.value = 1;
}

/** @param {any} field */
const remove = (field) =>
  ask({
    title: t("remove_one", { name: field.name }),
    text: t("remove_field_text"),
    action: t("remove"),
    run: () => deleteProfileField(field.id),
  });

/** @param {any} field */
const line = (field) =>
  html`<span class="name"
      ><bdi>${field.name}</bdi>
      <span class="hint">${t(TYPES.find(([number]) => number === field.type)?.[1] ?? "field_account")}</span></span
    >
    <button
      type="button"
      class="plain"
      aria-label=${t("remove_one", { name: field.name })}
      onClick=${() => remove(field)}
    >
      ${t("remove")}
    </button>`;

export function Fields() {
  /** @type {any[]} */
  const all = store.personal.value["custom_profile_fields"] ?? [];
  const fields = all.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  return html`<section>
    <h2>${t("organization_fields")}</h2>
    <p class="hint">${t("fields_text")}</p>
    <${Ordered}
      items=${fields}
      line=${line}
      set=${(/** @type {number[]} */ order) => void attempt(() => reorderProfileFields(order))}
    />
    <${Form} look="page" run=${add} action=${t("add")} resets>
      <h3>${t("new_field")}</h3>
      <label>${t("name")} <input name="name" required dir="auto" maxlength="40" autocomplete="off" /></label>
      <label>${t("field_hint")} <input name="hint" dir="auto" maxlength="80" autocomplete="off" /></label>
      <label
        >${t("field_type")}
        <select name="type" onChange=${(/** @type {any} */ { target }) => (type.value = Number(target.value))}>
          ${TYPES.map(([number, key]) => html`<option key=${key} value=${number} selected=${number === type.value}>${t(key)}</option>`)}
        </select></label
      >
      ${type.value === CHOICE ? html`<label>${t("field_choices")} <textarea name="choices" required dir="auto" rows="4"></textarea></label>` : null}
    <//>
  </section>`;
}
