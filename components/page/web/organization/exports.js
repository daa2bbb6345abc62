// Exports of the organization's data: asking for one, how it goes, fetching it.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { deleteRealmExport, exportRealm, getRealmExports } from "../api/organization.js";
import { attempt } from "../frame/note.js";
import { moment } from "../elements/time.js";
import { watchers } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../api/organization.js").Export} Export */

/** @type {import("@preact/signals-core").Signal<Export[] | null>} */
const all = signal(null);

const load = () => attempt(async () => void (all.value = (await getRealmExports()).exports));

/** @param {Export} one @returns {import("../strings/text.js").Key} */
function stateOf(one) {
  if (one.deleted_timestamp !== null) return "export_deleted";
  if (one.failed_timestamp !== null) return "export_failed";
  return one.pending ? "export_pending" : "export_ready";
}

/** @param {{ one: Export }} properties */
function Line({ one }) {
  const state = stateOf(one);
  const when = moment(one.export_time);
  return html`<li class="session">
    <span>${when} <span class="hint">${t(state)}</span></span>
    ${state === "export_pending" ? html`<progress aria-label=${t("export_pending")}></progress>` : null}
    ${
      state === "export_ready"
        ? html`<span class="buttons">
            <a class="plain button" href=${one.export_url} download>${t("download")}</a>
            <button
              type="button"
              class="plain"
              aria-label=${`${t("delete")}: ${when}`}
              onClick=${() => attempt(() => deleteRealmExport(one.id))}
            >
              ${t("delete")}
            </button>
          </span>`
        : null
    }
  </li>`;
}

export function Exports() {
  useEffect(() => {
    void load();
    const watch = (/** @type {import("../types.js").Event} */ event) => {
      if (event.type === "realm_export") all.value = event["exports"];
    };
    watchers.add(watch);
    return () => void watchers.delete(watch);
  }, []);
  const ask = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
    void attempt(() => exportRealm(/** @type {"public"} */ (data.get("type"))));
  };
  const listed = (all.value ?? []).toSorted((a, b) => b.export_time - a.export_time);
  return html`<section class="broad">
    <h2>${t("organization_exports")}</h2>
    <p class="hint">${t("exports_text")}</p>
    <form class="inline" onSubmit=${ask}>
      <label
        >${t("export_what")}
        <select name="type">
          <option value="public">${t("export_public")}</option>
          <option value="full_with_consent">${t("export_consent")}</option>
        </select></label
      >
      <button type="submit" class="plain">${t("export_begin")}</button>
    </form>
    <ul class="names">
      ${listed.map((one) => html`<${Line} key=${one.id} one=${one} />`)}
    </ul>
    ${listed.length === 0 ? html`<p class="hint">${t("none_yet")}</p>` : null}
  </section>`;
}
