// Completing what is typed after `@`, `#` and `:`. Pure but for what it asks of the state.

import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { character, find } from "./emoji.js";

/** @typedef {{ label: string, insert: string, key: string }} Choice */

const MOST = 8;

/** What stands before the cursor and may be completed. @param {string} before */
export function tokenOf(before) {
  const found = /(?:^|[\s([{"'/])(?<sign>@_?|#|:)(?<word>[^\s@#:*][^@#:*\n]{0,40}|)$/u.exec(before);
  const { sign, word } = found?.groups ?? {};
  if (sign === undefined || word === undefined) return null;
  if (sign === ":" && !/^[\w+-]{2,}$/u.test(word)) return null;
  if (word.split(" ").length > 3) return null;
  return { sign, word, start: before.length - sign.length - word.length };
}

/** @param {{ sign: string, word: string }} token @returns {Choice[]} */
export function choicesFor({ sign, word }) {
  const sought = word.toLowerCase();
  if (sign === ":")
    return find(word, MOST).map((one) => ({
      key: one.emoji_code,
      label: `${one.reaction_type === "unicode_emoji" ? character(one.emoji_code) : ""} ${one.emoji_name}`,
      insert: `:${one.emoji_name}: `,
    }));
  if (sign === "#") return channels(sought);
  return [...people(sought, sign), ...groups(sought, sign)].slice(0, MOST);
}

/** @param {string} name @param {string} sought */
const rank = (name, sought) =>
  name.toLowerCase().startsWith(sought) ? 0 : name.toLowerCase().includes(` ${sought}`) ? 1 : 2;

/** @param {string} sought @returns {Choice[]} */
function channels(sought) {
  return [...store.channels.value.values()]
    .filter((one) => !one.is_archived && one.name.toLowerCase().includes(sought))
    .sort(
      (a, b) =>
        rank(a.name, sought) - rank(b.name, sought) ||
        Number(b.subscribed) - Number(a.subscribed) ||
        a.name.localeCompare(b.name),
    )
    .slice(0, MOST)
    .map((one) => ({ key: String(one.stream_id), label: `#${one.name}`, insert: `#**${one.name}** ` }));
}

/** @param {string} sought @param {string} sign @returns {Choice[]} */
function people(sought, sign) {
  const found = [...store.users.value.values()].filter((one) => one.is_active && rank(one.full_name, sought) < 2);
  found.sort((a, b) => rank(a.full_name, sought) - rank(b.full_name, sought) || a.full_name.localeCompare(b.full_name));
  return found.slice(0, MOST).map((one) => {
    const isAmbiguous = found.some((other) => other !== one && other.full_name === one.full_name);
    return {
      key: `u${one.user_id}`,
      label: one.full_name,
      insert: `${sign}**${one.full_name}${isAmbiguous ? `|${one.user_id}` : ""}** `,
    };
  });
}

/** @param {string} sought @param {string} sign @returns {Choice[]} */
function groups(sought, sign) {
  const named = [...store.groups.value.values()].filter(
    (one) => !one["is_system_group"] && !one["deactivated"] && one["name"].toLowerCase().startsWith(sought),
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
