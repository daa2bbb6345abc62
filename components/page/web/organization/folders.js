// Folders of channels: their names, their order in everybody's sidebar, and new ones.

import { html } from "htm/preact";
import { createChannelFolder, reorderChannelFolders, updateChannelFolder } from "../api/channels.js";
import { ask } from "../elements/dialog.js";
import { Form } from "../elements/form.js";
import { attempt, note, textOf } from "../frame/note.js";
import { Ordered } from "../elements/order.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @param {import("../elements/form.js").Sent} sent */
const add = ({ text }) => createChannelFolder(text("name"));

/** A refused name gives way to the one that the folder has. @param {any} folder @param {any} field */
async function rename(folder, field) {
  const name = field.value.trim();
  if (name === folder.name) return;
  try {
    await updateChannelFolder(folder.id, { name });
    note(t("saved"));
  } catch (error) {
    field.value = folder.name;
    note(textOf(error));
  }
}

/** @param {any} folder */
const remove = (folder) =>
  ask({
    title: t("remove_one", { name: folder.name }),
    text: t("remove_folder_text"),
    action: t("remove"),
    run: () => updateChannelFolder(folder.id, { is_archived: true }),
  });

/** @param {any} folder */
const line = (folder) =>
  html`<input
      class="name"
      aria-label=${t("folder_name")}
      dir="auto"
      required
      maxlength="60"
      autocomplete="off"
      value=${folder.name}
      onChange=${(/** @type {any} */ { target }) => rename(folder, target)}
    />
    <button
      type="button"
      class="plain"
      aria-label=${t("remove_one", { name: folder.name })}
      onClick=${() => remove(folder)}
    >
      ${t("remove")}
    </button>`;

export function Folders() {
  const all = store.folders.value.toSorted((a, b) => a.order - b.order);
  const archived = all.filter((one) => one.is_archived).map((one) => one.id);
  const set = (/** @type {number[]} */ ids) => void attempt(() => reorderChannelFolders([...ids, ...archived]));
  return html`<section>
    <h2>${t("organization_folders")}</h2>
    <p class="hint">${t("folders_text")}</p>
    <${Ordered} items=${all.filter((one) => !one.is_archived)} line=${line} set=${set} />
    <${Form} look="page" run=${add} action=${t("add")} resets>
      <label>${t("folder_name")} <input name="name" required dir="auto" maxlength="60" autocomplete="off" /></label>
    <//>
  </section>`;
}
