// Completes channels and topics after `#`, topics of a channel after `>`, emoji after `:` and commands after `/`; people after `@` are in
// `completed-people.js`.

import { html } from "htm/preact";
import { knownTopics } from "../state/known-topics.js";
import { learnRecent } from "../state/recent.js";
import { linkToTopic } from "../state/route.js";
import { topicsOf } from "../state/select.js";
import { store } from "../state/store.js";
import { learnTopics } from "../state/topics.js";
import { t } from "../strings/text.js";
import { ChannelSign } from "../channels/channel-sign.js";
import { Glyph } from "../emoji/emoji.js";
import { find, learnNames } from "../emoji/emoji-names.js";
import { noteUse } from "../emoji/emoji-recent.js";
import { mentions, rank } from "./completed-people.js";

/** @typedef {{ label: any, insert: string, key: string, taken?: () => void }} Choice label: what is drawn of it */
/** @typedef {import("../state/token.js").Token} Token */

const MOST = 8;

/** @param {Token} token @returns {Choice[]} */
export function choicesFor({ sign, word, channel = "" }) {
  const sought = word.toLowerCase();
  if (sign === "/") return commands(sought);
  if (sign === ">") return topics(channel, sought);
  if (sign === ":") {
    void learnNames();
    return find(word, MOST).map(({ found, ...one }) => ({
      key: one.reaction_type + one.emoji_code,
      insert: `:${one.emoji_name}: `,
      taken: () => noteUse(one),
      label: html`<${Glyph} emoji=${one} />
        <span class="name">${found}</span>
        ${found === one.emoji_name ? null : html`<span class="hint">${one.emoji_name}</span>`}`,
    }));
  }
  if (sign === "#") return places(sought);
  return mentions(sought, sign, MOST);
}

/** What a message may begin with, and what it does. */
const COMMANDS = /** @type {const} */ ([
  ["me", "command_me"],
  ["poll", "command_poll"],
  ["todo", "command_todo"],
]);

/** Those of apps. @returns {{ name: string, description: string, app_title: string }[]} */
const appCommands = () => store.realm.value["realm_app_commands"] ?? [];

/** @param {string} sought @returns {Choice[]} */
const commands = (sought) => [
  ...COMMANDS.filter(([name]) => name.startsWith(sought)).map(([name, meaning]) => ({
    key: `/${name}`,
    label: `/${name} – ${t(meaning)}`,
    insert: `/${name} `,
  })),
  ...appCommands()
    .filter(({ name }) => name.startsWith(sought))
    .slice(0, MOST)
    .map(({ name, description, app_title: title }) => ({
      key: `/${name}`,
      label: html`<span>/${name} – <bdi>${description}</bdi></span> <span class="hint">${title}</span>`,
      insert: `/${name} `,
    })),
];

/** A link to a topic; names with signs of Markdown need an address. @param {number} id @param {string} channel @param {string} topic */
function linkedTopic(id, channel, topic) {
  if (!/[`>*&[\]]|\$\$/u.test(channel + topic)) return `#**${channel}>${topic}** `;
  const name = `#${channel} > ${topic}`.replace(/[[\]`*]/gu, "");
  return `[${name}](${linkToTopic(id, topic)}) `;
}

/** @param {string} name of the channel, or how it begins @param {string} sought @returns {Choice[]} */
function topics(name, sought) {
  const wanted = name.trimEnd().toLowerCase();
  const channel =
    [...store.channels.value.values()].find((one) => one.name.toLowerCase() === wanted) ?? found(wanted)[0];
  if (channel === undefined) return [];
  const { stream_id: id } = channel;
  void learnTopics(id);
  return topicsOf(id)
    .filter((one) => one.name !== "" && one.name.toLowerCase().includes(sought))
    .sort((a, b) => rank(a.name, sought) - rank(b.name, sought))
    .slice(0, MOST)
    .map((one) => topicChoice(channel, one.name));
}

/** @param {import("../types.js").Channel} channel @param {string} topic @returns {Choice} */
const topicChoice = (channel, topic) => ({
  key: `t${channel.stream_id}/${topic}`,
  insert: linkedTopic(channel.stream_id, channel.name, topic),
  label: html`<span class="hint">#${channel.name} ›</span> <span class="name" dir="auto">${topic}</span>`,
});

/** @param {string} sought in the names of channels */
const found = (sought) =>
  [...store.channels.value.values()]
    .filter((one) => !one.is_archived && one.name.toLowerCase().includes(sought))
    .sort(
      (a, b) =>
        rank(a.name, sought) - rank(b.name, sought) ||
        Number(b.subscribed) - Number(a.subscribed) ||
        a.name.localeCompare(b.name),
    );

/** @param {string} sought @returns {(Choice & { rank: number })[]} */
const channels = (sought) =>
  found(sought)
    .slice(0, MOST)
    .map((one) => ({
      rank: rank(one.name, sought),
      key: String(one.stream_id),
      insert: `#**${one.name}** `,
      label: html`<${ChannelSign} channel=${one} /> <span class="name" dir="auto">${one.name}</span>`,
    }));

/** Known topics of all channels, the latest first. @param {string} sought @returns {(Choice & { rank: number })[]} */
function topicsAnywhere(sought) {
  // Further ones are loaded until this text is complete: each page brings the choices up to date.
  void Promise.resolve().then(learnRecent);
  return [...store.channels.value.values()]
    .filter((channel) => !channel.is_archived)
    .flatMap((channel) => knownTopics(channel.stream_id).map((one) => ({ ...one, channel })))
    .filter(({ name }) => name !== "" && name.toLowerCase().includes(sought))
    .sort((a, b) => rank(a.name, sought) - rank(b.name, sought) || b.max_id - a.max_id)
    .slice(0, MOST)
    .map(({ name, channel }) => ({ rank: rank(name, sought), ...topicChoice(channel, name) }));
}

/** Of equal fits, channels come before topics. @param {string} sought @returns {Choice[]} */
const places = (sought) =>
  sought === ""
    ? channels(sought)
    : [...channels(sought), ...topicsAnywhere(sought)].sort((a, b) => a.rank - b.rank).slice(0, MOST);
