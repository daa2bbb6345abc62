// What an app may do, as the form of its rights shows and sends it. Pure.

/** @typedef {import("../api/apps.js").App} App */
/** @typedef {import("../api/apps.js").Rights} Rights */
/** @typedef {"events" | "commands" | "hosts"} Field */
/** @typedef {{ field: Field, name: string, about: string, isChosen: boolean, isNew: boolean }} Line about: what the app says of it */

/** @param {readonly string[]} names @param {string} name */
const has = (names, name) => names.includes(name);

/** Stands for every public host. */
export const ANY_HOST = "*";

/** Granted with the commands themselves. */
const COMMAND = "command";

/**
 * What an app asks for, one by one. Everything is chosen until rights were granted; what an update asks for in
 * addition is not.
 * @param {App} app
 * @returns {Line[]}
 */
export function linesOf({ manifest, rights, missing_rights }) {
  const line = (/** @type {Field} */ field, /** @type {string} */ name, about = "") => ({
    field,
    name,
    about,
    isChosen: rights === null || has(rights[field], name),
    isNew: rights !== null && has(missing_rights[field], name),
  });
  return [
    ...manifest.commands.map(({ name, description }) => line("commands", name, description)),
    ...manifest.events.filter((name) => name !== COMMAND).map((name) => line("events", name)),
    ...manifest.hosts.map((name) => line("hosts", name)),
  ];
}

/** Hosts that were granted in place of any host. @param {App} app */
export const ownHostsOf = ({ manifest, rights }) => (rights?.hosts ?? []).filter((name) => !has(manifest.hosts, name));

/** The granted hosts. Those that are written in the field stand in place of any host. @param {string[]} chosen @param {string} written */
function hostsOf(chosen, written) {
  const own = written.split(/[\s,]+/).filter((name) => name !== "");
  return own.length === 0 ? chosen : [...new Set([...chosen.filter((name) => name !== ANY_HOST), ...own])];
}

/**
 * The rights that a form says.
 * @param {App} app @param {(field: Field) => string[]} chosen names of lines
 * @param {number[] | null} channels null: all that its account can read
 * @param {string} ownHosts names of hosts in place of any host
 * @returns {Rights}
 */
export function rightsOf({ manifest }, chosen, channels, ownHosts = "") {
  const commands = chosen("commands");
  const events = manifest.events.filter((name) =>
    name === COMMAND ? commands.length > 0 : chosen("events").includes(name),
  );
  return {
    events: /** @type {Rights["events"]} */ (events),
    commands,
    hosts: hostsOf(chosen("hosts"), ownHosts),
    channels,
  };
}

/** Whether it waits for rights that an update asks for. @param {App} app */
export const asksForMore = (app) => app.rights !== null && linesOf(app).some((line) => line.isNew);

/** The channels that it may act in; null: all that its account can read. @param {App} app @returns {number[] | null} */
export function channelsOf({ manifest, rights }) {
  if (rights?.channels) return rights.channels;
  return manifest.channels === "all" ? null : [];
}

/**
 * The values of the settings form. An emptied field is sent as null, which restores the default of the manifest.
 * @param {App} app @param {(name: string) => string | null} entered null: a switch that is off
 * @returns {Record<string, string | null>}
 */
export function settingsOf({ manifest }, entered) {
  /** @type {Record<string, string | null>} */
  const values = {};
  for (const { name, kind } of manifest.settings) {
    const value = entered(name);
    if (kind === "switch") values[name] = String(value !== null);
    else values[name] = kind === "text" || value !== "" ? value : null;
  }
  return values;
}

/**
 * Commands that running apps answer, as a new registration lists them.
 * @param {readonly App[]} apps
 * @returns {{ name: string, description: string, app_title: string }[]}
 */
export const commandsOf = (apps) =>
  apps
    .filter((app) => app.state === "active")
    .flatMap(({ title, manifest, rights }) =>
      manifest.commands
        .filter(({ name }) => rights !== null && has(rights.commands, name))
        .map(({ name, description }) => ({ name, description, app_title: title })),
    );
