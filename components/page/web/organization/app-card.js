// One app: its rights, settings and secrets, its log; pausing, updating and removing it.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { getAppLog, removeApp, replaceApp, updateApp } from "../api/apps.js";
import { Copyable } from "../elements/copyable.js";
import { ask, Dialog, open } from "../elements/dialog.js";
import { sizeText } from "../elements/size.js";
import { moment } from "../elements/time.js";
import { attempt, note } from "../frame/note.js";
import { asksForMore } from "../state/app-rights.js";
import { nameOf } from "../state/select.js";
import { t } from "../strings/text.js";
import { appOf, forgetApp, keepApp } from "./app-list.js";
import { AppRights } from "./app-rights.js";
import { AppSecrets, AppSettings } from "./app-settings.js";
import { AppUpload } from "./app-upload.js";

/** @typedef {import("../api/apps.js").App} App */

/** @type {Record<App["state"], import("../strings/text.js").Key>} */
const STATES = { waiting: "app_waiting", active: "app_active", paused: "app_paused" };

/** @param {App} app */
export const stateOf = (app) => STATES[app.state];

/** @param {number} id */
export const showApp = (id) => void (open.value = () => html`<${AppCard} id=${id} />`);

/** @param {App} app */
const remove = (app) =>
  ask({
    title: t("remove_one", { name: app.title }),
    text: t("app_remove_text"),
    action: t("remove"),
    run: async () => {
      const { values, events, schedules } = (await removeApp(app.app_id)).deleted;
      forgetApp(app.app_id);
      note(t("app_removed", { name: app.title, values, events, schedules }));
    },
  });

/** @param {{ app: App }} properties */
function Log({ app }) {
  const lines = useSignal(/** @type {{ time: number, text: string }[] | null} */ (null));
  const problem = useSignal("");
  const load = () => attempt(async () => void (lines.value = (await getAppLog(app.app_id)).log), problem);
  return html`<h3>${t("app_log")}</h3>
    <ul class="names scrolling app-log" tabindex="0" aria-label=${t("app_log")} hidden=${!lines.value?.length}>
      ${lines.value?.map(
        ({ time, text }, at) => html`<li key=${at}><span class="hint">${moment(time)}</span> <bdi>${text}</bdi></li>`,
      )}
    </ul>
    <p class="hint" role="status">${lines.value?.length === 0 ? t("app_log_empty") : null}</p>
    <p class="error" role="alert">${problem}</p>
    <div>
      <button type="button" class="plain" onClick=${load}>
        ${t(lines.value === null ? "app_log_show" : "reload")}
      </button>
    </div>`;
}

/** @param {{ app: App }} properties */
function Control({ app }) {
  const isPaused = app.state === "paused";
  const problem = useSignal("");
  const pause = () => attempt(async () => keepApp(await updateApp(app.app_id, { is_paused: !isPaused })), problem);
  return html`<p class="error" role="alert">${problem}</p>
    <div class="buttons">
      ${
        app.state === "waiting"
          ? null
          : html`<button type="button" class="plain" onClick=${pause}>
              ${t(isPaused ? "app_resume" : "app_pause")}
            </button>`
      }
      <button type="button" class="plain" onClick=${() => remove(app)}>${t("remove")}</button>
    </div>`;
}

/** @param {{ app: App }} properties */
const About = ({ app }) =>
  html`<p dir="auto">${app.description}</p>
    <p class="hint">
      <span class="tag">${t(stateOf(app))}</span> ${t("app_version", { version: app.version })} ·
      ${` ${sizeText(app.component_size)}`}
    </p>
    <p class="hint">${t("app_owned", { account: nameOf(app.bot_user_id), owner: nameOf(app.owner_id) })}</p>
    ${app.signed_by === null ? null : html`<p class="hint">${t("app_signed", { key: app.signed_by })}</p>`}
    <p class="error" role="alert">${app.state === "paused" ? app.paused_reason : null}</p>
    <p role="status">
      ${app.state === "waiting" ? t("app_waiting_text") : asksForMore(app) ? t("app_asks_for_more") : null}
    </p>`;

/** @param {{ id: number }} properties */
function AppCard({ id }) {
  const app = appOf(id);
  const said = useSignal("");
  if (app === undefined) return html`<${Dialog} title=${t("not_found")}><//>`;
  const replace = (/** @type {File} */ file, /** @type {import("../api/apps.js").Progress} */ options) =>
    replaceApp(id, file, options);
  const replaced = (/** @type {{ app: App }} */ answer) => {
    keepApp(answer);
    said.value = t("app_replaced", { version: answer.app.version });
  };
  return html`<${Dialog} title=${app.title} class="settings app">
    <${About} app=${app} />
    <${AppRights} key=${app.version} app=${app} />
    <${AppSettings} app=${app} />
    <${AppSecrets} app=${app} />
    ${
      app.webhook_url === null
        ? null
        : html`<h3>${t("webhook_address")}</h3>
            <${Copyable} text=${app.webhook_url} label=${t("webhook_address")} />`
    }
    <${Log} app=${app} />
    <h3>${t("app_replace")}</h3>
    <p class="hint">${t("app_replace_text")}</p>
    <${AppUpload} text=${t("app_component")} action=${t("app_upload")} send=${replace} done=${replaced} />
    <p class="hint" role="status">${said}</p>
    <${Control} app=${app} />
  <//>`;
}
