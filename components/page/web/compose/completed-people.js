// People and groups to mention; participants of the conversation come first.

import { html } from "htm/preact";
import { Glyph } from "../emoji/emoji.js";
import { Avatar, PresenceDot } from "../people/avatar.js";
import { statusOf } from "../people/status.js";
import { narrowKey } from "../state/narrow.js";
import { route } from "../state/route.js";
import { amIn } from "../state/select.js";
import { now, store } from "../state/store.js";
import { t } from "../strings/text.js";
import { recipient } from "./compose-state.js";

/** @typedef {import("./completion.js").Choice} Choice */

/** @param {string} name @param {string} sought @returns {number} 0: the name begins with it, 1: one of its words does */
export const rank = (name, sought) =>
  name.toLowerCase().startsWith(sought) ? 0 : name.toLowerCase().includes(` ${sought}`) ? 1 : 2;

/** Who is in this conversation, and who spoke how late in what is shown. @returns {Map<number, number>} greater: nearer */
function nearness() {
  /** @type {Map<number, number>} */
  const near = new Map();
  const to = recipient.peek();
  if (to?.kind === "direct") for (const id of to.people) near.set(id, Number.MAX_SAFE_INTEGER);
  if (route.peek().view !== "messages") return near;
  const { messages, windows } = now();
  const { narrow } = /** @type {{ narrow: import("../state/narrow.js").Narrow }} */ (route.peek());
  for (const id of windows.get(narrowKey(narrow.terms))?.ids ?? []) {
    const sender = messages.get(id)?.sender_id ?? 0;
    near.set(sender, Math.max(near.get(sender) ?? 0, id));
  }
  return near;
}

/** Other people come before bots, muted people and oneself. @param {import("../types.js").User} one */
const distance = (one) =>
  one.user_id === store.me.value ? 3 : store.muted.value.has(one.user_id) ? 2 : one.is_bot ? 1 : 0;

/** @param {string} sought @param {string} sign @param {number} most @returns {Choice[]} */
function people(sought, sign, most) {
  const found = [...store.users.value.values()].filter((one) => one.is_active && rank(one.full_name, sought) < 2);
  const near = nearness();
  const nearOf = (/** @type {number} */ id) => (id === store.me.value ? 0 : (near.get(id) ?? 0));
  found.sort(
    (a, b) =>
      rank(a.full_name, sought) - rank(b.full_name, sought) ||
      nearOf(b.user_id) - nearOf(a.user_id) ||
      distance(a) - distance(b) ||
      a.full_name.localeCompare(b.full_name),
  );
  return found.slice(0, most).map((one) => {
    const isAmbiguous = found.some((other) => other !== one && other.full_name === one.full_name);
    return {
      key: `u${one.user_id}`,
      insert: `${sign}**${one.full_name}${isAmbiguous ? `|${one.user_id}` : ""}** `,
      label: html`<${Person} id=${one.user_id} name=${one.full_name} isBot=${one.is_bot} />`,
    };
  });
}

/** @param {{ id: number, name: string, isBot: boolean }} properties */
function Person({ id, name, isBot }) {
  const { text, emoji } = statusOf(id);
  return html`<${Avatar} id=${id} /> ${isBot ? null : html`<${PresenceDot} id=${id} />`}
    <span class="name" dir="auto">${name}</span>
    ${isBot ? html`<span class="hint">${t("bot")}</span>` : null}
    ${emoji === null ? null : html`<${Glyph} emoji=${emoji} />`}
    ${text === "" ? null : html`<span class="hint" dir="auto">${text}</span>`}`;
}

/** @param {string} sought @param {string} sign @returns {Choice[]} */
function groups(sought, sign) {
  const named = [...store.groups.value.values()].filter(
    (one) =>
      !one["is_system_group"] &&
      !one["deactivated"] &&
      (sign !== "@" || amIn(one["can_mention_group"])) &&
      one["name"].toLowerCase().startsWith(sought),
  );
  const wildcards = ["all", "topic"].filter((name) => sign === "@" && sought !== "" && name.startsWith(sought));
  return [
    ...wildcards.map((name) => ({
      key: name,
      label: name === "all" ? t("mention_all") : t("mention_topic"),
      insert: `@**${name}** `,
    })),
    ...named.map((one) => ({ key: `g${one["id"]}`, label: `@${one["name"]}`, insert: `${sign}*${one["name"]}* ` })),
  ];
}

/** @param {string} sought @param {string} sign @param {number} most */
export const mentions = (sought, sign, most) => [...people(sought, sign, most), ...groups(sought, sign)].slice(0, most);
