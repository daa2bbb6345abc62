// Bots: creating, changing, a new key.

import { call } from "./http.js";

/**
 * @typedef {object} NewBot
 * @property {string} full_name
 * @property {string} short_name what its address begins with
 * @property {number} bot_type 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded
 * @property {string} [payload_url] of an outgoing webhook
 * @property {number} [interface_type] of an outgoing webhook: 1 the protocol's own, 2 Slack's
 * @property {string} [service_name] of an embedded bot, or the integration of an incoming webhook
 * @property {Record<string, string>} [config_data] of an embedded bot
 */

/** @param {NewBot} bot @returns {Promise<{ user_id: number, api_key: string }>} */
export const createBot = (bot) => call("POST", "/bots", { parameters: { ...bot } });

/**
 * @typedef {object} BotChange
 * @property {string} [full_name]
 * @property {string} [short_name]
 * @property {string} [service_payload_url] of an outgoing webhook
 * @property {number} [service_interface] of an outgoing webhook
 * @property {Record<string, string>} [config_data] of an embedded bot
 */

/** @param {number} id @param {BotChange} change */
export const updateBot = (id, change) => call("PATCH", `/bots/${id}`, { parameters: { ...change } });

/** @param {number} id @returns {Promise<{ api_key: string }>} */
export const regenerateBotApiKey = (id) => call("POST", `/bots/${id}/api_key/regenerate`);
