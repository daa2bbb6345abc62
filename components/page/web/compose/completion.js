// Completing what is typed after `@`, `#` and `:`, topics after a channel, and commands after `/`.

import { linkToTopic } from "../state/route.js";
import { amIn, topicsOf } from "../state/select.js";
import { store } from "../state/store.js";
import { learnTopics } from "../state/topics.js";
import { t } from "../strings/text.js";
import { character } from "../emoji/emoji.js";
import { find, learnNames } from "../emoji/emoji-names.js";

/** @typedef {{ label: string, insert: string, key: string }} Choice */
/** @typedef {import("../state/token.js").Token} Token */

const MOST = 8;

/** @param {Token} token @returns {Choice[]} */
export function choicesFor({ sign, word, channel = "" }) {
  const sought = word.toLowerCase();
  if (sign === "/") return commands(sought);
  if (sign === ">") return topics(channel, sought);
  if (sign === ":") {
    void learnNames();
    return find(word, MOST).map((one) => ({
      key: one.emoji_code,
      label: `${one.reaction_type === "unicode_emoji" ? character(one.emoji_code) : ""} ${one.emoji_name}`,
      insert: `:${one.emoji_name}: `,
    }));
  }
  if (sign === "#") return channels(sought);
  return [...people(sought, sign), ...groups(sought, sign)].slice(0, MOST);
}

/** @param {string} name @param {string} sought */
const rank = (name, sought) =>
  name.toLowerCase().startsWith(sought) ? 0 : name.toLowerCase().includes(` ${sought}`) ? 1 : 2;

/** What a message may begin with, and what it does. */
const COMMANDS = /** @type {const} */ ([
  ["me", "command_me"],
  ["poll", "command_poll"],
  ["todo", "command_todo"],
]);

/** @param {string} sought @returns {Choice[]} */
const commands = (sought) =>
  COMMANDS.filter(([name]) => name.startsWith(sought)).map(([name, meaning]) => ({
    key: `/${name}`,
    label: `/${name} – ${t(meaning)}`,
    insert: `/${name} `,
  }));

/** A link to a topic; names with signs of Markdown need an address. @param {number} id @param {string} channel @param {string} topic */
function linkedTopic(id, channel, topic) {
  if (!/[`>*&[\]]|\$\$/u.test(channel + topic)) return `#**${channel}>${topic}** `;
  const name = `#${channel} > ${topic}`.replace(/[[\]`*]/gu, "");
  return `[${name}](${linkToTopic(id, topic)}) `;
}

/** @param {string} name of the channel @param {string} sought @returns {Choice[]} */
function topics(name, sought) {
  const channel = [...store.channels.value.values()].find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (channel === undefined) return [];
  const { stream_id: id } = channel;
  void learnTopics(id);
  return topicsOf(id)
    .filter((one) => one.name !== "" && one.name.toLowerCase().includes(sought))
    .sort((a, b) => rank(a.name, sought) - rank(b.name, sought))
    .slice(0, MOST)
    .map((one) => ({ key: `t${one.name}`, label: one.name, insert: linkedTopic(id, channel.name, one.name) }));
}

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
