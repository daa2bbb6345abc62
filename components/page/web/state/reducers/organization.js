// Events about the organization. Pure.

import { unknownOp, withEntry } from "./tools.js";

/** @typedef {import("../reduce.js").Reducer} Reducer */

/** @type {Reducer} */
export function realm(state, event) {
  switch (event.op) {
    case "update":
      return { realm: { ...state.realm, [nameOf(event.property)]: event.value } };
    case "update_dict": {
      const changed = Object.entries(event.data).map(([name, value]) => [nameOf(name), value]);
      return { realm: { ...state.realm, ...Object.fromEntries(changed) } };
    }
    case "deactivated":
      return { realm: { ...state.realm, realm_deactivated: true } };
    default:
      return unknownOp(event);
  }
}

/** Most properties lack the prefix that the snapshot gives them. @param {string} property */
const nameOf = (property) => (/^(?:realm_|server_|max_|zulip_)/u.test(property) ? property : `realm_${property}`);

/** @type {Reducer} */
export function realmEmoji(state, event) {
  switch (event.op) {
    case "update":
      return { emoji: new Map(Object.entries(event.realm_emoji)) };
    case "add":
      return { emoji: withEntry(state.emoji, String(event.emoji.id), event.emoji) };
    case "edit":
    case "update_one": {
      const id = String(event.emoji_id);
      const before = state.emoji.get(id);
      return before === undefined ? {} : { emoji: withEntry(state.emoji, id, { ...before, ...event.data }) };
    }
    case "remove": {
      const id = String(event.emoji_id);
      const before = state.emoji.get(id);
      return before === undefined ? {} : { emoji: withEntry(state.emoji, id, { ...before, deactivated: true }) };
    }
    default:
      return unknownOp(event);
  }
}

/** @type {Reducer} */
export function restart(state, event) {
  const { server_generation, zulip_version, zulip_feature_level } = event;
  const isNew = zulip_version !== state.realm.zulip_version || zulip_feature_level !== state.realm.zulip_feature_level;
  return { realm: { ...state.realm, server_generation, is_outdated: isNew || state.realm.is_outdated } };
}

/** A list of the snapshot that its event brings whole. @param {string} field @returns {Reducer} */
const whole = (field) => (state, event) => ({ personal: { ...state.personal, [field]: event[field] } });

export const realmLinkifiers = whole("realm_linkifiers");
export const realmPlaygrounds = whole("realm_playgrounds");

/** @type {Reducer} */
export function realmDomains(state, event) {
  /** @type {any[]} */
  const before = state.personal.realm_domains ?? [];
  const name = event.op === "remove" ? event.domain : event.realm_domain.domain;
  const rest = before.filter((one) => one.domain !== name);
  if (!["add", "change", "remove"].includes(event.op ?? "")) unknownOp(event);
  const realm_domains = event.op === "remove" ? rest : [...rest, event.realm_domain];
  return { personal: { ...state.personal, realm_domains } };
}

/** @type {Reducer} */
export function realmBot(state, event) {
  /** @type {any[]} */
  const before = state.personal.realm_bots ?? [];
  const { bot, op } = event;
  const rest = before.filter((one) => one.user_id !== bot.user_id);
  if (op === "delete") return { personal: { ...state.personal, realm_bots: rest } };
  if (op !== "add" && op !== "update") unknownOp(event);
  const old = before.find((one) => one.user_id === bot.user_id);
  return { personal: { ...state.personal, realm_bots: [...rest, { ...old, ...bot }] } };
}

/** @type {Reducer} */
export const settingsDefaults = (state, event) => ({
  personal: {
    ...state.personal,
    realm_user_settings_defaults: { ...state.personal.realm_user_settings_defaults, [event.property]: event.value },
  },
});
