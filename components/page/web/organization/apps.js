// Lists the installed apps, and installs new ones.

import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { installApp } from "../api/apps.js";
import { Avatar } from "../people/avatar.js";
import { nameOf } from "../state/select.js";
import { t } from "../strings/text.js";
import { showApp, stateOf } from "./app-card.js";
import { apps, keepApp, loadApps } from "./app-list.js";
import { AppUpload } from "./app-upload.js";

/** @typedef {import("../api/apps.js").App} App */

/** @param {{ app: App }} properties */
const Line = ({ app }) =>
  html`<li>
    <${Avatar} id=${app.bot_user_id} />
    <button type="button" class="name" aria-haspopup="dialog" onClick=${() => showApp(app.app_id)}>
      <bdi>${app.title}</bdi>
    </button>
    <span class="tag">${t(stateOf(app))}</span>
    <span class="hint">
      ${t("app_version", { version: app.version })} · <bdi>${nameOf(app.owner_id)}</bdi>
      ${app.waiting_events > 0 ? html` · ${t("app_events_waiting", { n: app.waiting_events })}` : null}
    </span>
    ${app.state === "paused" && app.paused_reason ? html`<span class="error">${app.paused_reason}</span>` : null}
  </li>`;

/** It asks for its rights at once. @param {{ app: App }} answer */
function installed(answer) {
  keepApp(answer);
  showApp(answer.app.app_id);
}

export function Apps() {
  useEffect(() => void loadApps(), []);
  const all = (apps.value ?? []).toSorted((a, b) => a.title.localeCompare(b.title));
  return html`<section class="broad apps">
    <h2>${t("organization_apps")}</h2>
    <p class="hint">${t("apps_text")}</p>
    <ul class="names faces accounts">
      ${all.map((app) => html`<${Line} key=${app.app_id} app=${app} />`)}
    </ul>
    ${apps.value === null ? html`<p class="hint" role="status">${t("loading")}</p>` : all.length === 0 ? html`<p class="hint">${t("none_yet")}</p>` : null}
    <h3>${t("app_install")}</h3>
    <${AppUpload} text=${t("app_component")} action=${t("app_upload")} send=${installApp} done=${installed} />
  </section>`;
}
