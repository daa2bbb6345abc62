// Bots: creating, changing, a new key, the preview of a template.

import { call } from "./http.js";

/** @typedef {import("./http.js").Parameters<"POST /bots">} NewBot */
/** @typedef {import("./http.js").Answer<"POST /bots">} CreatedBot */
/** @typedef {Omit<import("./http.js").Parameters<"PATCH /bots/{bot_id}">, "bot_id">} BotChange */

/** @param {NewBot} bot */
export const createBot = (bot) => call("POST /bots", bot);

/** @param {number} bot_id @param {BotChange} change */
export const updateBot = (bot_id, change) => call("PATCH /bots/{bot_id}", { ...change, bot_id });

/** @param {number} bot_id */
export const regenerateBotApiKey = (bot_id) => call("POST /bots/{bot_id}/api_key/regenerate", { bot_id });

/** @param {import("./http.js").Parameters<"POST /bots/template_preview">} draft */
export const previewTemplate = (draft) => call("POST /bots/template_preview", draft);
