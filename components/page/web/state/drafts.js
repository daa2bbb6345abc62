// Drafts: what is typed is kept in this browser at once, and on the server as soon as it can be
// reached. Nothing is forgotten here before the server has it.

import { computed, effect, signal } from "@preact/signals-core";
import { createDrafts, deleteDraft, editDraft } from "../api/drafts.js";
import { ApiError } from "../api/http.js";
import { allDrafts, asSent, deedOf, recipientOfKey } from "./draft-list.js";
import { status } from "./link.js";
import { drafts as draftEvent } from "./reducers/personal.js";
import { now, patch, store } from "./store.js";

/** @typedef {import("./draft-list.js").Typed} Typed */
/** @typedef {import("./draft-list.js").Draft} Draft */
/** @typedef {import("./draft-list.js").Stored} Stored */

/** Milliseconds without a key until a draft is sent, and until it is sent again after a failure. */
const PAUSE = 1200;
const AGAIN = 15_000;
/** Milliseconds for which a text is left to the tab where it was typed. */
const LEASE = 30_000;
const MOST_SENT = 50;

const tab = crypto.getRandomValues(new Uint32Array(2)).join(".");
/** @type {import("@preact/signals-core").Signal<Typed[]>} */
const typed = signal([]);
/** Texts that this tab has sent, without blanks at their ends. @type {Set<string>} */
const sent = new Set();

const place = () => `spindle-typed-${now().me}`;
/** @param {Typed} one */
const isOwn = (one) => one.by === tab;

/** @param {string | null} kept @returns {Typed[]} */
function parsed(kept) {
  try {
    return JSON.parse(kept ?? "[]");
  } catch {
    return [];
  }
}

function read() {
  try {
    return parsed(localStorage.getItem(place()));
  } catch {
    return [];
  }
}

const known = () => typed.peek();

/** What an earlier version has kept here, as texts by conversation. @returns {Typed[]} */
function formerly() {
  const name = `spindle-drafts-${now().me}`;
  try {
    /** @type {[string, string][]} */
    const texts = Object.entries(JSON.parse(localStorage.getItem(name) ?? "{}"));
    localStorage.removeItem(name);
    const rest = { at: Math.floor(Date.now() / 1000), id: 0, base: "", by: tab, until: 0 };
    return texts.map(([key, text]) => ({ uid: `old-${key}`, key, to: recipientOfKey(key), text, ...rest }));
  } catch {
    return [];
  }
}

/** @param {Typed[]} next */
function keep(next) {
  typed.value = next;
  const own = next.filter(isOwn);
  const others = read().filter((one) => !isOwn(one) && !own.some((mine) => mine.uid === one.uid));
  try {
    const all = [...others, ...own];
    if (all.length > 0) localStorage.setItem(place(), JSON.stringify(all));
    else localStorage.removeItem(place());
  } catch {
    // Full or forbidden: it lives as long as the page, and on the server.
  }
}

/** @param {string} uid @param {Typed | null} next null: it is done */
function put(uid, next) {
  const rest = known().filter((one) => one.uid !== uid);
  keep(next === null ? rest : [...rest, next]);
}

globalThis.addEventListener?.("storage", (event) => {
  if (event.key !== place()) return;
  // Read the value of this event, not the storage: it shows that a text was sent only until the server knows.
  const others = parsed(event.newValue).filter((one) => !isOwn(one));
  const isTaken = (/** @type {Typed} */ one) => others.some((other) => other.uid === one.uid);
  typed.value = [...known().filter((one) => isOwn(one) && !isTaken(one)), ...others];
});

/** Drafts that this tab has deleted: an event of before may still come. @type {Set<number>} */
const gone = new Set();

/** @returns {Stored[]} */
const stored = () => (store.personal.value["drafts"] ?? []).filter((/** @type {Stored} */ one) => !gone.has(one.id));

/** All drafts, the latest first. */
export const drafts = computed(() => allDrafts(stored(), typed.value, sent, store.me.value));

/** How many there are; it stays the same while one types. */
export const draftCount = computed(() => drafts.value.length);

/** The one that is shown in a conversation. @param {string} key @returns {Draft | undefined} */
export const draftIn = (key) => drafts.peek().find((one) => one.key === key);

/** Whether something was typed that the server does not have. @param {string} uid */
export const isUnsent = (uid) => known().some((one) => one.uid === uid);
/** The same, in this tab. @param {string} uid */
export const isTypedHere = (uid) => known().some((one) => one.uid === uid && isOwn(one));
/** What another tab of this browser has made of a draft since. @param {string} uid @param {number} id of the draft on the server; 0: none */
export const typedElsewhere = (uid, id) =>
  typed.value.find((one) => !isOwn(one) && one.isHeld !== true && (one.uid === uid || (id !== 0 && one.id === id)));
/** Whether this tab has sent a text. @param {string} text */
export const wasSent = (text) => sent.has(text.trim());

/** What a text here stands for on the server. @type {Map<string, { id: number, base: string }>} */
const links = new Map();
/** @param {string} uid */
export const linkOf = (uid) => links.get(uid);
/** @param {string} uid @param {{ id: number, base: string }} link */
export const linkDraft = (uid, link) => links.set(uid, link);

let last = 0;
/** A name for a text that is about to be typed. */
export const newUid = () => `${tab}-${(last += 1)}`;

/**
 * Keeps what was typed.
 * @param {Pick<Typed, "uid" | "key" | "to" | "text" | "isHeld">} words
 * @returns {string} its uid: another one when the text was taken over by another tab
 */
