// Where the parts of the settings and of the organization are, and who may open them.

import { amAdministrator, amOwner, mayAddEmoji, mayCreateHooks, mayInvite } from "./rights.js";

/** @typedef {{ key: string, title: import("../strings/text.js").Key, may: () => boolean }} Part */

const always = () => true;

/** @type {readonly Part[]} */
export const SETTINGS = [
  { key: "account", title: "account", may: always },
  { key: "security", title: "security", may: always },
  { key: "profile", title: "profile", may: always },
  { key: "preferences", title: "preferences", may: always },
  { key: "notifications", title: "notifications", may: always },
  { key: "snippets", title: "snippets", may: always },
  { key: "files", title: "files", may: always },
  { key: "muted", title: "words_and_muted", may: always },
];

/** @type {readonly Part[]} */
export const ORGANIZATION = [
  { key: "profile", title: "organization_profile", may: amAdministrator },
  { key: "rules", title: "organization_rules", may: amAdministrator },
  { key: "permissions", title: "organization_permissions", may: amAdministrator },
  { key: "joining", title: "organization_joining", may: amAdministrator },
  { key: "people", title: "people", may: amAdministrator },
  { key: "bots", title: "organization_bots", may: mayCreateHooks },
  { key: "apps", title: "organization_apps", may: amAdministrator },
  { key: "invitations", title: "organization_invitations", may: mayInvite },
  { key: "emoji", title: "organization_emoji", may: () => amAdministrator() || mayAddEmoji() },
  { key: "folders", title: "organization_folders", may: amAdministrator },
  { key: "fields", title: "organization_fields", may: amAdministrator },
  { key: "links", title: "organization_links", may: amAdministrator },
  { key: "defaults", title: "organization_defaults", may: amAdministrator },
  { key: "exports", title: "organization_exports", may: amAdministrator },
  { key: "audit", title: "organization_audit", may: amOwner },
];

/** Single settings by the part that has them; a search finds these as well. @type {Record<string, import("../strings/text.js").Key[]>} */
export const WITHIN = {
  account: ["name", "email", "new_picture", "change_password", "api_keys", "sessions"],
  security: ["second_factor"],
  profile: ["time_zone"],
  preferences: [
    "colours",
    "language",
    "text_size",
    "hours",
    "home_view",
    "mark_while_reading",
    "enter_sends",
    "share_drafts",
    "count_starred",
    "show_presence",
    "show_reading",
    "views_in_sidebar",
  ],
  notifications: ["notify_desktop", "notify_sound", "notify_phone", "followed_topics"],
};
