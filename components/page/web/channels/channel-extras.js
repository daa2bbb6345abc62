// What a channel has besides its name: its folder, whether newcomers join it, topics, and who may do what.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { createChannelFolder } from "../api/channels.js";
import { amAdministrator } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { GroupChoice } from "../people/group-choice.js";

/** @typedef {import("../types.js").Channel} Channel */
/** @typedef {import("../state/permissions.js").Value} Value */
/** @typedef {import("../strings/text.js").Key} Key */

/** @type {readonly (readonly [string, Key])[]} */
const PERMISSIONS = [
  ["can_send_message_group", "may_send"],
  ["can_create_topic_group", "may_begin_topics"],
  ["can_subscribe_group", "may_subscribe"],
  ["can_add_subscribers_group", "may_add_people"],
  ["can_remove_subscribers_group", "may_remove_people"],
  ["can_move_messages_within_channel_group", "may_move_within"],
  ["can_move_messages_out_of_channel_group", "may_move_out"],
  ["can_resolve_topics_group", "may_resolve"],
  ["can_delete_own_message_group", "may_delete_own"],
  ["can_delete_any_message_group", "may_delete_any"],
  ["can_administer_channel_group", "may_administer"],
];
const NEW = "new";

/** Permissions that are to be others. @type {import("@preact/signals-core").Signal<Record<string, Value>>} */
const allowed = signal({});
const folder = signal("");

/** Begins with what a channel has. @param {Channel} channel */
export function beginExtras(channel) {
  allowed.value = {};
  folder.value = String(channel.folder_id ?? "");
}

/**
 * What differs from what the channel has; a new folder is made.
 * @param {FormData} form @param {Channel} channel
 * @returns {Promise<Record<string, unknown>>}
 */
export async function extrasIn(form, channel) {
  /** @type {Record<string, unknown>} */
  const wish = {};
  for (const [name, value] of Object.entries(allowed.value)) wish[name] = { new: value };
  const policy = form.get("topics_policy");
  if (policy !== null && policy !== (channel.topics_policy ?? "inherit")) wish["topics_policy"] = policy;
  if (!amAdministrator()) return wish;
  const isDefault = form.get("is_default") !== null;
  if (form.has("folder") && isDefault !== isDefaultNow(channel)) wish["is_default_stream"] = isDefault;
  if (folder.value === NEW)
    wish["folder_id"] = (await createChannelFolder(String(form.get("new_folder")).trim())).channel_folder_id;
  else if (folder.value !== String(channel.folder_id ?? ""))
    wish["folder_id"] = folder.value === "" ? null : Number(folder.value);
  return wish;
}

/** @param {Channel} channel */
const isDefaultNow = (channel) => (store.personal.value["realm_default_streams"] ?? []).includes(channel.stream_id);

/** @param {{ channel: Channel }} properties */
function Place({ channel }) {
  const folders = store.folders.value.filter((one) => !one.is_archived).toSorted((a, b) => a.order - b.order);
  return html`<label
      >${t("folder")}
      <select name="folder" onChange=${(/** @type {any} */ { target }) => (folder.value = target.value)}>
        <option value="" selected=${folder.value === ""}>${t("no_folder")}</option>
        ${folders.map((one) => html`<option key=${one.id} value=${one.id} selected=${folder.value === String(one.id)}>${one.name}</option>`)}
        <option value=${NEW} selected=${folder.value === NEW}>${t("new_folder")}</option>
      </select></label
    >
    ${
      folder.value === NEW
        ? html`<label
            >${t("folder_name")} <input name="new_folder" required dir="auto" maxlength="60" autocomplete="off"
          /></label>`
        : null
    }
    ${
      channel.invite_only
        ? null
        : html`<label class="choice"
            ><input type="checkbox" name="is_default" defaultChecked=${isDefaultNow(channel)} />
            ${t("newcomers_join")}</label
          >`
    }`;
}

/** @param {{ channel: Channel }} properties */
export function Extras({ channel }) {
  /** @type {[string, Key][]} */
  const policies = [
    ["inherit", "as_organization"],
    ["allow_empty_topic", "topics_optional"],
    ["disable_empty_topic", "topics_required"],
  ];
  const policy = channel.topics_policy ?? "inherit";
  return html`${amAdministrator() ? html`<${Place} channel=${channel} />` : null}
    <label
      >${t("topics_policy")}
      <select name="topics_policy">
        ${policies.map(([value, key]) => html`<option key=${value} value=${value} selected=${value === policy}>${t(key)}</option>`)}
      </select></label
    >
    <details>
      <summary>${t("permissions_of")}</summary>
      ${PERMISSIONS.map(
        ([name, key]) =>
          html`<${GroupChoice}
            key=${name}
            name=${name}
            text=${t(key)}
            of="stream"
            value=${allowed.value[name] ?? /** @type {any} */ (channel)[name]}
            set=${(/** @type {Value} */ value) => (allowed.value = { ...allowed.value, [name]: value })}
          />`,
      )}
    </details>`;
}