export function keepDraft({ uid, key, to, text, isHeld = false }) {
  const before = known().find((one) => one.uid === uid);
  const link = links.get(uid);
  if (before === undefined && link === undefined && text.trim() === "") return uid;
  // Sending a text, or deleting it, ends it in the tab where it was typed as well.
  const isTaken = before !== undefined && !isOwn(before) && before.until > Date.now() && text.trim() !== "";
  const name = isTaken ? newUid() : uid;
  const { id, base } = (isTaken ? undefined : (before ?? link)) ?? { id: 0, base: "" };
  const times = { at: Math.floor(Date.now() / 1000), until: Date.now() + LEASE };
  put(name, { uid: name, key, to, text, id, base, by: tab, ...times, ...(isHeld ? { isHeld } : {}) });
  sendSoon(PAUSE);
  return name;
}

/** Forgets what is kept here, and nothing on the server. @param {string} uid */
export const dropTyped = (uid) => put(uid, null);

/** @param {Draft} draft */
export function removeDraft({ uid, key, to, id, text }) {
  if (!isUnsent(uid)) links.set(uid, { id, base: text });
  keepDraft({ uid, key, to, text: "" });
  return sendNow();
}

/** A text that was taken away is a draft again. @param {Pick<Draft, "key" | "to" | "text">} draft */
export function restoreDraft({ key, to, text }) {
  keepDraft({ uid: newUid(), key, to, text });
  return sendNow();
}

let timer = 0;
/** @param {number} pause milliseconds */
function sendSoon(pause) {
  clearTimeout(timer);
  timer = setTimeout(() => void sendNow(), pause);
}

let isBusy = false;

/** Brings the server up to date, as far as it can be reached. */
export async function sendNow() {
  if (isBusy || status.peek().kind !== "live") return;
  if (now().settings["enable_drafts_synchronization"] === false) return;
  isBusy = true;
  /** Milliseconds until more is to be sent. */
  const pauses = [];
  try {
    for (const { uid } of known()) pauses.push(await push(uid));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    pauses.push(AGAIN);
  } finally {
    isBusy = false;
  }
  const next = pauses.filter((pause) => pause > 0);
  if (next.length > 0) sendSoon(Math.min(...next));
}

/** @param {string} uid @returns {Promise<number>} milliseconds until more of it is to be sent; 0: nothing is */
async function push(uid) {
  const one = known().find((other) => other.uid === uid);
  if (one === undefined || one.refused !== undefined || (isOwn(one) && one.isHeld)) return 0;
  if (!isOwn(one) && one.until > Date.now()) return LEASE;
  // The server would cut it off.
  if ([...one.text].length > (now().realm["max_message_length"] ?? 10_000)) return 0;
  const mine = { ...one, by: tab, until: Date.now() + LEASE, isHeld: false };
  if (!isOwn(one)) put(one.uid, mine);
  try {
    return done(mine, await send(mine));
  } catch (error) {
    if (!(error instanceof ApiError) || error.isPassing || error.status === 401) throw error;
    links.delete(one.uid);
    // Another device has deleted it; or the server does not take it.
    if (error.status === 404) put(one.uid, one.text.trim() === "" ? null : { ...mine, id: 0, base: "" });
    else put(one.uid, { ...mine, refused: error.message });
    return error.status === 404 ? PAUSE : 0;
  }
}

/** @param {Typed} one @returns {Promise<number>} its id on the server; 0: it is not there */
async function send(one) {
  const draft = asSent(one);
  const deed = deedOf(one, now().personal["drafts"] ?? [], sent);
  sent.add(one.text.trim());
  if (sent.size > MOST_SENT) sent.delete(/** @type {string} */ (sent.values().next().value));
  const show = (/** @type {Record<string, unknown>} */ event) =>
    patch(draftEvent(now(), { type: "drafts", id: -1, ...event }, Date.now()));
  if (deed === "create") {
    const id = (await createDrafts([draft])).ids[0] ?? 0;
    show({ op: "add", drafts: [{ ...draft, id }] });
    return id;
  }
  if (deed === "replace") {
    await editDraft(one.id, draft);
    show({ op: "update", draft: { ...draft, id: one.id } });
  } else if (deed === "delete") {
    await deleteDraft(one.id);
    gone.add(one.id);
    show({ op: "remove", draft_id: one.id });
    return 0;
  }
  return one.text.trim() === "" ? 0 : one.id;
}

/** The server has it; what was typed since waits. @param {Typed} one @param {number} id */
function done(one, id) {
  const still = known().find((other) => other.uid === one.uid);
  const link = { id, base: one.text };
  if (id === 0) links.delete(one.uid);
  else links.set(one.uid, link);
  const isMore =
    still !== undefined && (still.text !== one.text || JSON.stringify(still.to) !== JSON.stringify(one.to));
  put(one.uid, isMore ? { ...still, ...link } : null);
  return isMore ? PAUSE : 0;
}

// As soon as the server is there again.
effect(() => {
  if (status.value.kind === "live") sendSoon(PAUSE);
});

// What is kept of this account, when it is known; that of a tab which is gone is a draft now.
effect(() => {
  if (store.me.value === 0) return;
  const before = read().map((one) => (one.until <= Date.now() ? { ...one, isHeld: false } : one));
  keep([...before, ...formerly()]);
});

// The next page need not wait for this one.
globalThis.addEventListener?.("pagehide", () => keep(known().map((one) => (isOwn(one) ? { ...one, until: 0 } : one))));
