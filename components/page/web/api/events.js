// The event queue: the state when it begins, and the events from then on.

import { call } from "./http.js";

const CAPABILITIES = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  linkifier_url_template: true,
  user_list_incomplete: true,
  include_deactivated_groups: true,
  archived_channels: true,
  empty_topic_name: true,
  simplified_presence_events: true,
  individual_emoji_changes: true,
  app_answers: true,
};

/** Long enough for a laptop that sleeps over lunch. */
const IDLE_SECONDS = 3600;

/**
 * The whole snapshot.
 * @param {AbortSignal} signal
 * @param {Pick<import("./http.js").Options, "onBegun" | "onText">} [heard] when it has begun to arrive, the queue exists
 * @returns {Promise<Record<string, any>>}
 */
export const register = (signal, heard) =>
  call(
    "POST /register",
    {
      apply_markdown: true,
      client_gravatar: false,
      include_subscribers: "false",
      slim_presence: true,
      idle_queue_timeout: IDLE_SECONDS,
      client_capabilities: CAPABILITIES,
    },
    { signal, timeout: 60, ...heard },
  );

/**
 * Waits for events. The server answers within a minute, with a heartbeat if with nothing else; at once where
 * `dont_block` says so.
 * @param {string} queue_id @param {number} last_event_id
 * @param {{ signal: AbortSignal, dont_block?: true | undefined }} options
 * @returns {Promise<{ events: import("../types.js").Event[] }>}
 */
export const getEvents = (queue_id, last_event_id, { signal, dont_block }) =>
  call("GET /events", { queue_id, last_event_id, dont_block }, { signal, timeout: 90 });
