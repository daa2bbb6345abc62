// What a bot calls, or which embedded bot or integration it is.

import { store } from "../state/store.js";

/** @typedef {{ base_url?: string, interface?: number, token?: string, service_name?: string, config_data?: Record<string, string> }} Service */

export const INCOMING = 2;
export const OUTGOING = 3;
export const EMBEDDED = 4;

/** @param {number} id @returns {Service} */
export function serviceOf(id) {
  /** @type {{ user_id: number, services: Service[] }[]} */
  const bots = store.personal.value["realm_bots"] ?? [];
  return bots.find((bot) => bot.user_id === id)?.services?.[0] ?? {};
}
