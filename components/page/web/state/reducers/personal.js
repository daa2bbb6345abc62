// Events about what an account has set for itself. Pure.

import { topicKey } from "../conversation.js";
import { unknownOp, withEntry } from "./tools.js";

/** @typedef {import("../../types.js").State} State */
/** @typedef {import("../reduce.js").Reducer} Reducer */

/** @type {Reducer} */
export const userSettings = (state, event) => ({ settings: { ...state.settings, [event.property]: event.value } });

/** @type {Reducer} */
export const userTopic = (state, event) => ({
  policies: withEntry(state.policies, topicKey(event.stream_id, event.topic_name), {
    policy: event.visibility_policy,
    name: event.topic_name,
  }),
});

/** @param {State} state @param {string} field @param {unknown} value */
const kept = (state, field, value) => ({ personal: { ...state.personal, [field]: value } });

/** Messages whose answers are kept. */
const MOST_ANSWERED = 50;

/** What an app says again about a message replaces what it has said before. @type {Reducer} */
export function appAnswer(state, { message_id, bot_id, content }) {
  const others = (state.answers.get(message_id) ?? []).filter((one) => one.bot_id !== bot_id);
  const answers = [...state.answers].filter(([id]) => id !== message_id).slice(1 - MOST_ANSWERED);
  return { answers: new Map([...answers, [message_id, [...others, { bot_id, content }]]]) };
}

/** @type {Reducer} */
export const mutedTopics = (state, event) => kept(state, "muted_topics", event.muted_topics);
/** @type {Reducer} */
export const alertWords = (state, event) => kept(state, "alert_words", event.alert_words);
/** @type {Reducer} */
export const profileFields = (state, event) => kept(state, "custom_profile_fields", event.fields);
/** @type {Reducer} */
export const onboardingSteps = (state, event) => kept(state, "onboarding_steps", event.onboarding_steps);

/**
 * A list whose events add, change and remove one at a time.
 * @param {string} field of the snapshot
 * @param {{ key: string, many?: string, one: string, gone: string }} names of the key, and of the event's fields
 * @returns {Reducer}
 */
function listed(field, { key, many, one, gone }) {
  return (state, event) => {
    /** @type {any[]} */
    const before = state.personal[field] ?? [];
    const rest = (/** @type {any[]} */ ids) => before.filter((item) => !ids.includes(item[key]));
    switch (event.op) {
      case "add": {
        /** @type {any[]} */
        const added = (many && event[many]) || [event[one]];
        return kept(state, field, [...rest(added.map((item) => item[key])), ...added]);
      }
      case "update": {
        const changed = event[one];
        return kept(
          state,
          field,
          before.map((item) => (item[key] === changed[key] ? changed : item)),
        );
      }
      case "remove":
        return kept(state, field, rest([event[gone]]));
      default:
        return unknownOp(event);
    }
  };
}

export const drafts = listed("drafts", { key: "id", many: "drafts", one: "draft", gone: "draft_id" });
export const scheduledMessages = listed("scheduled_messages", {
  key: "scheduled_message_id",
  many: "scheduled_messages",
  one: "scheduled_message",
  gone: "scheduled_message_id",
});
export const reminders = listed("reminders", {
  key: "reminder_id",
  many: "reminders",
  one: "reminder",
  gone: "reminder_id",
});
export const savedSnippets = listed("saved_snippets", { key: "id", one: "saved_snippet", gone: "saved_snippet_id" });

/** Nothing until the list has been loaded. @type {Reducer} */
export function attachment(state, { op, attachment: one, upload_space_used }) {
  if (op !== "add" && op !== "update" && op !== "remove") throw new Error(`unknown event: attachment/${op}`);
  /** @type {any[] | undefined} */
  const before = state.personal.attachments;
  if (before === undefined) return {};
  const rest = before.filter((other) => other.id !== one.id);
  const attachments = op === "remove" ? rest : [one, ...rest];
  return { personal: { ...state.personal, attachments, upload_space_used } };
}

/** @type {Reducer} */
export function navigationView(state, event) {
  /** @type {any[]} */
  const before = state.personal.navigation_views ?? [];
  switch (event.op) {
    case "add":
      return kept(state, "navigation_views", [...before, event.navigation_view]);
    case "update":
      return kept(
        state,
        "navigation_views",
        before.map((one) => (one.fragment === event.fragment ? { ...one, ...event.data } : one)),
      );
    case "remove":
      return kept(
        state,
        "navigation_views",
        before.filter((one) => one.fragment !== event.fragment),
      );
    default:
      return unknownOp(event);
  }
}
