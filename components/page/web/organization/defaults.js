// The settings that new people start with.

import { html } from "htm/preact";
import { updateRealmUserSettingsDefaults } from "../api/organization.js";
import { note, textOf } from "../frame/note.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../strings/text.js").Key} Key */

/** @type {[string, Key][]} */
const TOGGLES = [
  ["enter_sends", "enter_sends"],
  ["starred_message_counts", "count_starred"],
  ["presence_enabled", "show_presence"],
  ["send_read_receipts", "show_reading"],
  ["send_private_typing_notifications", "show_typing_direct"],
  ["send_stream_typing_notifications", "show_typing_channel"],
];
/** @type {[string, Key][]} */
const NOTIFICATIONS = [
  ["enable_desktop_notifications", "notify_desktop"],
  ["enable_sounds", "notify_sound"],
  ["enable_offline_push_notifications", "notify_phone"],
  ["wildcard_mentions_notify", "notify_wildcards"],
];

const values = () => store.personal.value["realm_user_settings_defaults"] ?? {};

/** @param {string} name @param {unknown} value @param {() => void} undo */
async function save(name, value, undo) {
  try {
    await updateRealmUserSettingsDefaults({ [name]: value });
    note(t("saved"));
  } catch (error) {
    undo();
    note(textOf(error));
  }
}

/** @param {{ name: string, text: string }} properties */
const Toggle = ({ name, text }) =>
  html`<label class="choice"
    ><input
      type="checkbox"
      name=${name}
      checked=${values()[name] === true}
      onChange=${(/** @type {any} */ { target }) => void save(name, target.checked, () => (target.checked = !target.checked))}
    />
    ${text}</label
  >`;

/** @param {{ name: string, text: string, options: [unknown, Key][] }} properties */
function Choice({ name, text, options }) {
  const at = options.findIndex(([value]) => value === values()[name]);
  const change = (/** @type {any} */ { target }) =>
    void save(name, options[Number(target.value)]?.[0], () => (target.value = String(at)));
  return html`<label class="row"
    ><span>${text}</span>
    <select name=${name} onChange=${change}>
      ${options.map(([, key], index) => html`<option key=${key} value=${index} selected=${index === at}>${t(key)}</option>`)}
    </select></label
  >`;
}

export const Defaults = () =>
  html`<section>
      <h2>${t("organization_defaults")}</h2>
      <p class="hint">${t("defaults_text")}</p>
      <${Choice}
        name="color_scheme"
        text=${t("colours")}
        options=${[
          [1, "shade_auto"],
          [3, "shade_light"],
          [2, "shade_dark"],
        ]}
      />
      <${Choice}
        name="web_home_view"
        text=${t("home_view")}
        options=${[
          ["inbox", "inbox"],
          ["recent", "recent"],
          ["all_messages", "feed"],
        ]}
      />
      <${Choice}
        name="web_mark_read_on_scroll_policy"
        text=${t("mark_while_reading")}
        options=${[
          [1, "mark_always"],
          [2, "mark_conversations"],
          [3, "mark_never"],
        ]}
      />
      ${TOGGLES.map(([name, key]) => html`<${Toggle} key=${name} name=${name} text=${t(key)} />`)}
    </section>
    <section>
      <h2>${t("notify_direct")}</h2>
      ${NOTIFICATIONS.map(([name, key]) => html`<${Toggle} key=${name} name=${name} text=${t(key)} />`)}
    </section>`;
