// What a program outside needs to use a bot: the address of a webhook, how its service is set up, a zuliprc file.

/**
 * An integration as the snapshot lists it.
 * @typedef {object} Integration
 * @property {string} name in the address
 * @property {string} display_name
 * @property {string} [setup] the way to the service's form, and a line for each entry; see `setupOf`
 * @property {string[] | null} all_event_types null: the service does not name its events
 * @property {{ key: string, label: string }[]} config_options kept with the bot
 * @property {{ key: string, label: string, input_type: string }[]} url_options part of the address
 * @property {Template[]} [examples] only of the integration `template`
 */
/** @typedef {{ name: string, topic_template: string, text_template: string, body: string }} Template */

/**
 * What is chosen for an address. The server does not keep it.
 * @typedef {object} Choice
 * @property {string} stream id of the channel; empty: direct messages to the owner
 * @property {string} topic empty: the integration chooses one
 * @property {Record<string, string>} options
 * @property {"" | "only_events" | "exclude_events"} filter
 * @property {readonly string[]} events that the filter names
 */

/** Stands for a key that is not known: the server keeps only hashes. */
export const BLANK = "KEY";

/** @type {Choice} */
export const NOTHING = { stream: "", topic: "", options: {}, filter: "", events: [] };

/** @param {string} site @param {string} name @param {string} key empty: unknown @param {Choice} choice */
export function webhookAddress(site, name, key, { stream, topic, options, filter, events }) {
  /** @type {[string, string][]} */
  const parameters = [
    ["api_key", key || BLANK],
    ["stream", stream],
    ["topic", stream === "" ? "" : topic.trim()],
    ...Object.entries(options),
    [filter, filter === "" ? "" : JSON.stringify(events)],
  ];
  const query = parameters
    .filter(([, value]) => value !== "")
    .map(([parameter, value]) => `${parameter}=${encodeURIComponent(value)}`);
  return `${site.replace(/\/$/u, "")}/api/v1/external/${name}?${query.join("&")}`;
}

/** The way to the form of a service, and what to enter there. @param {string} setup @param {string} address @param {string} secret */
export function setupOf(setup, address, secret) {
  const [way = "", ...entries] = setup.split("\n");
  const filled = entries.map((line) =>
    line.replace(/\b(?:ADDRESS|SECRET)\b/gu, (word) => (word === "SECRET" ? secret : address)),
  );
  return { way: way.split(" > "), entries: filled };
}

/** @param {string} email @param {string} key empty: unknown @param {string} site */
export const zuliprc = (email, key, site) => `[api]\nemail=${email}\nkey=${key || BLANK}\nsite=${site}\n`;

/** Integrations by name, of those that a text finds. @param {readonly Integration[]} all @param {string} sought */
export function findIntegrations(all, sought) {
  const words = sought.trim().toLowerCase();
  return all
    .filter(({ name, display_name }) => `${display_name} ${name}`.toLowerCase().includes(words))
    .sort((one, other) => one.display_name.localeCompare(other.display_name));
}

/**
 * Two letters and a hue (degrees) that stand for a service: a picture of our own, not its logo.
 * @param {string} display_name
 */
export function emblemOf(display_name) {
  const capitals = display_name.match(/\p{Lu}/gu) ?? [];
  const letters = capitals.length > 1 ? capitals.join("") : display_name;
  let hash = 0x811c9dc5;
  for (const letter of display_name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return { letters: letters.slice(0, 2), hue: (hash >>> 8) % 360 };
}
