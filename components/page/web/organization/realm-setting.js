// One setting of the organization: it is saved when it changes, and goes back when the server refuses it.

import { html } from "htm/preact";
import { updateRealm } from "../api/organization.js";
import { amAdministrator, amOwner } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { GroupChoice } from "../people/group-choice.js";
import { note, textOf } from "../frame/note.js";

/** @typedef {import("../strings/text.js").Key} Key */

/** Settings of the organization that are for owners: who gets in, and what is kept. */
const FOR_OWNERS = new Set([
  "can_create_groups",
  "can_invite_users_group",
  "can_manage_all_groups",
  "create_multiuse_invite_group",
  "disallow_disposable_email_addresses",
  "emails_restricted_to_domains",
  "invite_required",
  "message_retention_days",
  "owner_full_content_access",
  "second_factor_required_for",
  "session_days",
  "waiting_period_threshold",
]);

/** Whether this account may not change a setting of the organization. @param {string} name without `realm_` */
export const isFixed = (name) => !amAdministrator() || (FOR_OWNERS.has(name) && !amOwner());

const HOUR = 3600;
const DAY = 24 * HOUR;
/** Seconds in which something may be changed, and what they are called. @type {[number | null, Key, number][]} */
const LIMITS = [
  [null, "no_limit", 0],
  [120, "minutes_count", 2],
  [600, "minutes_count", 10],
  [HOUR, "hours_count", 1],
  [DAY, "days_count", 1],
  [7 * DAY, "days_count", 7],
  [30 * DAY, "days_count", 30],
];

/** @param {string} name @param {unknown} value @param {() => void} undo */
async function save(name, value, undo) {
  try {
    await updateRealm({ [name]: value });
    note(t("saved"));
  } catch (error) {
    undo();
    note(textOf(error));
  }
}

/** @param {string} name without `realm_` */
export const realmValue = (name) => store.realm.value[`realm_${name}`];

/** @param {{ name: string, text: string, reverse?: boolean }} properties reverse: the setting says the opposite */
export const RealmToggle = ({ name, text, reverse = false }) =>
  html`<label class="choice"
    ><input
      type="checkbox"
      name=${name}
      disabled=${isFixed(name)}
      checked=${(realmValue(name) === true) !== reverse}
      onChange=${(/** @type {any} */ { target }) => void save(name, target.checked !== reverse, () => (target.checked = !target.checked))}
    />
    ${text}</label
  >`;

/** @param {{ name: string, text: string, options: readonly (readonly [unknown, string])[] }} properties */
export function RealmChoice({ name, text, options }) {
  const now = realmValue(name);
  const at = options.findIndex(([value]) => value === now);
  const change = (/** @type {any} */ { target }) => {
    const [value] = options[Number(target.value)] ?? [];
    void save(name, value === null ? "unlimited" : value, () => (target.value = String(at)));
  };
  return html`<label class="row"
    ><span>${text}</span>
    <select name=${name} disabled=${isFixed(name)} onChange=${change}>
      ${at < 0 ? html`<option value="-1" selected disabled>${String(now)}</option>` : null}
      ${options.map(([, label], index) => html`<option key=${label} value=${index} selected=${index === at}>${label}</option>`)}
    </select></label
  >`;
}

/** How long something may be done after a message was sent. @param {{ name: string, text: string }} properties */
export function RealmLimit({ name, text }) {
  const now = realmValue(name);
  /** @type {[number | null, string][]} */
  const options = LIMITS.map(([seconds, key, n]) => [seconds, t(key, { n })]);
  if (now !== null && !options.some(([seconds]) => seconds === now))
    options.push([now, t("minutes_count", { n: Math.round(now / 60) })]);
  return html`<${RealmChoice} name=${name} text=${text} options=${options} />`;
}

/** A channel for notices. @param {{ name: string, text: string }} properties */
export function RealmChannel({ name, text }) {
  const channels = [...store.channels.value.values()]
    .filter((one) => !one.is_archived)
    .sort((a, b) => a.name.localeCompare(b.name));
  /** @type {[number, string][]} */
  const options = [
    [-1, t("no_channel")],
    ...channels.map((one) => /** @type {[number, string]} */ ([one.stream_id, one.name])),
  ];
  return html`<${RealmChoice} name=${name} text=${text} options=${options} />`;
}

/** @param {{ name: string, text: string }} properties */
export const RealmPermission = ({ name, text }) =>
  html`<${GroupChoice}
    name=${name}
    text=${text}
    of="realm"
    fixed=${isFixed(name)}
    value=${realmValue(name)}
    set=${(/** @type {unknown} */ value) => void save(name, { new: value }, () => {})}
  />`;

/** @param {{ name: string, text: string, most: number, rows?: number, required?: boolean }} properties */
export function RealmText({ name, text, most, rows = 1, required = false }) {
  const now = realmValue(name) ?? "";
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const value = String(new FormData(form).get(name)).trim();
    if (value !== now) void save(name, value, () => {});
  };
  const common = { name, dir: "auto", maxlength: most, required, readonly: isFixed(name), defaultValue: now };
  return html`<form class="inline" onSubmit=${submit} key=${now}>
    <label
      >${text}
      ${rows === 1 ? html`<input autocomplete="off" ...${common} />` : html`<textarea rows=${rows} ...${common}></textarea>`}</label
    >
    ${isFixed(name) ? null : html`<button type="submit" class="plain" aria-label=${`${t("save")}: ${text}`}>${t("save")}</button>`}
  </form>`;
}
