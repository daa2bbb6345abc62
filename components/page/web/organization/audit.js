// The audit log for owners: filters, pages, and a sentence for each entry.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { getAuditLog } from "../api/organization.js";
import { Form } from "../elements/form.js";
import { moment } from "../elements/time.js";
import { attempt } from "../frame/note.js";
import { GROUPS } from "../state/audit-kinds.js";
import { nameOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../api/organization.js").AuditEntry} AuditEntry */
/** @typedef {import("../api/organization.js").AuditFilter} AuditFilter */

/** Entries of a page. */
const LIMIT = 50;

/** @type {import("@preact/signals-core").Signal<{ entries: AuditEntry[], found_oldest: boolean } | null>} */
const page = signal(null);
/** @type {AuditFilter} */
let filter = {};

/** @param {number} [before] */
const load = (before) =>
  attempt(async () => {
    const asked = { ...filter, limit: LIMIT, ...(before === undefined ? {} : { before }) };
    const { audit_log: entries, found_oldest } = await getAuditLog(asked);
    page.value = { entries, found_oldest };
  });

/** @param {AuditEntry} one */
function who(one) {
  if (one.acting_user_id !== null) return nameOf(one.acting_user_id);
  return t(one.acting === "operator" ? "audit_operator" : "audit_server");
}

/** @param {AuditEntry} one */
function sentence(one) {
  const key = /** @type {import("../strings/text.js").Key} */ (`audit_${one.event_type}`);
  const whom = one.modified_user_id === null ? t("audit_nobody") : nameOf(one.modified_user_id);
  const text = t(key, { who: who(one), whom });
  // A newer server has kinds that this page does not know.
  return text === key ? t("audit_other", { who: who(one), what: one.event_type }) : text;
}

/** @param {unknown} value */
const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** @param {{ one: AuditEntry }} properties */
function Line({ one }) {
  const data = Object.entries(one.data);
  return html`<tr>
    <td>${moment(one.time)}</td>
    <td>
      <bdi>${sentence(one)}</bdi>
      ${
        data.length === 0
          ? null
          : html`<details>
              <summary aria-label=${`${t("audit_details")}: ${sentence(one)}`}>${t("audit_details")}</summary>
              <dl>
                ${data.map(
                  ([name, value]) =>
                    html`<dt>${name}</dt>
                      <dd><bdi>${shown(value)}</bdi></dd>`,
                )}
              </dl>
            </details>`
      }
    </td>
  </tr>`;
}

/** The beginning of a day here in UNIX seconds. @param {string} date */
const secondsOf = (date) => Math.floor(new Date(`${date}T00:00`).getTime() / 1000);

/** @param {import("../elements/form.js").Sent} sent */
async function search({ text }) {
  const kinds = GROUPS[text("kinds")];
  const [since, until] = [text("since"), text("until")];
  const named = text("person");
  const person = [...store.users.value.values()].find((one) => one.full_name === named);
  if (named !== "" && person === undefined) throw new Error(t("nothing_found"));
  filter = {
    ...(kinds === undefined ? {} : { event_types: [...kinds] }),
    ...(person === undefined ? {} : { user_id: person.user_id }),
    ...(since === "" ? {} : { since: secondsOf(since) }),
    // The last day is part of it.
    ...(until === "" ? {} : { until: secondsOf(until) + 24 * 3600 }),
  };
  await load();
}

function Pages() {
  const { entries, found_oldest } = page.value ?? { entries: [], found_oldest: true };
  const last = entries.at(-1);
  return html`<div class="buttons">
    <button type="button" class="plain" onClick=${() => load()}>${t("audit_newest")}</button>
    ${
      found_oldest || last === undefined
        ? null
        : html`<button type="button" class="plain" onClick=${() => load(last.id)}>${t("audit_older")}</button>`
    }
  </div>`;
}

export function Audit() {
  useEffect(() => {
    filter = {};
    void load();
  }, []);
  const groups = /** @type {import("../strings/text.js").Key[]} */ (Object.keys(GROUPS));
  return html`<section class="broad audit">
    <h2>${t("organization_audit")}</h2>
    <p class="hint">${t("audit_text")}</p>
    <${Form} look="page" run=${search} action=${t("audit_show")}>
      <label
        >${t("audit_what")}
        <select name="kinds">
          <option value="">${t("audit_everything")}</option>
          ${groups.map((key) => html`<option key=${key} value=${key}>${t(key)}</option>`)}
        </select></label
      >
      <label
        >${t("audit_person")} <input name="person" list="audit-people" dir="auto" autocomplete="off" />
        <datalist id="audit-people">
          ${[...store.users.value.values()].map((one) => html`<option key=${one.user_id} value=${one.full_name}></option>`)}
        </datalist></label
      >
      <label>${t("audit_since")} <input name="since" type="date" /></label>
      <label>${t("audit_until")} <input name="until" type="date" /></label>
    <//>
    <table aria-label=${t("organization_audit")}>
      <thead>
        <tr>
          <th scope="col">${t("audit_when")}</th>
          <th scope="col">${t("audit_what")}</th>
        </tr>
      </thead>
      <tbody>
        ${(page.value?.entries ?? []).map((one) => html`<${Line} key=${one.id} one=${one} />`)}
      </tbody>
    </table>
    ${page.value?.entries.length === 0 ? html`<p class="hint">${t("nothing_found")}</p>` : null}
    <${Pages} />
  </section>`;
}
