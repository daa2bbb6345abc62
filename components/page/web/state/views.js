// The views that the sidebar lists: the built-in ones and those of one's own, as the account keeps
// them. Pure.

/** @typedef {{ fragment: string, is_pinned: boolean, name?: string | null }} Kept of navigation_views */
/** @typedef {{ fragment: string, key: import("../strings/text.js").Key, icon: import("../elements/icon.js").Name }} BuiltIn */
/** @typedef {{ fragment: string, name: string }} Own */

/** What every client has, in the order that all have. @type {readonly BuiltIn[]} */
export const BUILT_IN = [
  { fragment: "inbox", key: "inbox", icon: "inbox" },
  { fragment: "recent", key: "recent", icon: "clock" },
  { fragment: "feed", key: "feed", icon: "all" },
  { fragment: "narrow/is/mentioned", key: "mentions", icon: "at" },
  { fragment: "narrow/has/reaction/sender/me", key: "reactions_to_me", icon: "smile" },
  { fragment: "narrow/is/starred", key: "starred", icon: "star" },
  { fragment: "drafts", key: "drafts", icon: "edit" },
  { fragment: "scheduled", key: "scheduled", icon: "send" },
];

/**
 * @param {readonly Kept[]} kept
 * @returns {{ pinned: (BuiltIn | Own)[], others: (BuiltIn | Own)[] }} those that are always seen, and those behind a fold
 */
export function viewsOf(kept) {
  const ofBuiltIn = new Map(kept.map((one) => [one.fragment, one.is_pinned]));
  const isPinned = (/** @type {BuiltIn} */ { fragment }) => ofBuiltIn.get(fragment) ?? true;
  const own = kept
    .filter(({ fragment, name }) => name && !BUILT_IN.some((one) => one.fragment === fragment))
    .map(({ fragment, name, is_pinned }) => ({ fragment, name: name ?? "", is_pinned }))
    .sort((a, b) => a.name.localeCompare(b.name));
  return {
    pinned: [...BUILT_IN.filter(isPinned), ...own.filter((one) => one.is_pinned)],
    others: [...BUILT_IN.filter((one) => !isPinned(one)), ...own.filter((one) => !one.is_pinned)],
  };
}
