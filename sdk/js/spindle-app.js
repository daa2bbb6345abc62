/**
 * For apps of Spindle: events with their values, and short ways to write effects.
 *
 * docs/APPS.md explains events and effects. Names are those of the world `spindle:app` (`wit/app.wit`) in camel case.
 *
 * @typedef {{id: number, name: string, isGuest: boolean, isAdministrator: boolean}} Person
 * @typedef {{tag: "app"} | {tag: "channel" | "message" | "person", val: number}} Scope
 * @typedef {{tag: "topic", val: {channel: number, name: string}} | {tag: "direct", val: number[]}} Place
 * @typedef {{id: number, sender: Person, place: Place, content: string}} Message
 * @typedef {Record<string, string>} Values
 * @typedef {{key: string, value: string}} Entry
 *
 * @typedef {{type: "message"} & Message
 *   | {type: "command", name: string, text: string, message: Message}
 *   | {type: "reaction", messageId: number, person: Person, emoji: string, isAdded: boolean}
 *   | {type: "click", messageId: number, person: Person, button: string}
 *   | {type: "vote", messageId: number, person: Person, choice: string, isAdded: boolean}
 *   | {type: "tick", name: string}
 *   | {type: "webhook", contentType: string, query: Entry[], body: Uint8Array}
 *   | {type: "answer", id: string, status: number, body: string, failure: string | null}
 *   | {type: "effect-failed", effect: string, reason: string}} What
 *
 * @typedef {object} Event
 * @property {number} id
 * @property {number} time UNIX seconds.
 * @property {number} seed
 * @property {Scope} scope
 * @property {Person} me The account of the app.
 * @property {Values} settings
 * @property {What} what
 *
 * @typedef {{tag: string, val: unknown}} Effect
 * @typedef {Record<string, unknown>} Texts Labels of buttons by ids, values by keys, or headers by names.
 * @typedef {Record<string, number>} Ticks Times in UNIX seconds by names.
 */

/**
 * Makes a function the app: `export const handle = app((event, values) => [...])`.
 *
 * @param {(event: Event, values: Values) => Effect[]} handle
 * @returns {(event: any, values: Entry[]) => Effect[]}
 */
export const app = (handle) => (event, values) => {
  // Every call begins with the module as it was when the app was built.
  Math.random = random(event.seed);
  const what = { type: event.what.tag, ...event.what.val };
  return handle({ ...event, settings: toObject(event.settings), what }, toObject(values));
};

/** @type {Scope} */
export const APP = { tag: "app" };
/** @param {number} id @returns {Scope} */
export const channel = (id) => ({ tag: "channel", val: id });
/** @param {number} id @returns {Scope} */
export const message = (id) => ({ tag: "message", val: id });
/** @param {number} id @returns {Scope} */
export const person = (id) => ({ tag: "person", val: id });

/** @param {number} channel @param {string} name @returns {Place} */
export const topic = (channel, name) => ({ tag: "topic", val: { channel, name } });
/** @param {number[]} people @returns {Place} */
export const direct = (...people) => ({ tag: "direct", val: people });

/**
 * Answers where the event's message is; with `onlyFor`, for that person alone.
 *
 * @param {string} content
 * @param {{buttons?: Texts, onlyFor?: number, values?: Texts, ticks?: Ticks}} [options]
 * @returns {Effect}
 */
export const reply = (content, { onlyFor, ...parts } = {}) => ({
  tag: "reply",
  val: { content, onlyFor: onlyFor ?? null, ...newMessage(parts) },
});

/**
 * Sends a message to a `topic(…)`, or to people: `direct(…)`.
 *
 * @param {Place} place
 * @param {string} content
 * @param {{buttons?: Texts, values?: Texts, ticks?: Ticks}} [options]
 * @returns {Effect}
 */
export const send = (place, content, options = {}) => ({
  tag: "send",
  val: { place, content, ...newMessage(options) },
});

/**
 * Replaces the text and all buttons of a message of the app.
 *
 * @param {number} messageId
 * @param {string} content
 * @param {{buttons?: Texts}} [options]
 * @returns {Effect}
 */
export const edit = (messageId, content, { buttons = {} } = {}) => ({
  tag: "edit",
  val: { messageId, content, buttons: toButtons(buttons) },
});

/**
 * Adds a reaction, or removes it.
 *
 * @param {number} messageId
 * @param {string} emoji
 * @returns {Effect}
 */
export const react = (messageId, emoji, isAdded = true) => ({
  tag: "react",
  val: { messageId, emoji, isAdded },
});

/**
 * Keeps a value as a text; `null` removes it.
 *
 * @param {Scope} scope
 * @param {string} key
 * @param {unknown} value
 * @returns {Effect}
 */
export const store = (scope, key, value) => ({
  tag: "store",
  val: { scope, key, value: value === null ? null : String(value) },
});

/**
 * Asks for a tick at a time in UNIX seconds; `null` cancels it.
 *
 * @param {Scope} scope
 * @param {string} name
 * @param {number | null} at
 * @returns {Effect}
 */
export const schedule = (scope, name, at) => ({ tag: "schedule", val: { scope, name, at } });

/**
 * Makes a request. `bearer` names the secret that the host inserts: `Authorization: Bearer …`.
 *
 * @param {string} id
 * @param {string} url
 * @param {{method?: string, body?: string, headers?: Texts, scope?: Scope, bearer?: string}} [options]
 * @returns {Effect}
 */
export const fetch = (id, url, { method = "GET", body = "", headers = {}, scope = APP, bearer } = {}) => {
  const secret = bearer === undefined ? null : { secret: bearer, header: "Authorization", prefix: "Bearer " };
  return {
    tag: "fetch",
    val: { id, scope, method, url, headers: toEntries(headers), body, secret },
  };
};

/** Writes a line to the log of the app. @param {string} text @returns {Effect} */
export const log = (text) => ({ tag: "log", val: text });

/** SplitMix64, as in Rust. @param {number} seed */
const random = (seed) => {
  /** @param {bigint} number */
  const bits = (number) => BigInt.asUintN(64, number);
  /** @param {bigint} number @param {bigint} shift @param {bigint} factor */
  const mix = (number, shift, factor) => bits((number ^ (number >> shift)) * factor);
  let state = BigInt(seed);
  return () => {
    state = bits(state + 0x9e3779b97f4a7c15n);
    const mixed = mix(mix(state, 30n, 0xbf58476d1ce4e5b9n), 27n, 0x94d049bb133111ebn);
    return Number((mixed ^ (mixed >> 31n)) >> 11n) / 2 ** 53;
  };
};

/** @param {{buttons?: Texts, values?: Texts, ticks?: Ticks}} parts */
const newMessage = ({ buttons = {}, values = {}, ticks = {} }) => ({
  buttons: toButtons(buttons),
  values: toEntries(values),
  ticks: Object.entries(ticks).map(([name, at]) => ({ name, at })),
});

/** @param {Entry[]} entries @returns {Values} */
const toObject = (entries) => Object.fromEntries(entries.map(({ key, value }) => [key, value]));
/** @param {Texts} texts @returns {Entry[]} */
const toEntries = (texts) => Object.entries(texts).map(([key, value]) => ({ key, value: String(value) }));
/** @param {Texts} labels */
const toButtons = (labels) => Object.entries(labels).map(([id, label]) => ({ id, label: String(label) }));
