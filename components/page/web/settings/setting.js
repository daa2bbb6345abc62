// One setting of the account: it is saved when it changes, and goes back when the server refuses it.

import { html } from "htm/preact";
import { updateSettings } from "../api/people.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { note, textOf } from "../frame/note.js";

/**
 * @param {string} name @param {unknown} value @param {() => void} restore what the field showed before
 * @param {(value: unknown) => void} [prepare] runs before a value is saved
 */
async function save(name, value, restore, prepare = () => {}) {
  prepare(value);
  const before = store.settings.peek()[name];
  try {
    await updateSettings({ [name]: value });
    note(t("saved"), () => {
      prepare(before);
      return updateSettings({ [name]: before });
    });
  } catch (error) {
    restore();
    note(textOf(error));
  }
}

/** @param {{ name: string, text: string }} properties name: of the setting, which is true or false */
export const Toggle = ({ name, text }) =>
  html`<label class="choice"
    ><input
      type="checkbox"
      name=${name}
      checked=${store.settings.value[name] === true}
      onChange=${(/** @type {any} */ { target }) => void save(name, target.checked, () => (target.checked = !target.checked))}
    />
    ${text}</label
  >`;

/**
 * @param {object} properties
 * @param {string} properties.name of the setting
 * @param {string} properties.text
 * @param {readonly (readonly [unknown, string])[]} properties.options values and what they are called
 * @param {(value: unknown) => void} [properties.before] runs before it is saved
 */
export function Choice({ name, text, options, before = () => {} }) {
  const now = store.settings.value[name];
  const at = options.findIndex(([value]) => value === now);
  const change = (/** @type {any} */ { target }) => {
    const [value] = options[Number(target.value)] ?? [];
    void save(name, value, () => (target.value = String(at)), before);
  };
  return html`<label class="row"
    ><span>${text}</span>
    <select name=${name} onChange=${change}>
      ${at < 0 ? html`<option value="-1" selected disabled>${String(now)}</option>` : null}
      ${options.map(([, label], index) => html`<option key=${label} value=${index} selected=${index === at}>${label}</option>`)}
    </select></label
  >`;
}
