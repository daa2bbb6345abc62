// Inviting everybody on a list: a preview, then one invitation after another, each with a report of its own.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { ApiError } from "../api/http.js";
import { sendInvites } from "../api/invitations.js";
import { copyText } from "../elements/copy.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { note, textOf } from "../frame/note.js";
import { peopleIn } from "../state/people-list.js";
import { roleKey } from "../state/profile.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/people-list.js").Person} Person */
/** @typedef {{ link: string } | { failure: string }} Report */

/** @type {import("@preact/signals-core").Signal<Person[]>} */
const people = signal([]);
/** By line. @type {import("@preact/signals-core").Signal<Map<number, Report>>} */
const reports = signal(new Map());
const problem = signal("");
const isBusy = signal(false);

export function openImport() {
  people.value = [];
  reports.value = new Map();
  problem.value = "";
  open.value = () => html`<${Import} />`;
}

/** @param {any} event */
async function choose({ target }) {
  const [file] = target.files;
  if (file === undefined) return;
  const found = peopleIn(await file.text());
  problem.value = found === null ? t("list_headings") : "";
  people.value = found ?? [];
  reports.value = new Map();
}

/** The ids of names, or the first name that nothing has. @param {string[]} names @param {Iterable<[number, any]>} all */
function idsOf(names, all) {
  const known = new Map([...all].map(([id, one]) => [String(one.name).toLowerCase(), id]));
  const missing = names.find((name) => !known.has(name.toLowerCase()));
  return missing === undefined ? names.map((name) => known.get(name.toLowerCase()) ?? 0) : missing;
}

/** What is wrong with a person, as far as it can be said here. @param {Person} one */
function faultOf(one) {
  if (one.problem !== null) return t(one.problem);
  const missing = [idsOf(one.channels, store.channels.value), idsOf(one.groups, store.groups.value)];
  const name = missing.find((found) => typeof found === "string");
  return name === undefined ? "" : t("list_unknown", { name: String(name) });
}

/** @param {Person} one @returns {Promise<Report>} */
async function invite(one) {
  /** @type {number[]} */
  const defaults = one.role === 600 ? [] : (store.personal.value["realm_default_streams"] ?? []);
  const [channels, groups] = [idsOf(one.channels, store.channels.value), idsOf(one.groups, store.groups.value)];
  if (typeof channels === "string" || typeof groups === "string") return { failure: faultOf(one) };
  try {
    const { invitations } = await sendInvites({
      invitee_emails: one.email,
      invite_as: /** @type {any} */ (one.role),
      stream_ids: [...new Set([...defaults, ...channels])],
      group_ids: groups,
    });
    return { link: invitations[0]?.link_url ?? "" };
  } catch (error) {
    // The address has an account or an invitation; the second element says which.
    const [left] = error instanceof ApiError ? (error.body["errors"] ?? []) : [];
    return { failure: left === undefined ? textOf(error) : String(left[1]) };
  }
}

async function inviteAll() {
  isBusy.value = true;
  for (const one of people.value) {
    // A second try skips the lines that the first one finished.
    const before = reports.value.get(one.line);
    if (faultOf(one) !== "" || (before !== undefined && "link" in before)) continue;
    const report = await invite(one);
    reports.value = new Map([...reports.value, [one.line, report]]);
  }
  isBusy.value = false;
}

/** @param {{ one: Person }} properties */
function Line({ one }) {
  const report = reports.value.get(one.line);
  const fault = faultOf(one);
  const said = report === undefined ? fault : "failure" in report ? report.failure : report.link;
  return html`<tr>
    <td>${one.line}</td>
    <td><bdi>${one.email}</bdi></td>
    <td>${one.role === 0 ? "" : t(roleKey(one.role))}</td>
    <td class=${fault !== "" || (report !== undefined && "failure" in report) ? "error" : ""}>${said}</td>
  </tr>`;
}

/** For a mail merge: address and link. */
async function copyLinks() {
  const lines = people.value.flatMap((one) => {
    const report = reports.value.get(one.line);
    return report !== undefined && "link" in report ? [`${one.email},${report.link}`] : [];
  });
  note(t((await copyText(lines.join("\n"))) ? "copied" : "copy_failed"));
}

function Import() {
  const good = people.value.filter((one) => faultOf(one) === "").length;
  const isDone = [...reports.value.values()].some((report) => "link" in report);
  return html`<${Dialog} title=${t("list_of_people")} class="import">
    <p class="hint">${t("list_text")} <code>email,role,channels,groups</code></p>
    <label
      >${t("list_file")}
      <input name="list" type="file" accept=".csv,text/csv" disabled=${isBusy.value} onChange=${choose}
    /></label>
    <p class="error" role="alert">${problem}</p>
    ${
      people.value.length === 0
        ? null
        : html`<div class="scrolling" tabindex="0" role="region" aria-label=${t("list_of_people")}>
            <table>
              <thead>
                <tr>
                  <th scope="col">${t("line")}</th>
                  <th scope="col">${t("email")}</th>
                  <th scope="col">${t("role")}</th>
                  <th scope="col">${t("list_report")}</th>
                </tr>
              </thead>
              <tbody>
                ${people.value.map((one) => html`<${Line} key=${one.line} one=${one} />`)}
              </tbody>
            </table>
          </div>`
    }
    <div class="buttons">
      ${isDone ? html`<button type="button" class="plain" onClick=${copyLinks}>${t("list_copy")}</button>` : null}
      <button type="button" class="plain" onClick=${close}>${t("close")}</button>
      <button type="button" class="primary" disabled=${isBusy.value || good === 0} onClick=${() => void inviteAll()}>
        ${t("list_invite", { n: good })}
      </button>
    </div>
  <//>`;
}
