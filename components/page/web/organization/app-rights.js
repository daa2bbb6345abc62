// The form of an app's rights: it says in plain words what the app asks for, and an administrator grants all or a part of it.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { updateApp } from "../api/apps.js";
import { Form } from "../elements/form.js";
import { Icon } from "../elements/icon.js";
import { ANY_HOST, channelsOf, linesOf, ownHostsOf, rightsOf } from "../state/app-rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { keepApp } from "./app-list.js";

/** @typedef {import("../api/apps.js").App} App */
/** @typedef {import("@preact/signals-core").Signal<number[] | null>} Chosen null: all that its account can read */

/** @type {Record<string, import("../strings/text.js").Key>} */
const EVENTS = {
  message: "app_event_message",
  reaction: "app_event_reaction",
  click: "app_event_click",
  vote: "app_event_vote",
  tick: "app_event_tick",
  webhook: "app_event_webhook",
  answer: "app_event_answer",
};

/** @param {import("../state/app-rights.js").Line} line */
function wordsOf({ field, name, about }) {
  if (field === "commands") return t("app_right_command", { name, about });
  if (field === "hosts") return name === ANY_HOST ? t("app_right_any_host") : t("app_right_host", { name });
  return EVENTS[name] === undefined ? name : t(EVENTS[name]);
}

/** @param {number} id */
const channelName = (id) => store.channels.value.get(id)?.name ?? t("unknown_channel");

/** @param {{ ids: number[], set: (ids: number[]) => void }} properties */
function ChannelList({ ids, set }) {
  const offered = [...store.channels.value.values()]
    .filter((one) => !one.is_archived && !ids.includes(one.stream_id))
    .sort((a, b) => a.name.localeCompare(b.name));
  return html`<div class="holders" role="group" aria-label=${t("channels")}>
    ${ids.map(
      (id) =>
        html`<span class="chip" key=${id}
          ><bdi>${channelName(id)}</bdi>
          <button
            type="button"
            class="quiet"
            aria-label=${t("remove_one", { name: channelName(id) })}
            onClick=${() => set(ids.filter((one) => one !== id))}
          >
            <${Icon} name="close" /></button
        ></span>`,
    )}
    <select
      name="channel"
      aria-label=${t("app_add_channel")}
      onChange=${(/** @type {any} */ { target }) => {
        set([...ids, Number(target.value)]);
        target.value = "";
      }}
    >
      <option value="" selected>${t("app_add_channel")}</option>
      ${offered.map((one) => html`<option key=${one.stream_id} value=${one.stream_id}>${one.name}</option>`)}
    </select>
  </div>`;
}

/** Apart from the form, which must not be drawn again while it is filled in. @param {{ app: App, chosen: Chosen }} properties */
function ChannelsChoice({ app, chosen }) {
  const ids = chosen.value;
  const way = (/** @type {boolean} */ areAll, /** @type {string} */ words) =>
    html`<label class="choice"
      ><input
        type="radio"
        name="channels"
        value=${areAll ? "all" : "chosen"}
        checked=${areAll === (ids === null)}
        onChange=${() => (chosen.value = areAll ? null : [])}
      />
      ${words}</label
    >`;
  return html`<fieldset>
    <legend>${t("app_channels")}</legend>
    ${app.manifest.channels === "all" ? [way(true, t("app_channels_all")), way(false, t("app_channels_chosen"))] : null}
    ${
      ids === null
        ? null
        : html`<${ChannelList} ids=${ids} set=${(/** @type {number[]} */ next) => (chosen.value = next)} />
            ${ids.length === 0 ? html`<p class="hint">${t("app_channels_none")}</p>` : null}`
    }
  </fieldset>`;
}

/** For apps that ask for any host. @param {{ app: App }} properties */
const OwnHosts = ({ app }) =>
  html`<label
      >${t("app_own_hosts")}
      <input
        name="own-hosts"
        dir="ltr"
        autocomplete="off"
        spellcheck="false"
        defaultValue=${ownHostsOf(app).join(", ")}
        aria-describedby="own-hosts-hint"
    /></label>
    <p class="hint" id="own-hosts-hint">${t("app_own_hosts_hint")}</p>`;

/** @param {{ app: App }} properties */
export function AppRights({ app }) {
  /** @type {Chosen} */
  const chosen = useSignal(channelsOf(app));
  // Not a note, which would be behind the dialog.
  const said = useSignal("");
  const run = async (/** @type {import("../elements/form.js").Sent} */ { data }) => {
    said.value = "";
    const ownHosts = String(data.get("own-hosts") ?? "");
    const rights = rightsOf(app, (field) => data.getAll(field).map(String), chosen.value, ownHosts);
    keepApp(await updateApp(app.app_id, { rights }));
    said.value = t("app_granted");
  };
  const lines = linesOf(app);
  return html`<h3>${t("app_rights")}</h3>
    <${Form} run=${run} action=${t("app_grant")} class="app-rights">
      <fieldset>
        <legend>${t(lines.length === 0 ? "app_rights_none" : "app_rights_wanted")}</legend>
        ${lines.map(
          (line) =>
            html`<label class="choice" key=${`${line.field}-${line.name}`}
              ><input type="checkbox" name=${line.field} value=${line.name} defaultChecked=${line.isChosen} />
              <span dir="auto">${wordsOf(line)}</span>
              ${line.isNew ? html`<span class="tag">${t("app_not_granted")}</span>` : null}</label
            >`,
        )}
        ${app.manifest.hosts.includes(ANY_HOST) ? html`<${OwnHosts} app=${app} />` : null}
      </fieldset>
      <${ChannelsChoice} app=${app} chosen=${chosen} />
    <//>
    <p class="hint" role="status">${said}</p>`;
}
