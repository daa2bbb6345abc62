// The apps of the organization, as the server has listed them last. It sends no events about them.

import { signal } from "@preact/signals";
import { getApps } from "../api/apps.js";
import { attempt } from "../frame/note.js";
import { commandsOf } from "../state/app-rights.js";
import { now, patch } from "../state/store.js";

/** @typedef {import("../api/apps.js").App} App */

/** @type {import("@preact/signals-core").Signal<App[] | null>} */
export const apps = signal(null);

/** With the commands that this tab offers: others learn them when they register. @param {App[]} all */
function keep(all) {
  apps.value = all;
  patch({ realm: { ...now().realm, realm_app_commands: commandsOf(all) } });
}

export const loadApps = () => attempt(async () => keep((await getApps()).apps));

/** @param {number} id */
export const appOf = (id) => apps.value?.find((one) => one.app_id === id);

/** @param {number} id */
const othersThan = (id) => (apps.value ?? []).filter((one) => one.app_id !== id);

/** Takes over what a change has answered. @param {{ app: App }} answer */
export const keepApp = ({ app }) => keep([...othersThan(app.app_id), app]);

/** @param {number} id */
export const forgetApp = (id) => keep(othersThan(id));
