// Finding people: by name or address, and in the order of who is here.

import { computed } from "@preact/signals-core";
import { serverTime } from "./presence.js";
import { presenceOf } from "./select.js";
import { store } from "./store.js";

const collator = new Intl.Collator();

/**
 * Active accounts whose name or address matches; names that begin with the words come first, bots last.
 * @param {string} words @param {readonly number[]} except @param {number} most
 */
export function findPeople(words, except, most) {
  const sought = words.trim().toLowerCase();
  if (sought === "") return [];
  const rank = (/** @type {import("../types.js").User} */ one) =>
    Number(one.is_bot) * 2 + Number(!one.full_name.toLowerCase().startsWith(sought));
  return [...store.users.value.values()]
    .filter(
      (one) =>
        one.is_active &&
        !except.includes(one.user_id) &&
        (one.full_name.toLowerCase().includes(sought) || one.email.toLowerCase().startsWith(sought)),
    )
    .sort((a, b) => rank(a) - rank(b) || collator.compare(a.full_name, b.full_name))
    .slice(0, most);
}

const ORDER = { active: 0, idle: 1, "": 2 };

/** All active people without bots; present people come first. */
export const everyone = computed(() =>
  [...store.users.value.values()]
    .filter((one) => one.is_active && !one.is_bot)
    .map(({ user_id: id, full_name: name, email }) => ({ id, name, email, here: presenceOf(id, serverTime.value) }))
    .sort((a, b) => ORDER[a.here] - ORDER[b.here] || collator.compare(a.name, b.name)),
);
