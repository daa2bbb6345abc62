// What the search field knows of the organization, for the language of its operators.

import { html } from "htm/preact";
import { getMessages } from "../api/messages.js";
import { conversationOf } from "../state/narrow.js";
import { read, suggest, write } from "../state/search.js";
import { topicsOf } from "../state/select.js";
import { store } from "../state/store.js";
import { learnTopics } from "../state/topics.js";
import { t } from "../strings/text.js";

/** @typedef {import("../types.js").Term} Term */

/** What each operator finds. @type {Record<typeof import("../state/search.js").OPERATORS[number], import("../strings/text.js").Key>} */
const MEANINGS = {
  channel: "find_channel",
  topic: "find_topic",
  sender: "find_sender",
  is: "find_is",
  has: "find_has",
  dm: "find_dm",
  mentions: "find_mentions",
  near: "find_near",
  date: "find_date",
};

/** @returns {import("../state/search.js").Known} */
function known() {
  const channels = [...store.channels.value.values()]
    .filter((one) => !one.is_archived)
    .sort((a, b) => Number(b.subscribed) - Number(a.subscribed) || a.name.localeCompare(b.name));
  const people = [...store.users.value.values()].filter((one) => one.is_active);
  return {
    me: store.me.value,
    channels: channels.map(({ stream_id: id, name }) => ({ id, name })),
    people: people.map(({ user_id: id, full_name: name, email }) => ({ id, name, email })),
    topicsOf: (id) => {
      void learnTopics(id);
      return topicsOf(id).map((topic) => topic.name);
    },
  };
}

/** @param {string} text @param {Term[]} within */
export const suggestionsFor = (text, within) => suggest(text, known(), within);

/** How words are compared, which a reader sees before the first search. */
export const hint = () => t("search_hint");

/** @param {import("../state/search.js").Suggestion} choice */
export function labelOf({ operator, value, insert }) {
  const meaning = value === "" ? MEANINGS[/** @type {keyof typeof MEANINGS} */ (operator)] : undefined;
  return html`<bdi>${insert}</bdi>${meaning === undefined ? null : html` <span class="hint">${t(meaning)}</span>`}`;
}

/**
 * @param {string} text @param {Term[]} within
 * @returns {{ narrow: import("../state/narrow.js").Narrow, date: string | undefined, unknown: string[] }}
 */
export function narrowFor(text, within) {
  const { terms, near, date, unknown } = read(text, known());
  const isSaid = (/** @type {string} */ operator) => terms.some((term) => term.operator === operator);
  const outer = isSaid("channel") || isSaid("dm") ? [] : within.filter((term) => !isSaid(term.operator));
  return { narrow: { terms: [...outer, ...terms], ...(near === undefined ? {} : { near }) }, date, unknown };
}

/**
 * The first message of a narrow that was sent on a day of the reader's or later; without one, the last.
 * @param {Term[]} narrow @param {string} date @returns {Promise<number | undefined>}
 */
export async function messageOf(narrow, date) {
  const anchor_date = new Date(`${date}T00:00`).toISOString();
  const { messages } = await getMessages({ anchor: "date", anchor_date, num_before: 1, num_after: 1, narrow });
  return (messages.find((one) => one.timestamp * 1000 >= Date.parse(anchor_date)) ?? messages.at(-1))?.id;
}

/** The conversation that terms search, and the rest as text. @param {Term[]} terms @returns {[Term[], string]} */
export function split(terms) {
  const count = [2, 1].find((length) => conversationOf(terms.slice(0, length)) !== null) ?? 0;
  return [terms.slice(0, count), write(terms.slice(count), known())];
}
