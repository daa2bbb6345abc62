// The names of emoji: what can be picked, and finding it.

import { computed, signal } from "@preact/signals-core";
import { getEmojiData } from "../api/files.js";
import { store } from "../state/store.js";

/** @typedef {import("./emoji.js").Emoji} Emoji */

/** Codes and their names, the canonical one first. @type {import("@preact/signals-core").Signal<[string, string[]][]>} */
const unicode = signal([]);
let asked = false;

/** Fetches the names, once. */
export async function learnNames() {
  const url = store.realm.value.server_emoji_data_url;
  if (asked || typeof url !== "string") return;
  asked = true;
  try {
    const { code_to_names } = await getEmojiData(url);
    unicode.value = Object.entries(code_to_names);
  } catch {
    asked = false;
  }
}

/** What people pick most, before anything is sought. */
const POPULAR = [
  "+1",
  "heart",
  "tada",
  "slight_smile",
  "joy",
  "eyes",
  "check",
  "octopus",
  "working_on_it",
  "rocket",
  "pray",
  "thinking",
  "clap",
  "fire",
  "100",
  "wave",
];

/** @param {string} name */
const popularity = (name) => (POPULAR.includes(name) ? POPULAR.indexOf(name) : POPULAR.length);

/** Everything that can be picked: the organization's own first. */
export const choices = computed(() => {
  const own = [...store.emoji.value.values()].filter((one) => !one.deactivated);
  /** @type {(Emoji & { names: string[] })[]} */
  const all = own.map((one) => ({
    emoji_name: one.name,
    emoji_code: one.id,
    reaction_type: "realm_emoji",
    names: [one.name],
  }));
  for (const [code, names] of unicode.value)
    all.push({ emoji_name: names[0] ?? "", emoji_code: code, reaction_type: "unicode_emoji", names });
  return all.sort((a, b) => popularity(a.emoji_name) - popularity(b.emoji_name));
});

/** @param {string} text @param {number} most */
export function find(text, most) {
  const wanted = text.trim().toLowerCase().replaceAll(" ", "_").replaceAll(":", "");
  const all = choices.value;
  if (wanted === "") return all.slice(0, most);
  /** @type {(typeof all)[]} */
  const ranks = [[], [], []];
  for (const one of all) {
    if (one.names.includes(wanted)) ranks[0]?.push(one);
    else if (one.names.some((name) => name.startsWith(wanted))) ranks[1]?.push(one);
    else if (one.names.some((name) => name.includes(wanted))) ranks[2]?.push(one);
  }
  return ranks.flat().slice(0, most);
}
