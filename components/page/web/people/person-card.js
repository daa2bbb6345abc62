// A person's card: who they are, whether they are here, and what one can do with them.

import { html } from "htm/preact";
import { muteUser, unmuteUser } from "../api/people.js";
import { serverTime } from "../state/presence.js";
import { linesOf, roleKey } from "../state/profile.js";
import { goToWrite } from "../compose/compose-state.js";
import { linkTo, linkToPeople, go } from "../state/route.js";
import { nameOf, presenceOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Avatar } from "./avatar.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { Glyph } from "../emoji/emoji.js";
import { Icon } from "../elements/icon.js";
import { attempt } from "../frame/note.js";
import { openStatus } from "../frame/open.js";
import { Rendered } from "../messages/rendered.js";
import { statusOf } from "./status.js";
import { clockIn, moment } from "../elements/time.js";

/** @param {number} id */
export function showPerson(id) {
  open.value = () => html`<${Card} key=${id} id=${id} />`;
}

/** @param {{ user: any }} properties */
function Kind({ user }) {
  const tags = [
    user.is_bot ? t("bot") : null,
    user.is_guest ? t("guest") : null,
    user.is_active === false ? t("deactivated") : null,
  ].filter((one) => one !== null);
  return html`${tags.map((one) => html`<span class="tag" key=${one}>${one}</span>`)}`;
}

/** Whether a user is here, or since when not. @param {{ id: number }} properties */
export function Here({ id }) {
  const state = presenceOf(id, serverTime.value);
  const seen = store.presences.value.get(id);
  const last = Math.max(seen?.active_timestamp ?? 0, seen?.idle_timestamp ?? 0);
  if (state !== "")
    return html`<span class=${`presence ${state}`}></span> ${t(state === "active" ? "active" : "idle")}`;
  return html`${last > 0 ? t("last_seen", { when: moment(last) }) : t("not_here")}`;
}

/** @param {{ line: import("../state/profile.js").Line }} properties */
function Field({ line }) {
  const value =
    line.html !== undefined
      ? html`<${Rendered} html=${line.html} />`
      : line.people !== undefined
        ? line.people.map(
            (id) =>
              html`<button type="button" class="name" onClick=${() => showPerson(id)}>
                <bdi>${nameOf(id)}</bdi>
              </button> `,
          )
        : line.link !== undefined
          ? html`<a href=${line.link} target="_blank" rel="noopener noreferrer"><bdi>${line.text}</bdi></a>`
          : html`<bdi>${line.text}</bdi>`;
  return html`<div>
    <dt>${line.name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** @param {{ id: number }} properties */
function Status({ id }) {
  const { text, emoji, end } = statusOf(id);
  if (text === "" && emoji === null) return null;
  return html`<p class="said-status">
    ${emoji === null ? null : html`<${Glyph} emoji=${emoji} />`}
    <bdi>${text === "" ? emoji?.emoji_name.replaceAll("_", " ") : text}</bdi>
    ${end === null ? null : html` <span class="hint">${t("until", { when: moment(end) })}</span>`}
  </p>`;
}

/** What is known of everybody, before the fields of the organization. @param {any} user */
function ownLines(user) {
  const time = user.timezone ? clockIn(Date.now() / 1000, user.timezone) : "";
  const owner = store.users.value.get(user.bot_owner_id ?? 0);
  return [
    { key: "role", name: t("role"), text: t(roleKey(user.role)) },
    user.delivery_email ? { key: "email", name: t("email"), text: user.delivery_email } : null,
    time === ""
      ? null
      : { key: "time", name: t("local_time"), text: `${time} (${user.timezone.replaceAll("_", " ")})` },
    owner === undefined ? null : { key: "owner", name: t("bot_owner"), people: [owner.user_id] },
  ].filter((line) => line !== null);
}

/** @param {{ id: number }} properties */
function Card({ id }) {
  const user = /** @type {any} */ (store.users.value.get(id));
  if (user === undefined) return html`<${Dialog} title=${t("not_found")}><//>`;
  const isMe = id === store.me.value;
  const isMuted = store.muted.value.has(id);
  const fields = store.personal.value["custom_profile_fields"] ?? [];
  const accounts = store.realm.value["realm_default_external_accounts"] ?? {};
  const lines = [...ownLines(user), ...linesOf(user.profile_data ?? {}, fields, accounts)];
  const leave =
    (/** @type {string} */ target, open = go) =>
    () => {
      close();
      open(target);
    };
  const mute = () => attempt(() => (isMuted ? unmuteUser(id) : muteUser(id)));
  return html`<${Dialog} title=${user.full_name} class="person">
    <div class="face">
      <${Avatar} id=${id} />
      <div>
        <p><${Kind} user=${user} /></p>
        ${user.is_bot ? null : html`<p class="hint"><${Here} id=${id} /></p>`}
        <${Status} id=${id} />
      </div>
    </div>
    <dl>${lines.map((line) => html`<${Field} key=${line.key} line=${line} />`)}</dl>
    <div class="buttons">
      ${isMe ? html`<button type="button" class="plain" onClick=${openStatus}><${Icon} name="smile" /> ${t("set_status")}</button>` : html`<button type="button" class="plain" aria-pressed=${isMuted} onClick=${mute}>${t(isMuted ? "unmute_person" : "mute_person")}</button>`}
      <button type="button" class="plain" onClick=${leave(linkTo({ terms: [{ operator: "sender", operand: id }] }))}>
        ${t("all_of_person")}
      </button>
      <button type="button" class="primary" onClick=${leave(linkToPeople([id]), goToWrite)}>
        ${t(isMe ? "note_to_self" : "send_direct")}
      </button>
    </div>
  <//>`;
}
