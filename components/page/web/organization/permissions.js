// Who may do what in the organization: each permission is held by a group.

import { html } from "htm/preact";
import { RealmPermission } from "./realm-setting.js";
import { t } from "../strings/text.js";

/** @typedef {import("../strings/text.js").Key} Key */

/** @type {{ title: Key, names: [string, Key][] }[]} */
const SECTIONS = [
  {
    title: "people",
    names: [
      ["can_invite_users_group", "may_invite"],
      ["create_multiuse_invite_group", "may_invite_many"],
      ["can_access_all_users_group", "may_see_people"],
      ["can_create_api_keys_group", "may_create_keys"],
      ["can_create_bots_group", "may_create_bots"],
      ["can_create_write_only_bots_group", "may_create_hooks"],
      ["can_add_custom_emoji_group", "may_add_emoji"],
    ],
  },
  {
    title: "channels",
    names: [
      ["can_create_public_channel_group", "may_create_public"],
      ["can_create_private_channel_group", "may_create_private"],
      ["can_create_web_public_channel_group", "may_create_web"],
      ["can_add_subscribers_group", "may_subscribe_others"],
      ["can_set_topics_policy_group", "may_set_topics"],
      ["can_set_delete_message_policy_group", "may_set_deleting"],
    ],
  },
  {
    title: "groups",
    names: [
      ["can_create_groups", "may_create_groups"],
      ["can_manage_all_groups", "may_manage_groups"],
    ],
  },
  {
    title: "messages",
    names: [
      ["can_move_messages_between_topics_group", "may_move_topics"],
      ["can_move_messages_between_channels_group", "may_move_channels"],
      ["can_resolve_topics_group", "may_resolve"],
      ["can_delete_own_message_group", "may_delete_own"],
      ["can_delete_any_message_group", "may_delete_any"],
      ["can_mention_many_users_group", "may_mention_many"],
    ],
  },
  {
    title: "directs",
    names: [
      ["direct_message_permission_group", "may_write_direct"],
      ["direct_message_initiator_group", "may_begin_direct"],
    ],
  },
];

export const Permissions = () =>
  html`${SECTIONS.map(
    ({ title, names }) =>
      html`<section key=${title}>
        <h2>${t(title)}</h2>
        ${names.map(([name, key]) => html`<${RealmPermission} key=${name} name=${name} text=${t(key)} />`)}
      </section>`,
  )}`;
