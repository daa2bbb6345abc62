// The names of emoji: what can be picked, in which order, and finding it.

import { computed, signal } from "@preact/signals-core";
import { getEmojiData } from "../api/files.js";
import { store } from "../state/store.js";
import { recents } from "./emoji-recent.js";

/** @typedef {import("./emoji.js").Emoji} Emoji */
/** @typedef {Emoji & { names: string[] }} Named */

/** Codes and their names, the canonical one first. @type {import("@preact/signals-core").Signal<Map<string, string[]>>} */
const unicode = signal(new Map());
/** Codes by group. @type {import("@preact/signals-core").Signal<[string, string[]][]>} */
const order = signal([]);
let asked = false;

/** Fetches the names, once. */
export async function learnNames() {
  const url = store.realm.value.server_emoji_data_url;
  if (asked || typeof url !== "string") return;
  asked = true;
  try {
    const [{ code_to_names }, { GROUPS }] = await Promise.all([getEmojiData(url), import("./emoji-groups.js")]);
    order.value = Object.entries(GROUPS).map(([name, lines]) => [name, lines.join(" ").split(" ")]);
    unicode.value = new Map(Object.entries(code_to_names));
  } catch {
    asked = false;
  }
}

/** What people pick most, as long as one has not picked other ones. */
const POPULAR =
  "+1 heart tada slight_smile joy eyes check octopus working_on_it rocket pray thinking clap fire 100 wave smile sob heart_eyes laughing sweat_smile muscle raised_hands ok warning bug coffee cake star".split(
    " ",
  );

/** @param {Emoji} one */
const keyOf = (one) => `${one.reaction_type}:${one.emoji_code}`;

/** Those of the organization. */
const own = computed(() =>
  [...store.emoji.value.values()]
    .filter((one) => !one.deactivated)
    .map(
      /** @returns {Named} */ (one) => ({
        emoji_name: one.name,
        emoji_code: one.id,
        reaction_type: "realm_emoji",
        names: [one.name],
      }),
    ),
);

/** @param {string} code @returns {Named[]} */
function named(code) {
  const names = unicode.value.get(code);
  return names === undefined
    ? []
    : [{ emoji_name: names[0] ?? "", emoji_code: code, reaction_type: "unicode_emoji", names }];
}

/** All that can be picked, by group and in the order of Unicode; the organization's own group comes first. */
export const groups = computed(() =>
  [
    { name: "own", emoji: own.value },
    ...order.value.map(([name, codes]) => ({ name, emoji: codes.flatMap(named) })),
  ].filter((one) => one.emoji.length > 0),
);

/** The ones that are likely: picked lately, then popular. */
export const likely = computed(() => {
  /** @type {Map<string, Named>} */
  const found = new Map();
  const byKey = new Map(groups.value.flatMap(({ emoji }) => emoji.map((one) => [keyOf(one), one])));
  const byName = new Map(groups.value.flatMap(({ emoji }) => emoji.map((one) => [one.emoji_name, one])));
  for (const one of [...recents.value.map((key) => byKey.get(key)), ...POPULAR.map((name) => byName.get(name))])
    if (one !== undefined) found.set(keyOf(one), one);
  return [...found.values()];
});

/** Everything, the likely ones first. */
const choices = computed(() => [
  ...new Map([...likely.value, ...groups.value.flatMap(({ emoji }) => emoji)].map((one) => [keyOf(one), one])).values(),
]);

/**
 * How well a name fits: less is better. An alias of what is likely fits as its name does.
 * @param {string} name @param {string} wanted @param {boolean} isFirst
 */
function fit(name, wanted, isFirst) {
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return isFirst ? 1 : 2;
  if (name.includes(`_${wanted}`)) return 3;
  return name.includes(wanted) ? 4 : 5;
}

/**
 * @param {string} text @param {number} most
 * @returns {(Named & { found: string })[]} found: the name that fits
 */
export function find(text, most) {
  const wanted = text.trim().toLowerCase().replaceAll(" ", "_").replaceAll(":", "");
  const all = choices.value;
  if (wanted === "") return all.slice(0, most).map((one) => ({ ...one, found: one.emoji_name }));
  /** @type {(Named & { found: string })[][]} */
  const ranks = [[], [], [], [], []];
  for (const [at, one] of all.entries()) {
    let best = 5;
    let found = "";
    for (const [number, name] of one.names.entries()) {
      const rank = fit(name, wanted, number === 0 || at < likely.value.length);
      if (rank < best) [best, found] = [rank, name];
    }
    ranks[best]?.push({ ...one, found });
  }
  return ranks.flat().slice(0, most);
}
