// What each event does to the state: a table of pure reducers, one for every type of event that
// the OpenAPI document knows. An unknown one throws, and so may a reducer whose event does not fit
// the state: the caller then registers anew.

import * as channels from "./reducers/channels.js";
import * as messages from "./reducers/messages.js";
import * as organization from "./reducers/organization.js";
import * as people from "./reducers/people.js";
import * as personal from "./reducers/personal.js";

/** @typedef {import("../types.js").State} State */
/** @typedef {import("../types.js").Event} Event */
/** @typedef {(state: State, event: Event, now: number) => Partial<State>} Reducer */

/** Nothing of it is shown. @type {Reducer} */
const nothing = () => ({});

/** @type {Record<string, Reducer>} */
export const REDUCERS = {
  alert_words: personal.alertWords,
  app_answer: personal.appAnswer,
  attachment: personal.attachment,
  channel_folder: channels.channelFolder,
  custom_profile_fields: personal.profileFields,
  default_streams: channels.defaultStreams,
  delete_message: messages.deleteMessage,
  device: nothing,
  drafts: personal.drafts,
  has_zoom_token: nothing,
  heartbeat: nothing,
  invites_changed: nothing,
  message: messages.message,
  muted_topics: personal.mutedTopics,
  muted_users: people.mutedUsers,
  navigation_view: personal.navigationView,
  onboarding_steps: personal.onboardingSteps,
  presence: people.presence,
  push_device: nothing,
  reaction: messages.reaction,
  realm: organization.realm,
  realm_bot: organization.realmBot,
  realm_domains: organization.realmDomains,
  realm_emoji: organization.realmEmoji,
  realm_export: nothing,
  realm_export_consent: nothing,
  realm_linkifiers: organization.realmLinkifiers,
  realm_playgrounds: organization.realmPlaygrounds,
  realm_user: people.realmUser,
  realm_user_settings_defaults: organization.settingsDefaults,
  reminders: personal.reminders,
  restart: organization.restart,
  saved_snippets: personal.savedSnippets,
  scheduled_messages: personal.scheduledMessages,
  stream: channels.stream,
  submessage: messages.submessage,
  subscription: channels.subscription,
  typing: people.typing,
  typing_edit_message: nothing,
  update_message: messages.updateMessage,
  update_message_flags: messages.updateMessageFlags,
  user_group: people.userGroup,
  user_settings: personal.userSettings,
  user_status: people.userStatus,
  user_topic: personal.userTopic,
};

/**
 * @param {State} state @param {Event} event @param {number} now milliseconds, as Date.now()
 * @returns {State}
 * @throws {Error} when the event is unknown
 */
export function reduce(state, event, now) {
  const reducer = REDUCERS[event.type];
  if (reducer === undefined) throw new Error(`unknown event: ${event.type}`);
  return { ...state, ...reducer(state, event, now) };
}
