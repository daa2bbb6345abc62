// Events about channels, subscriptions and folders. Pure.

import { unknownOp, withEntry, without } from "./tools.js";

/** @typedef {import("../../types.js").Channel} Channel */
/** @typedef {import("../reduce.js").Reducer} Reducer */

/** @type {Reducer} */
export function stream(state, event) {
  switch (event.op) {
    case "create": {
      const channels = new Map(state.channels);
      for (const one of event.streams)
        channels.set(one.stream_id, {
          subscribed: false,
          ...channels.get(one.stream_id),
          ...one,
          awaits_peers: one.subscriber_count > 0,
        });
      return { channels };
    }
    case "delete": {
      /** @type {number[]} */
      const ids = event.stream_ids ?? event.streams.map((/** @type {any} */ one) => one.stream_id);
      return { channels: without(state.channels, ids), topics: without(state.topics, ids) };
    }
    case "update": {
      const channel = state.channels.get(event.stream_id);
      if (channel === undefined) return {};
      const more = ["rendered_description", "history_public_to_subscribers", "is_web_public"];
      const besides = Object.fromEntries(more.filter((name) => name in event).map((name) => [name, event[name]]));
      return {
        channels: withEntry(state.channels, channel.stream_id, {
          ...channel,
          [event.property]: event.value,
          ...besides,
        }),
      };
    }
    default:
      return unknownOp(event);
  }
}

/** @type {Reducer} */
export function subscription(state, event) {
  switch (event.op) {
    case "add": {
      const channels = new Map(state.channels);
      for (const one of event.subscriptions)
        channels.set(one.stream_id, { ...channels.get(one.stream_id), ...one, subscribed: true, awaits_peers: false });
      return { channels };
    }
    case "remove": {
      const channels = new Map(state.channels);
      for (const { stream_id } of event.subscriptions) {
        const before = channels.get(stream_id);
        if (before === undefined) continue;
        const subscriber_count = Math.max(0, (before.subscriber_count ?? 1) - 1);
        channels.set(stream_id, { ...before, subscribed: false, subscriber_count });
      }
      return { channels };
    }
    case "update": {
      const channel = state.channels.get(event.stream_id);
      if (channel === undefined) return {};
      return { channels: withEntry(state.channels, channel.stream_id, { ...channel, [event.property]: event.value }) };
    }
    case "peer_add":
    case "peer_remove": {
      const by = (event.op === "peer_add" ? 1 : -1) * event.user_ids.length;
      const channels = new Map(state.channels);
      for (const id of event.stream_ids) {
        const channel = channels.get(id);
        // The first one after `create` lists the subscribers that its count holds already.
        if (channel?.awaits_peers) channels.set(id, { ...channel, awaits_peers: false });
        else if (channel?.subscriber_count !== undefined)
          channels.set(id, { ...channel, subscriber_count: Math.max(0, channel.subscriber_count + by) });
      }
      return { channels };
    }
    default:
      return unknownOp(event);
  }
}

/** @type {Reducer} */
export function channelFolder(state, event) {
  switch (event.op) {
    case "add":
      return { folders: [...state.folders.filter((one) => one.id !== event.channel_folder.id), event.channel_folder] };
    case "update":
      return {
        folders: state.folders.map((one) => (one.id === event.channel_folder_id ? { ...one, ...event.data } : one)),
      };
    case "reorder": {
      /** @type {number[]} */
      const order = event.order;
      return {
        folders: state.folders.map((one) => (order.includes(one.id) ? { ...one, order: order.indexOf(one.id) } : one)),
      };
    }
    default:
      return unknownOp(event);
  }
}

/** @type {Reducer} */
export const defaultStreams = (state, event) => ({
  personal: { ...state.personal, realm_default_streams: event.default_streams },
});
