// Creating a channel, and changing one.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { createChannel, updateChannel } from "../api/channels.js";
import { go, linkToChannel } from "../state/route.js";
import { mayCreateChannel, mayCreateWebChannel } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { beginExtras, Extras, extrasIn } from "./channel-extras.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { Form } from "../elements/form.js";
import { PeopleField } from "../people/people-field.js";

/** @typedef {import("../types.js").Channel} Channel */
/** @typedef {"public" | "private" | "protected" | "web"} Privacy */

/** @type {import("@preact/signals-core").Signal<number[]>} */
const people = signal([]);

/** @param {Channel} channel @returns {Privacy} */
function privacyOf(channel) {
  if (channel.is_web_public) return "web";
  if (!channel.invite_only) return "public";
  return /** @type {any} */ (channel).history_public_to_subscribers === false ? "protected" : "private";
}

export function openNewChannel() {
  people.value = [];
  open.value = () => html`<${ChannelForm} />`;
}

/** @param {Channel} channel */
export function openChannelForm(channel) {
  beginExtras(channel);
  open.value = () => html`<${ChannelForm} channel=${channel} />`;
}

/** @param {string} name @param {string} description @param {Privacy} privacy */
async function create(name, description, privacy) {
  const { id } = await createChannel({
    name,
    description,
    subscribers: [...new Set([store.me.value, ...people.value])],
    invite_only: privacy === "private" || privacy === "protected",
    ...(privacy === "web" ? { is_web_public: true } : {}),
    history_public_to_subscribers: privacy !== "protected",
  });
  close();
  go(linkToChannel(id));
}

/** Only what is another is sent: each needs a right of its own. @param {Channel} channel @param {string} name @param {string} description @param {Privacy} privacy @param {FormData} form */
async function change(channel, name, description, privacy, form) {
  const wish = await extrasIn(form, channel);
  if (name !== channel.name) wish["new_name"] = name;
  if (description !== channel.description) wish["description"] = description;
  if (privacy !== privacyOf(channel)) {
    if (privacy === "web") wish["is_web_public"] = true;
    else wish["is_private"] = privacy !== "public";
    if (channel.is_web_public && privacy !== "web") wish["is_web_public"] = false;
    if (privacy === "private" || privacy === "protected") wish["history_public_to_subscribers"] = privacy === "private";
  }
  if (Object.keys(wish).length > 0) await updateChannel(channel.stream_id, wish);
  close();
}

/** @param {{ channel?: Channel }} properties */
function ChannelForm({ channel }) {
  const now = channel === undefined ? (mayCreateChannel(false) ? "public" : "private") : privacyOf(channel);
  /** @type {[Privacy, import("../strings/text.js").Key, boolean][]} */
  const kinds = [
    ["web", "privacy_web", now === "web" || mayCreateWebChannel()],
    ["public", "privacy_public", now !== "private" || mayCreateChannel(false)],
    ["private", "privacy_private", now === "private" || mayCreateChannel(true)],
    ["protected", "privacy_protected", now === "protected" || mayCreateChannel(true)],
  ];
  const run = (/** @type {import("../elements/form.js").Sent} */ { text, data }) => {
    const privacy = /** @type {Privacy} */ (data.get("privacy"));
    return channel === undefined
      ? create(text("name"), text("description"), privacy)
      : change(channel, text("name"), text("description"), privacy, data);
  };
  const realm = store.realm.value;
  return html`<${Dialog} title=${t(channel === undefined ? "new_channel" : "change_channel")}>
    <${Form} run=${run} action=${t(channel === undefined ? "create" : "save")} cancel=${close}>
      <label
        >${t("name")}
        <input
          name="name"
          dir="auto"
          required
          autocomplete="off"
          maxlength=${realm.max_stream_name_length ?? 60}
          defaultValue=${channel?.name ?? ""}
      /></label>
      <label
        >${t("description")}
        <input
          name="description"
          dir="auto"
          autocomplete="off"
          maxlength=${realm.max_stream_description_length ?? 1024}
          defaultValue=${channel?.description ?? ""}
      /></label>
      <fieldset>
        <legend>${t("privacy")}</legend>
        ${kinds
          .filter(([, , isOffered]) => isOffered)
          .map(
            ([kind, key]) =>
              html`<label class="choice" key=${kind}
                ><input type="radio" name="privacy" value=${kind} defaultChecked=${kind === now} /> ${t(key)}</label
              >`,
          )}
      </fieldset>
      ${
        channel === undefined
          ? html`<div class="field">
              <p class="hint">${t("first_people")}</p>
              <${PeopleField}
                people=${people.value}
                except=${[store.me.value]}
                set=${(/** @type {number[]} */ next) => (people.value = next)}
              />
            </div>`
          : html`<${Extras} channel=${channel} />`
      }
    <//>
  <//>`;
}
