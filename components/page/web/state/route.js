// Where the reader is: the address behind `#`, and what it stands for.

import { computed, signal } from "@preact/signals-core";
import { address, conversationOf, parse } from "./narrow.js";
import { now, store } from "./store.js";

/** @typedef {import("./narrow.js").Narrow} Narrow */
/** @typedef {import("../types.js").Message} Message */

/**
 * @typedef {{ view: "inbox" | "recent" | "channels" | "groups" | "people" | "drafts" | "scheduled" | "missing" } | { view: "settings" | "organization", part: string } | { view: "messages", narrow: Narrow }} Route
 */

export const hash = signal(location.hash);
addEventListener("hashchange", () => (hash.value = location.hash));

/** What the address itself signs in with. */
export const signInToken = () => /^#sign-in\/([^?]+)/u.exec(hash.value)?.[1];
/** Why a sign-in with a company account has failed. */
export const signInFailure = () => /^#sign-in-failed\/(.+)$/u.exec(hash.value)?.[1];

/** An app that has opened the page to be signed in, with its random number. @typedef {{ kind: "phone" | "desktop", pad: string }} AppFlow */
/** The app that the address names, alone or behind a link that signs in. @returns {AppFlow | undefined} */
export function appFlow() {
  const alone = /^#sign-in-app\/(phone|desktop)\/([0-9a-f]{64})$/iu.exec(hash.value);
  const behind = /^#sign-in\/[^?]+\?(mobile|desktop)_flow_otp=([0-9a-f]{64})$/iu.exec(hash.value);
  const [, kind, pad] = alone ?? behind ?? [];
  return pad === undefined ? undefined : { kind: kind === "desktop" ? "desktop" : "phone", pad };
}
/** Where to go after signing in: to the app that waits, or to an address within the page. */
export function placeAfterSignIn() {
  const flow = appFlow();
  if (flow !== undefined) return `#sign-in-app/${flow.kind}/${flow.pad}`;
  return `#${/^#sign-in\/[^?]+\?next=(.*)$/u.exec(hash.value)?.[1] ?? ""}`;
}
/** What the address itself confirms an address with. */
export const addressToken = () => /^#confirm-address\/(.+)$/u.exec(hash.value)?.[1];
/** What the address itself switches mails off with. */
export const mailsToken = () => /^#unsubscribe\/(.+)$/u.exec(hash.value)?.[1];
/** What the address itself sets a password with. */
export const passwordToken = () => /^#set-password\/(.+)$/u.exec(hash.value)?.[1];

const FEED = "all_messages";
/** @type {Record<string, string>} */
const HOMES = { inbox: "inbox", recent_topics: "recent", recent: "recent", all_messages: "feed" };

const known = {
  get me() {
    return now().me;
  },
  /** @param {string} name */
  channelByName(name) {
    const wanted = name.replaceAll("-", " ").toLowerCase();
    for (const channel of now().channels.values())
      if (
        channel.name.toLowerCase() === name.toLowerCase() ||
        channel.name.replaceAll("-", " ").toLowerCase() === wanted
      )
        return channel.stream_id;
    return undefined;
  },
};

/** @param {string} text @returns {Route} */
export function routeOf(text) {
  const path = text.replace(/^#/u, "");
  const name = path === "" ? (HOMES[store.settings.value.web_home_view] ?? "inbox") : path;
  if (name === "inbox") return { view: "inbox" };
  if (name === "recent" || name === "recent_topics") return { view: "recent" };
  if (name === "feed" || name === FEED) return { view: "messages", narrow: { terms: [] } };
  if (/^(?:channels|streams)(?:\/|$)/u.test(name)) return { view: "channels" };
  if (name === "people") return { view: "people" };
  if (/^groups(?:\/|$)/u.test(name)) return { view: "groups" };
  if (name === "drafts") return { view: "drafts" };
  if (name === "scheduled" || name === "reminders") return { view: "scheduled" };
  const [first, part = ""] = name.split("/");
  if (first === "settings" || first === "organization") return { view: first, part };
  const narrow = parse(path, known);
  return narrow === null ? { view: "missing" } : { view: "messages", narrow };
}

export const route = computed(() => routeOf(hash.value));
/** The conversation on the screen, if it is one. */
export const conversation = computed(() =>
  route.value.view === "messages" ? conversationOf(route.value.narrow.terms) : null,
);

const names = {
  channelName: (/** @type {number} */ id) => now().channels.get(id)?.name,
  userName: (/** @type {number} */ id) => now().users.get(id)?.full_name,
};

/** @param {Narrow} narrow */
export const linkTo = (narrow) =>
  narrow.terms.length === 0 && narrow.near === undefined ? "#feed" : address(narrow, names);
/** @param {number} id */
export const linkToChannel = (id) => linkTo({ terms: [{ operator: "channel", operand: id }] });
/** @param {number} id @param {string} topic @param {number} [near] */
export const linkToTopic = (id, topic, near) =>
  linkTo({
    terms: [
      { operator: "channel", operand: id },
      { operator: "topic", operand: topic },
    ],
    ...(near === undefined ? {} : { near }),
  });
/** @param {number[]} people @param {number} [near] */
export const linkToPeople = (people, near) =>
  linkTo({ terms: [{ operator: "dm", operand: people }], ...(near === undefined ? {} : { near }) });
/** Messages of one's own that others have reacted to. */
export const linkToReactions = () =>
  linkTo({
    terms: [
      { operator: "has", operand: "reaction" },
      { operator: "sender", operand: now().me },
    ],
  });

/** Where a message stands. @param {Message} message @param {boolean} [isNear] */
export function linkToMessage(message, isNear = true) {
  const near = isNear ? message.id : undefined;
  if (message.type === "stream") return linkToTopic(message.stream_id ?? 0, message.subject, near);
  const people = Array.isArray(message.display_recipient) ? message.display_recipient.map((one) => one.id) : [];
  const others = people.filter((id) => id !== now().me);
  return linkToPeople(others.length > 0 ? others : [now().me], near);
}

/** @param {string} target @param {boolean} [inPlace] whether "back" skips what is shown now */
export function go(target, inPlace = false) {
  if (inPlace) {
    history.replaceState(null, "", target);
    hash.value = location.hash;
  } else location.hash = target;
}
