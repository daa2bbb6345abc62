// The operations of the API and their objects. Generated from the OpenAPI document (crates/openapi) by
// `SPINDLE_WRITE=1 cargo xtask test operations_of_the_web_client`; a test fails when it is not current.

export interface Operations {
  /** Confirm a new address */
  "POST /address_confirmations": {
    parameters: { token: string };
    answer: {};
  };
  /** The caller's API keys */
  "GET /api_keys": {
    parameters: {};
    answer: { api_keys: ApiKey[] };
  };
  /** Make an API key */
  "POST /api_keys": {
    parameters: { ends?: null | number; name: string; scope: "administer" | "everything" | "read" | "send" };
    answer: { api_key: string; key_id: Id };
  };
  /** End one of the caller's API keys */
  "DELETE /api_keys/{key_id}": {
    parameters: { key_id: Id };
    answer: {};
  };
  /** List the apps */
  "GET /apps": {
    parameters: {};
    answer: { apps: App[] };
  };
  /** Install an app */
  "POST /apps": {
    parameters: {};
    answer: { app: App };
  };
  /** Remove an app */
  "DELETE /apps/{app_id}": {
    parameters: { app_id: Id };
    answer: { deleted: { events: number; schedules: number; values: number } };
  };
  /** Change an app */
  "PATCH /apps/{app_id}": {
    parameters: {
    app_id: Id;
    is_paused?: boolean;
    rights?: GrantedRights;
    secrets?: Record<string, null | string>;
    settings?: Record<string, boolean | null | number | string>;
  };
    answer: { app: App };
  };
  /** Update an app */
  "PUT /apps/{app_id}/component": {
    parameters: { app_id: Id };
    answer: { app: App };
  };
  /** The log of an app */
  "GET /apps/{app_id}/log": {
    parameters: { app_id: Id };
    answer: { log: { text: string; time: Timestamp }[] };
  };
  /** The caller's uploaded files */
  "GET /attachments": {
    parameters: {};
    answer: { attachments: Attachment[]; upload_space_used: number };
  };
  /** Delete one of the caller's uploaded files */
  "DELETE /attachments/{attachment_id}": {
    parameters: { attachment_id: Id };
    answer: {};
  };
  /** Who has changed what */
  "GET /audit_log": {
    parameters: {
    acting_user_id?: number;
    before?: number;
    event_types?: string[];
    limit?: number;
    modified_user_id?: number;
    since?: number;
    until?: number;
    user_id?: number;
  };
    answer: {
    audit_log: ({
    acting: "operator" | "server" | "user";
    acting_user_id: null | number;
    data: Record<string, any>;
    event_type: string;
    id: Id;
    modified_user_id: null | number;
    time: Timestamp;
  })[];
    found_oldest: boolean;
  };
  };
  /** Forget entries */
  "DELETE /bot_storage": {
    parameters: { keys?: string[] };
    answer: {};
  };
  /** What the caller keeps */
  "GET /bot_storage": {
    parameters: { keys?: string[] };
    answer: { storage: Record<string, string> };
  };
  /** Keep entries */
  "PUT /bot_storage": {
    parameters: { storage: Record<string, string> };
    answer: {};
  };
  /** The caller's active bots */
  "GET /bots": {
    parameters: {};
    answer: {
    bots: {
    avatar_url: string;
    default_all_public_streams: boolean;
    default_events_register_stream: NullableString;
    default_sending_stream: NullableString;
    full_name: string;
    user_id: Id;
    username: string;
  }[];
  };
  };
  /** Create a bot */
  "POST /bots": {
    parameters: {
    bot_type?: number;
    config_data?: Record<string, string>;
    default_all_public_streams?: boolean;
    default_events_register_stream?: string;
    default_sending_stream?: string;
    full_name: string;
    interface_type?: number;
    payload_url?: string;
    service_name?: string;
    short_name: string;
  };
    answer: {
    api_key: string;
    avatar_url: string;
    default_all_public_streams: boolean;
    default_events_register_stream: NullableString;
    default_sending_stream: NullableString;
    full_name: string;
    user_id: Id;
  };
  };
  /** What templates would make of a delivery */
  "POST /bots/template_preview": {
    parameters: { body: string; headers?: Record<string, string>; text_template: string; topic_template?: string };
    answer: { content: string; rendered: string; topic: string };
  };
  /** Deactivate a bot */
  "DELETE /bots/{bot_id}": {
    parameters: { bot_id: Id };
    answer: {};
  };
  /** Change a bot */
  "PATCH /bots/{bot_id}": {
    parameters: {
    bot_id: Id;
    bot_owner_id?: number;
    config_data?: Record<string, string>;
    default_all_public_streams?: boolean;
    default_events_register_stream?: string;
    default_sending_stream?: string;
    full_name?: string;
    role?: Role;
    service_interface?: number;
    service_payload_url?: string;
    short_name?: string;
  };
    answer: {
    avatar_url: string;
    default_all_public_streams: boolean;
    default_events_register_stream: NullableString;
    default_sending_stream: NullableString;
    full_name: string;
  };
  };
  /** Refused; only hashes of keys are kept */
  "GET /bots/{bot_id}/api_key": {
    parameters: { bot_id: Id };
    answer: {};
  };
  /** Replace the keys of a bot */
  "POST /bots/{bot_id}/api_key/regenerate": {
    parameters: { bot_id: Id };
    answer: { api_key: string };
  };
  /** The channel folders by their order */
  "GET /channel_folders": {
    parameters: { include_archived?: boolean };
    answer: { channel_folders: ChannelFolder[] };
  };
  /** Put the channel folders in another order */
  "PATCH /channel_folders": {
    parameters: { order: number[] };
    answer: {};
  };
  /** Create a channel folder */
  "POST /channel_folders/create": {
    parameters: { description: string; name: string };
    answer: { channel_folder_id: Id };
  };
  /** Rename, describe, archive or take back a channel folder */
  "PATCH /channel_folders/{channel_folder_id}": {
    parameters: { channel_folder_id: Id; description?: string; is_archived?: boolean; name?: string };
    answer: {};
  };
  /** Create a channel */
  "POST /channels/create": {
    parameters: {
    announce?: boolean;
    can_add_subscribers_group?: GroupSettingValue;
    can_administer_channel_group?: GroupSettingValue;
    can_create_topic_group?: GroupSettingValue;
    can_delete_any_message_group?: GroupSettingValue;
    can_delete_own_message_group?: GroupSettingValue;
    can_move_messages_out_of_channel_group?: GroupSettingValue;
    can_move_messages_within_channel_group?: GroupSettingValue;
    can_remove_subscribers_group?: GroupSettingValue;
    can_resolve_topics_group?: GroupSettingValue;
    can_send_message_group?: GroupSettingValue;
    can_subscribe_group?: GroupSettingValue;
    description?: string;
    folder_id?: NullableId;
    history_public_to_subscribers?: boolean;
    invite_only?: boolean;
    is_default_stream?: boolean;
    is_web_public?: boolean;
    message_retention_days?: "realm_default" | "unlimited" | number;
    name: string;
    send_new_subscription_messages?: boolean;
    subscribers: Ids;
    topics_policy?: TopicsPolicy;
  };
    answer: { id: Id };
  };
  /** Make a channel one that new users no longer join */
  "DELETE /default_streams": {
    parameters: { stream_id: Id };
    answer: {};
  };
  /** Make a channel one that new users join */
  "POST /default_streams": {
    parameters: { stream_id: Id };
    answer: {};
  };
  /** The caller's drafts, the one edited first coming first */
  "GET /drafts": {
    parameters: {};
    answer: { count: number; drafts: Draft[] };
  };
  /** Store unfinished texts */
  "POST /drafts": {
    parameters: { drafts?: DraftInput[] };
    answer: { ids: Id[] };
  };
  /** Delete a draft of the caller */
  "DELETE /drafts/{draft_id}": {
    parameters: { draft_id: number };
    answer: {};
  };
  /** Put another draft in the place of one of the caller */
  "PATCH /drafts/{draft_id}": {
    parameters: { draft_id: number; draft: DraftInput };
    answer: {};
  };
  /** Delete an event queue */
  "DELETE /events": {
    parameters: { queue_id: string };
    answer: {};
  };
  /** Wait for events of a queue */
  "GET /events": {
    parameters: {
    dont_block?: boolean;
    event_types?: Strings;
    idle_queue_timeout?: "mobile" | number;
    last_event_id?: LastEventId;
    narrow?: NarrowTerm[];
    queue_id?: string;
  };
    answer: { events: Event[]; queue_id: string };
  };
  /** All exports that were asked for */
  "GET /export/realm": {
    parameters: {};
    answer: { exports: RealmExport[] };
  };
  /** Ask for an export of the organization's data */
  "POST /export/realm": {
    parameters: { export_type?: "full_with_consent" | "full_without_consent" | "public" };
    answer: { id: Id };
  };
  /** Who agrees to the export of their private data */
  "GET /export/realm/consents": {
    parameters: {};
    answer: { export_consents: { consented: boolean; email_address_visibility: number; user_id: Id }[] };
  };
  /** Delete the archive of an export */
  "DELETE /export/realm/{export_id}": {
    parameters: { export_id: number };
    answer: {};
  };
  /** Check the address of an incoming webhook */
  "GET /external/{integration}": {
    parameters: { api_key: string; integration: IntegrationName };
    answer: {};
  };
  /** Receive a call of another service for an incoming webhook bot */
  "POST /external/{integration}": {
    parameters: {
    api_key: string;
    branches?: string;
    exclude_events?: string[];
    integration: IntegrationName;
    only_events?: string[];
    stream?: string;
    topic?: string;
  };
    answer: {};
  };
  /** Exchange a password for an API key */
  "POST /fetch_api_key": {
    parameters: { password: string; second_factor?: string; username: string };
    answer: { api_key: string; email: string; user_id: Id };
  };
  /** The id of a channel */
  "GET /get_stream_id": {
    parameters: { stream: string };
    answer: { stream_id: Id };
  };
  /** The company accounts with which the caller signs in */
  "GET /identities": {
    parameters: {};
    answer: {
    identities: { created: number; display_name: string; id: Id; last_used: number; provider: string }[];
  };
  };
  /** No longer sign in with a company account */
  "DELETE /identities/{identity_id}": {
    parameters: { identity_id: Id };
    answer: {};
  };
  /** The open invitations */
  "GET /invites": {
    parameters: {};
    answer: { invites: Invitation[] };
  };
  /** Invite people by their addresses */
  "POST /invites": {
    parameters: {
    group_ids?: number[];
    include_realm_default_subscriptions?: boolean;
    invite_as?: number;
    invite_expires_in_minutes?: null | number;
    invitee_emails: string;
    notify_referrer_on_join?: boolean;
    stream_ids?: number[];
    welcome_message_custom_text?: string;
  };
    answer: { invitations: { email: string; id: number; link_url: InvitationLink }[] };
  };
  /** Preview an invitation before joining */
  "GET /invites/join": {
    parameters: { "Spindle-Invitation"?: string; key?: string };
    answer: { email: NullableString; invited_by: NullableString; realm_name: string };
  };
  /** Join the organization */
  "POST /invites/join": {
    parameters: { email?: string; full_name: string; key?: string; password: string };
    answer: { api_key: string; email: string; user_id: Id };
  };
  /** Create a reusable invitation link */
  "POST /invites/multiuse": {
    parameters: {
    group_ids?: number[];
    include_realm_default_subscriptions?: boolean;
    invite_as?: number;
    invite_expires_in_minutes?: null | number;
    stream_ids?: number[];
    welcome_message_custom_text?: string;
  };
    answer: { invite_link: InvitationLink };
  };
  /** Revoke a reusable invitation link */
  "DELETE /invites/multiuse/{invite_id}": {
    parameters: { invite_id: number };
    answer: {};
  };
  /** Revoke the invitation of an address */
  "DELETE /invites/{invite_id}": {
    parameters: { invite_id: number };
    answer: {};
  };
  /** Renew the invitation of an address */
  "POST /invites/{invite_id}/resend": {
    parameters: { invite_id: number };
    answer: {};
  };
  /** Mark everything as read */
  "POST /mark_all_as_read": {
    parameters: {};
    answer: { complete: boolean };
  };
  /** Mark a channel as read */
  "POST /mark_stream_as_read": {
    parameters: { stream_id: number };
    answer: {};
  };
  /** Mark a topic as read */
  "POST /mark_topic_as_read": {
    parameters: { stream_id: number; topic_name: string };
    answer: {};
  };
  /** Messages around an anchor */
  "GET /messages": {
    parameters: {
    allow_empty_topic_name?: boolean;
    anchor?: "date" | "first_unread" | "newest" | "oldest" | number;
    anchor_date?: string;
    apply_markdown?: boolean;
    client_gravatar?: boolean;
    include_anchor?: boolean;
    message_ids?: Ids;
    narrow?: NarrowTerm[];
    num_after?: number;
    num_before?: number;
  };
    answer: {
    anchor: number;
    found_anchor: boolean;
    found_newest: boolean;
    found_oldest: boolean;
    history_limited: boolean;
    messages: FetchedMessage[];
  } | { history_limited: boolean; messages: FetchedMessage[] };
  };
  /** Send a message */
  "POST /messages": {
    parameters: {
    content: string;
    local_id?: string;
    queue_id?: string;
    read_by_sender?: boolean;
    to?: string;
    topic?: string;
    type: "channel" | "direct" | "private" | "stream";
  };
    answer: { automatic_new_visibility_policy?: number; id: Id };
  };
  /** Mark messages */
  "POST /messages/flags": {
    parameters: { flag: EditableMessageFlag; messages: GivenIds; op: "add" | "remove" };
    answer: { ignored_because_not_subscribed_channels: Ids; messages: GivenIds };
  };
  /** Mark the messages of a narrow around an anchor */
  "POST /messages/flags/narrow": {
    parameters: {
    anchor: "date" | "first_unread" | "newest" | "oldest" | number;
    anchor_date?: string;
    flag: EditableMessageFlag;
    include_anchor?: boolean;
    narrow?: NarrowTerm[];
    num_after: number;
    num_before: number;
    op: "add" | "remove";
  };
    answer: {
    first_processed_id: NullableId;
    found_newest: boolean;
    found_oldest: boolean;
    ignored_because_not_subscribed_channels: Ids;
    last_processed_id: NullableId;
    processed_count: number;
    updated_count: number;
  };
  };
  /** Which of some messages a narrow is about */
  "GET /messages/matches_narrow": {
    parameters: { msg_ids: Ids; narrow: NarrowTerm[] };
    answer: { messages: Record<string, NarrowMatch> };
  };
  /** What a content would look like */
  "POST /messages/render": {
    parameters: { content: string };
    answer: { rendered: string };
  };
  /** Delete a message for good */
  "DELETE /messages/{message_id}": {
    parameters: { message_id: Id };
    answer: {};
  };
  /** One message */
  "GET /messages/{message_id}": {
    parameters: { allow_empty_topic_name?: boolean; apply_markdown?: boolean; message_id: Id };
    answer: { message: FetchedMessage; raw_content: string };
  };
  /** Edit or move a message */
  "PATCH /messages/{message_id}": {
    parameters: {
    message_id: Id;
    content?: string;
    prev_content_sha256?: string;
    propagate_mode?: "change_all" | "change_later" | "change_one";
    send_notification_to_new_thread?: boolean;
    send_notification_to_old_thread?: boolean;
    stream_id?: number;
    topic?: string;
  };
    answer: { detached_uploads: Attachment[] };
  };
  /** Click a button of an app's message */
  "POST /messages/{message_id}/click": {
    parameters: { message_id: Id; button: string };
    answer: {};
  };
  /** The states of a message, oldest first */
  "GET /messages/{message_id}/history": {
    parameters: { allow_empty_topic_name?: boolean; message_id: Id };
    answer: { is_incomplete?: true; message_history: HistoryState[] };
  };
  /** Take an emoji off a message */
  "DELETE /messages/{message_id}/reactions": {
    parameters: { message_id: Id; emoji_code?: string; emoji_name?: string; reaction_type?: ReactionType };
    answer: {};
  };
  /** Put an emoji on a message */
  "POST /messages/{message_id}/reactions": {
    parameters: { message_id: Id; emoji_code?: string; emoji_name: string; reaction_type?: ReactionType };
    answer: {};
  };
  /** Who has read a message */
  "GET /messages/{message_id}/read_receipts": {
    parameters: { message_id: Id };
    answer: { user_ids: Ids };
  };
  /** Report a message to those who moderate */
  "POST /messages/{message_id}/report": {
    parameters: {
    message_id: Id;
    description?: string;
    report_type: "harassment" | "inappropriate" | "norms" | "other" | "spam";
  };
    answer: {};
  };
  /** Notify the others that the caller is editing a message, or has stopped */
  "POST /messages/{message_id}/typing": {
    parameters: { message_id: Id; op: "start" | "stop" };
    answer: {};
  };
  /** Send a notification to the caller's phones to see whether they are reached */
  "POST /mobile_push/e2ee/test_notification": {
    parameters: { device_id?: number; push_account_id?: number };
    answer: {};
  };
  /** Register a device for push notifications */
  "POST /mobile_push/register": {
    parameters: {
    bouncer_public_key?: string;
    device_id?: number;
    encrypted_push_registration?: string;
    push_account_id?: number;
    push_key?: string;
    push_key_id?: number;
    token_id?: string;
    token_kind?: "apns" | "fcm";
  };
    answer: {};
  };
  /** Send a notification that is not encrypted */
  "POST /mobile_push/test_notification": {
    parameters: { token?: string };
    answer: {};
  };
  /** The caller's navigation views */
  "GET /navigation_views": {
    parameters: {};
    answer: { navigation_views: NavigationView[] };
  };
  /** Add a navigation view */
  "POST /navigation_views": {
    parameters: { fragment: string; is_pinned: boolean; name?: string };
    answer: {};
  };
  /** Remove a navigation view of the caller */
  "DELETE /navigation_views/{fragment}": {
    parameters: { fragment: string };
    answer: {};
  };
  /** Pin, unpin or rename a navigation view of the caller */
  "PATCH /navigation_views/{fragment}": {
    parameters: { fragment: string; is_pinned?: boolean; name?: string };
    answer: {};
  };
  /** This document */
  "GET /openapi.json": {
    parameters: {};
    answer: { components: {}; info: {}; openapi: string; paths: {}; servers: any[] };
  };
  /** Ask for an answer of a passkey */
  "POST /passkey_challenges": {
    parameters: {};
    answer: { options: Record<string, any>; state: string };
  };
  /** Set a new password with a link */
  "POST /password_links/use": {
    parameters: { new_password: string; second_factor?: string; token: string };
    answer: { user_id: Id };
  };
  /** Ask for a mail with a link that sets a new password */
  "POST /password_resets": {
    parameters: { email: string };
    answer: {};
  };
  /** Change settings and permissions of the organization */
  "PATCH /realm": {
    parameters: {
    allow_message_editing?: boolean;
    authentication_methods?: Record<string, boolean>;
    avatar_changes_disabled?: boolean;
    can_access_all_users_group?: GroupSettingUpdate;
    can_add_custom_emoji_group?: GroupSettingUpdate;
    can_add_subscribers_group?: GroupSettingUpdate;
    can_create_api_keys_group?: GroupSettingUpdate;
    can_create_bots_group?: GroupSettingUpdate;
    can_create_groups?: GroupSettingUpdate;
    can_create_private_channel_group?: GroupSettingUpdate;
    can_create_public_channel_group?: GroupSettingUpdate;
    can_create_web_public_channel_group?: GroupSettingUpdate;
    can_create_write_only_bots_group?: GroupSettingUpdate;
    can_delete_any_message_group?: GroupSettingUpdate;
    can_delete_own_message_group?: GroupSettingUpdate;
    can_invite_users_group?: GroupSettingUpdate;
    can_manage_all_groups?: GroupSettingUpdate;
    can_manage_billing_group?: GroupSettingUpdate;
    can_mention_many_users_group?: GroupSettingUpdate;
    can_move_messages_between_channels_group?: GroupSettingUpdate;
    can_move_messages_between_topics_group?: GroupSettingUpdate;
    can_resolve_topics_group?: GroupSettingUpdate;
    can_set_delete_message_policy_group?: GroupSettingUpdate;
    can_set_topics_policy_group?: GroupSettingUpdate;
    can_summarize_topics_group?: GroupSettingUpdate;
    create_multiuse_invite_group?: GroupSettingUpdate;
    default_avatar_source?: "G" | "J";
    default_code_block_language?: string;
    default_language?: "ar" | "be" | "bg" | "bn" | "bqi" | "ca" | "cs" | "cy" | "da" | "de" | "el" | "en" | "en-gb" | "eo" | "es" | "eu" | "fa" | "fi" | "fr" | "gl" | "gu" | "he" | "hi" | "hr" | "hu" | "id" | "it" | "ja" | "ka" | "ko" | "lt" | "lv" | "ml" | "mn" | "nb" | "nl" | "pl" | "pt" | "pt-br" | "ro" | "ru" | "si" | "sk" | "sl" | "sr" | "sv" | "ta" | "th" | "tl" | "tr" | "uk" | "ur" | "uz" | "vi" | "zh-hans" | "zh-hant" | "zh-tw";
    description?: string;
    digest_emails_enabled?: boolean;
    digest_weekday?: number;
    direct_message_initiator_group?: GroupSettingUpdate;
    direct_message_permission_group?: GroupSettingUpdate;
    disallow_disposable_email_addresses?: boolean;
    email_changes_disabled?: boolean;
    emails_restricted_to_domains?: boolean;
    enable_guest_user_dm_warning?: boolean;
    enable_guest_user_indicator?: boolean;
    enable_read_receipts?: boolean;
    enable_spectator_access?: boolean;
    gif_rating_policy?: number;
    inline_image_preview?: boolean;
    inline_url_embed_preview?: boolean;
    invite_required?: boolean;
    jitsi_server_url?: null | string;
    media_preview_size?: number;
    message_content_allowed_in_email_notifications?: boolean;
    message_content_delete_limit_seconds?: null | number | string;
    message_content_edit_limit_seconds?: null | number | string;
    message_edit_history_visibility_policy?: "all" | "moves" | "none";
    message_retention_days?: number | string;
    moderation_request_channel_id?: number | string;
    move_messages_between_streams_limit_seconds?: null | number | string;
    move_messages_within_stream_limit_seconds?: null | number | string;
    name?: string;
    name_changes_disabled?: boolean;
    new_stream_announcements_stream_id?: number | string;
    org_type?: number;
    owner_full_content_access?: boolean;
    presence_disabled?: boolean;
    require_e2ee_push_notifications?: boolean;
    require_unique_names?: boolean;
    second_factor_required_for?: "administrators" | "everyone" | "members" | "nobody";
    send_channel_events_messages?: boolean;
    send_welcome_emails?: boolean;
    session_days?: number;
    signup_announcements_stream_id?: number | string;
    topics_policy?: "allow_empty_topic" | "disable_empty_topic";
    video_chat_provider?: number;
    waiting_period_threshold?: number;
    want_advertise_in_communities_directory?: boolean;
    welcome_message_custom_text?: string;
    workplace_users_group?: GroupSettingUpdate;
    zulip_update_announcements_stream_id?: number | string;
  };
    answer: {};
  };
  /** Deactivate the organization */
  "POST /realm/deactivate": {
    parameters: {};
    answer: {};
  };
  /** List the domains that addresses may have */
  "GET /realm/domains": {
    parameters: {};
    answer: { domains: RealmDomain[] };
  };
  /** Let addresses have a domain */
  "POST /realm/domains": {
    parameters: { allow_subdomains: boolean; domain: string };
    answer: { new_domain: [Id, string] };
  };
  /** Take a domain from the list */
  "DELETE /realm/domains/{domain}": {
    parameters: { domain: string };
    answer: {};
  };
  /** Let subdomains of a domain count, or not */
  "PATCH /realm/domains/{domain}": {
    parameters: { domain: string; allow_subdomains: boolean };
    answer: {};
  };
  /** All custom emoji, deactivated ones included */
  "GET /realm/emoji": {
    parameters: {};
    answer: { emoji: RealmEmojiTable };
  };
  /** Deactivate a custom emoji */
  "DELETE /realm/emoji/{emoji_name}": {
    parameters: { emoji_name: string };
    answer: {};
  };
  /** Add a custom emoji */
  "POST /realm/emoji/{emoji_name}": {
    parameters: { emoji_name: string };
    answer: {};
  };
  /** Add a linkifier */
  "POST /realm/filters": {
    parameters: {
    alternative_url_templates?: string[];
    example_input?: string;
    pattern: string;
    reverse_template?: string;
    url_template: string;
  };
    answer: { id: Id };
  };
  /** Remove a linkifier */
  "DELETE /realm/filters/{filter_id}": {
    parameters: { filter_id: number };
    answer: {};
  };
  /** Change a linkifier */
  "PATCH /realm/filters/{filter_id}": {
    parameters: {
    filter_id: number;
    alternative_url_templates?: string[];
    example_input?: string;
    pattern?: string;
    reverse_template?: string;
    url_template?: string;
  };
    answer: {};
  };
  /** Remove the organization's icon */
  "DELETE /realm/icon": {
    parameters: {};
    answer: { icon_url: string };
  };
  /** Set the organization's icon */
  "POST /realm/icon": {
    parameters: {};
    answer: { icon_url: string };
  };
  /** List the linkifiers in their order */
  "GET /realm/linkifiers": {
    parameters: {};
    answer: { linkifiers: Linkifier[] };
  };
  /** Order the linkifiers */
  "PATCH /realm/linkifiers": {
    parameters: { ordered_linkifier_ids: Id[] };
    answer: {};
  };
  /** Remove a logo of the organization */
  "DELETE /realm/logo": {
    parameters: { night: boolean };
    answer: {};
  };
  /** Set a logo of the organization */
  "POST /realm/logo": {
    parameters: { night: boolean };
    answer: {};
  };
  /** Add a playground that opens code of messages */
  "POST /realm/playgrounds": {
    parameters: { name: string; pygments_language: string; url_template: string };
    answer: { id: Id };
  };
  /** Remove a playground */
  "DELETE /realm/playgrounds/{playground_id}": {
    parameters: { playground_id: number };
    answer: {};
  };
  /** Who is there, in the legacy form */
  "GET /realm/presence": {
    parameters: {};
    answer: { presences: Presences; server_timestamp: number };
  };
  /** The custom profile fields in their order */
  "GET /realm/profile_fields": {
    parameters: {};
    answer: { custom_fields: CustomProfileField[] };
  };
  /** Put the custom profile fields in order */
  "PATCH /realm/profile_fields": {
    parameters: { order: number[] };
    answer: {};
  };
  /** Create a custom profile field */
  "POST /realm/profile_fields": {
    parameters: {
    display_in_profile_summary?: boolean;
    editable_by_user?: boolean;
    field_data?: ProfileFieldData;
    field_type: number;
    hint?: string;
    name?: string;
    required?: boolean;
    use_for_user_matching?: boolean;
  };
    answer: { id: Id };
  };
  /** Delete a custom profile field with all its values */
  "DELETE /realm/profile_fields/{field_id}": {
    parameters: { field_id: Id };
    answer: {};
  };
  /** Change a custom profile field */
  "PATCH /realm/profile_fields/{field_id}": {
    parameters: {
    field_id: Id;
    display_in_profile_summary?: boolean;
    editable_by_user?: boolean;
    field_data?: ProfileFieldData;
    hint?: string;
    name?: string;
    required?: boolean;
    use_for_user_matching?: boolean;
  };
    answer: {};
  };
  /** Try out a welcome message */
  "POST /realm/test_welcome_bot_custom_message": {
    parameters: { welcome_message_custom_text: string };
    answer: { message_id: Id };
  };
  /** Change the settings that new people start with */
  "PATCH /realm/user_settings_defaults": {
    parameters: {
    automatically_follow_topics_policy?: number;
    automatically_follow_topics_where_mentioned?: boolean;
    automatically_unmute_topics_in_muted_streams_policy?: number;
    color_scheme?: number;
    default_language?: "ar" | "be" | "bg" | "bn" | "bqi" | "ca" | "cs" | "cy" | "da" | "de" | "el" | "en" | "en-gb" | "eo" | "es" | "eu" | "fa" | "fi" | "fr" | "gl" | "gu" | "he" | "hi" | "hr" | "hu" | "id" | "it" | "ja" | "ka" | "ko" | "lt" | "lv" | "ml" | "mn" | "nb" | "nl" | "pl" | "pt" | "pt-br" | "ro" | "ru" | "si" | "sk" | "sl" | "sr" | "sv" | "ta" | "th" | "tl" | "tr" | "uk" | "ur" | "uz" | "vi" | "zh-hans" | "zh-hant" | "zh-tw";
    demote_inactive_streams?: number;
    desktop_icon_count_display?: number;
    display_emoji_reaction_users?: boolean;
    email_address_visibility?: number;
    email_notifications_batching_period_seconds?: number;
    emojiset?: "google" | "google-blob" | "text" | "twitter";
    enable_desktop_notifications?: boolean;
    enable_digest_emails?: boolean;
    enable_drafts_synchronization?: boolean;
    enable_followed_topic_audible_notifications?: boolean;
    enable_followed_topic_desktop_notifications?: boolean;
    enable_followed_topic_email_notifications?: boolean;
    enable_followed_topic_push_notifications?: boolean;
    enable_followed_topic_wildcard_mentions_notify?: boolean;
    enable_login_emails?: boolean;
    enable_marketing_emails?: boolean;
    enable_offline_email_notifications?: boolean;
    enable_offline_push_notifications?: boolean;
    enable_online_push_notifications?: boolean;
    enable_sounds?: boolean;
    enable_stream_audible_notifications?: boolean;
    enable_stream_desktop_notifications?: boolean;
    enable_stream_email_notifications?: boolean;
    enable_stream_push_notifications?: boolean;
    enter_sends?: boolean;
    fluid_layout_width?: boolean;
    hide_ai_features?: boolean;
    high_contrast_mode?: boolean;
    left_side_userlist?: boolean;
    message_content_in_email_notifications?: boolean;
    notification_sound?: "ding" | "none" | "zulip";
    pm_content_in_desktop_notifications?: boolean;
    presence_enabled?: boolean;
    realm_name_in_email_notifications_policy?: number;
    receives_typing_notifications?: boolean;
    resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never";
    send_private_typing_notifications?: boolean;
    send_read_receipts?: boolean;
    send_stream_typing_notifications?: boolean;
    starred_message_counts?: boolean;
    translate_emoticons?: boolean;
    twenty_four_hour_time?: boolean | null;
    user_list_style?: number;
    web_animate_image_previews?: "always" | "never" | "on_hover";
    web_channel_default_view?: number;
    web_escape_navigates_to_home_view?: boolean;
    web_font_size_px?: number;
    web_home_view?: "all_messages" | "inbox" | "recent";
    web_inbox_show_channel_folders?: boolean;
    web_left_sidebar_show_channel_folders?: boolean;
    web_left_sidebar_unreads_count_summary?: boolean;
    web_line_height_percent?: number;
    web_mark_read_on_scroll_policy?: number;
    web_navigate_to_sent_message?: boolean;
    web_stream_unreads_count_display_policy?: number;
    web_suggest_update_timezone?: boolean;
    wildcard_mentions_notify?: boolean;
  };
    answer: {};
  };
  /** Register an event queue and fetch a snapshot */
  "POST /register": {
    parameters: {
    all_public_streams?: boolean;
    apply_markdown?: boolean;
    client_capabilities?: Record<string, boolean>;
    client_gravatar?: boolean | null;
    event_types?: Strings;
    fetch_event_types?: Strings;
    idle_queue_timeout?: "mobile" | number;
    include_subscribers?: "false" | "partial" | "true";
    narrow?: NarrowTerm[];
    presence_history_limit_days?: number;
    slim_presence?: boolean;
  };
    answer: {
    alert_words?: Strings;
    allow_private_data_export?: boolean;
    automatically_follow_topics_policy?: number;
    automatically_follow_topics_where_mentioned?: boolean;
    automatically_unmute_topics_in_muted_streams_policy?: number;
    available_notification_sounds?: Strings;
    avatar_source?: "G" | "J" | "U";
    avatar_url?: NullableString;
    avatar_url_medium?: NullableString;
    can_create_private_streams?: boolean;
    can_create_public_streams?: boolean;
    can_create_streams?: boolean;
    can_create_web_public_streams?: boolean;
    can_invite_others_to_realm?: boolean;
    channel_folders?: ChannelFolder[];
    color_scheme?: number;
    cross_realm_bots?: SystemBot[];
    custom_profile_field_types?: Record<string, IntegerOption>;
    custom_profile_fields?: CustomProfileField[];
    default_language?: "ar" | "be" | "bg" | "bn" | "bqi" | "ca" | "cs" | "cy" | "da" | "de" | "el" | "en" | "en-gb" | "eo" | "es" | "eu" | "fa" | "fi" | "fr" | "gl" | "gu" | "he" | "hi" | "hr" | "hu" | "id" | "it" | "ja" | "ka" | "ko" | "lt" | "lv" | "ml" | "mn" | "nb" | "nl" | "pl" | "pt" | "pt-br" | "ro" | "ru" | "si" | "sk" | "sl" | "sr" | "sv" | "ta" | "th" | "tl" | "tr" | "uk" | "ur" | "uz" | "vi" | "zh-hans" | "zh-hant" | "zh-tw";
    delivery_email?: string;
    demote_inactive_streams?: number;
    desktop_icon_count_display?: number;
    development_environment?: boolean;
    devices?: Record<string, {
    pending_push_token_id: NullableString;
    push_key_id: NullableInteger;
    push_registration_error_code: NullableString;
    push_token_id: NullableString;
    push_token_last_updated_timestamp: NullableTimestamp;
  }>;
    display_emoji_reaction_users?: boolean;
    drafts?: Draft[];
    email?: string;
    email_address_visibility?: number;
    email_notifications_batching_period_seconds?: number;
    emojiset?: "google" | "google-blob" | "text" | "twitter";
    emojiset_choices?: { key: string; text: string }[];
    enable_desktop_notifications?: boolean;
    enable_digest_emails?: boolean;
    enable_drafts_synchronization?: boolean;
    enable_followed_topic_audible_notifications?: boolean;
    enable_followed_topic_desktop_notifications?: boolean;
    enable_followed_topic_email_notifications?: boolean;
    enable_followed_topic_push_notifications?: boolean;
    enable_followed_topic_wildcard_mentions_notify?: boolean;
    enable_login_emails?: boolean;
    enable_marketing_emails?: boolean;
    enable_offline_email_notifications?: boolean;
    enable_offline_push_notifications?: boolean;
    enable_online_push_notifications?: boolean;
    enable_sounds?: boolean;
    enable_stream_audible_notifications?: boolean;
    enable_stream_desktop_notifications?: boolean;
    enable_stream_email_notifications?: boolean;
    enable_stream_push_notifications?: boolean;
    enter_sends?: boolean;
    event_queue_longpoll_timeout_seconds?: number;
    fluid_layout_width?: boolean;
    full_name?: string;
    gif_rating_policy_options?: Record<string, IntegerOption>;
    giphy_api_key?: string;
    has_webex_token?: boolean;
    has_zoom_token?: boolean;
    hide_ai_features?: boolean;
    high_contrast_mode?: boolean;
    idle_queue_timeout_secs: number;
    is_admin?: boolean;
    is_guest?: boolean;
    is_moderator?: boolean;
    is_owner?: boolean;
    jitsi_server_url?: NullableString;
    klipy_api_key?: string;
    last_event_id: LastEventId;
    left_side_userlist?: boolean;
    max_avatar_file_size_mib?: number;
    max_bulk_new_subscription_messages?: number;
    max_channel_folder_description_length?: 1024;
    max_channel_folder_name_length?: 60;
    max_file_upload_size_mib?: number;
    max_icon_file_size_mib?: number;
    max_logo_file_size_mib?: number;
    max_message_id?: number;
    max_message_length?: 10000;
    max_reminder_note_length?: 500;
    max_stream_description_length?: 1024;
    max_stream_name_length?: 60;
    max_topic_length?: 60;
    message_content_in_email_notifications?: boolean;
    muted_topics?: MutedTopics;
    muted_users?: MutedUsers;
    navigation_tour_video_url?: NullableString;
    navigation_views?: NavigationView[];
    never_subscribed?: NeverSubscribedChannel[];
    notification_sound?: "ding" | "none" | "zulip";
    onboarding_steps?: { name: string; type: "one_time_notice" }[];
    password_max_length?: number;
    password_min_guesses?: number;
    password_min_length?: number;
    pm_content_in_desktop_notifications?: boolean;
    presence_enabled?: boolean;
    presence_last_update_id?: number;
    presences?: Presences;
    push_devices?: Record<string, { error_code?: NullableString; status: "active" | "failed" | "pending" }>;
    queue_id: null | string;
    realm_allow_edit_history?: boolean;
    realm_allow_message_editing?: boolean;
    realm_app_commands?: { app_title: string; description: string; name: string }[];
    realm_authentication_methods?: Record<string, { available: boolean; enabled: boolean; unavailable_reason?: string }>;
    realm_available_video_chat_providers?: Record<string, IntegerOption>;
    realm_avatar_changes_disabled?: boolean;
    realm_billing?: { has_pending_sponsorship_request: boolean };
    realm_bot_domain?: string;
    realm_bots?: Bot[];
    realm_can_access_all_users_group?: GroupSettingValue;
    realm_can_add_custom_emoji_group?: GroupSettingValue;
    realm_can_add_subscribers_group?: GroupSettingValue;
    realm_can_create_api_keys_group?: GroupSettingValue;
    realm_can_create_bots_group?: GroupSettingValue;
    realm_can_create_groups?: GroupSettingValue;
    realm_can_create_private_channel_group?: GroupSettingValue;
    realm_can_create_public_channel_group?: GroupSettingValue;
    realm_can_create_web_public_channel_group?: GroupSettingValue;
    realm_can_create_write_only_bots_group?: GroupSettingValue;
    realm_can_delete_any_message_group?: GroupSettingValue;
    realm_can_delete_own_message_group?: GroupSettingValue;
    realm_can_invite_users_group?: GroupSettingValue;
    realm_can_manage_all_groups?: GroupSettingValue;
    realm_can_manage_billing_group?: GroupSettingValue;
    realm_can_mention_many_users_group?: GroupSettingValue;
    realm_can_move_messages_between_channels_group?: GroupSettingValue;
    realm_can_move_messages_between_topics_group?: GroupSettingValue;
    realm_can_resolve_topics_group?: GroupSettingValue;
    realm_can_set_delete_message_policy_group?: GroupSettingValue;
    realm_can_set_topics_policy_group?: GroupSettingValue;
    realm_can_summarize_topics_group?: GroupSettingValue;
    realm_create_multiuse_invite_group?: GroupSettingValue;
    realm_create_private_stream_policy?: number;
    realm_create_public_stream_policy?: number;
    realm_create_web_public_stream_policy?: number;
    realm_date_created?: Timestamp;
    realm_default_avatar_source?: "G" | "J";
    realm_default_code_block_language?: string;
    realm_default_external_accounts?: Record<string, { hint: string; name: string; text: string; url_pattern: string }>;
    realm_default_language?: "ar" | "be" | "bg" | "bn" | "bqi" | "ca" | "cs" | "cy" | "da" | "de" | "el" | "en" | "en-gb" | "eo" | "es" | "eu" | "fa" | "fi" | "fr" | "gl" | "gu" | "he" | "hi" | "hr" | "hu" | "id" | "it" | "ja" | "ka" | "ko" | "lt" | "lv" | "ml" | "mn" | "nb" | "nl" | "pl" | "pt" | "pt-br" | "ro" | "ru" | "si" | "sk" | "sl" | "sr" | "sv" | "ta" | "th" | "tl" | "tr" | "uk" | "ur" | "uz" | "vi" | "zh-hans" | "zh-hant" | "zh-tw";
    realm_default_stream_groups?: { description: string; id: Id; name: string; streams: Ids }[];
    realm_default_streams?: Ids;
    realm_description?: string;
    realm_digest_emails_enabled?: boolean;
    realm_digest_weekday?: number;
    realm_direct_message_initiator_group?: GroupSettingValue;
    realm_direct_message_permission_group?: GroupSettingValue;
    realm_disallow_disposable_email_addresses?: boolean;
    realm_domains?: RealmDomain[];
    realm_email_auth_enabled?: boolean;
    realm_email_changes_disabled?: boolean;
    realm_emails_restricted_to_domains?: boolean;
    realm_embedded_bots?: { config: Record<string, string>; name: string }[];
    realm_emoji?: RealmEmojiTable;
    realm_empty_topic_display_name?: string;
    realm_enable_guest_user_dm_warning?: boolean;
    realm_enable_guest_user_indicator?: boolean;
    realm_enable_read_receipts?: boolean;
    realm_enable_spectator_access?: boolean;
    realm_filters?: any[];
    realm_gif_rating_policy?: number;
    realm_icon_source?: "G" | "U";
    realm_icon_url?: string;
    realm_incoming_webhook_bots?: ({
    all_event_types: Strings | null;
    config_options: { key: string; label: string; validator: string }[];
    display_name: string;
    examples: { body: string; name: string; text_template: string; topic_template: string }[];
    name: string;
    setup: string;
    url_options: { input_type: string; key: string; label: string }[];
  })[];
    realm_inline_image_preview?: boolean;
    realm_inline_url_embed_preview?: boolean;
    realm_invite_required?: boolean;
    realm_jitsi_server_url?: null | string;
    realm_linkifiers?: Linkifier[];
    realm_logo_source?: "D" | "U";
    realm_logo_url?: string;
    realm_mandatory_topics?: boolean;
    realm_media_preview_size?: number;
    realm_message_content_allowed_in_email_notifications?: boolean;
    realm_message_content_delete_limit_seconds?: null | number;
    realm_message_content_edit_limit_seconds?: null | number;
    realm_message_edit_history_visibility_policy?: "all" | "moves" | "none";
    realm_message_retention_days?: number;
    realm_moderation_request_channel_id?: number;
    realm_move_messages_between_streams_limit_seconds?: null | number;
    realm_move_messages_within_stream_limit_seconds?: null | number;
    realm_name?: string;
    realm_name_changes_disabled?: boolean;
    realm_name_in_email_notifications_policy?: number;
    realm_new_stream_announcements_stream_id?: number;
    realm_night_logo_source?: "D" | "U";
    realm_night_logo_url?: string;
    realm_non_active_users?: RegisterUser[];
    realm_org_type?: number;
    realm_owner_full_content_access?: boolean;
    realm_password_auth_enabled?: boolean;
    realm_plan_type?: number;
    realm_playgrounds?: RealmPlayground[];
    realm_presence_disabled?: boolean;
    realm_push_notifications_enabled?: boolean;
    realm_push_notifications_enabled_end_timestamp?: NullableTimestamp;
    realm_require_e2ee_push_notifications?: boolean;
    realm_require_unique_names?: boolean;
    realm_second_factor_required_for?: "administrators" | "everyone" | "members" | "nobody";
    realm_send_channel_events_messages?: boolean;
    realm_send_welcome_emails?: boolean;
    realm_session_days?: number;
    realm_signup_announcements_stream_id?: number;
    realm_topics_policy?: "allow_empty_topic" | "disable_empty_topic";
    realm_upload_quota_mib?: NullableInteger;
    realm_uri?: string;
    realm_url?: string;
    realm_user_groups?: UserGroup[];
    realm_user_settings_defaults?: RealmUserSettingsDefaults;
    realm_users?: RegisterUser[];
    realm_uuid?: string;
    realm_video_chat_provider?: number;
    realm_waiting_period_threshold?: number;
    realm_want_advertise_in_communities_directory?: boolean;
    realm_welcome_message_custom_text?: string;
    realm_wildcard_mention_policy?: number;
    realm_workplace_users_group?: GroupSettingValue;
    realm_zulip_update_announcements_stream_id?: number;
    receives_typing_notifications?: boolean;
    recent_private_conversations?: { max_message_id: Id; user_ids: Ids }[];
    reminders?: Reminder[];
    resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never";
    saved_snippets?: SavedSnippet[];
    scheduled_messages?: ScheduledMessage[];
    send_private_typing_notifications?: boolean;
    send_read_receipts?: boolean;
    send_stream_typing_notifications?: boolean;
    server_avatar_changes_disabled?: boolean;
    server_can_summarize_topics?: boolean;
    server_emoji_data_url?: string;
    server_generation?: number;
    server_inline_image_preview?: boolean;
    server_inline_url_embed_preview?: boolean;
    server_jitsi_server_url?: NullableString;
    server_max_deactivated_realm_deletion_days?: NullableInteger;
    server_min_deactivated_realm_deletion_days?: NullableInteger;
    server_name_changes_disabled?: boolean;
    server_needs_upgrade?: boolean;
    server_presence_offline_threshold_seconds?: number;
    server_presence_ping_interval_seconds?: number;
    server_report_message_types?: { key: string; name: string }[];
    server_supported_permission_settings?: { group: PermissionSettingTable; realm: PermissionSettingTable; stream: PermissionSettingTable };
    server_thumbnail_formats?: { animated: boolean; format: string; max_height: number; max_width: number; name: string }[];
    server_timestamp?: number;
    server_typing_started_expiry_period_milliseconds?: number;
    server_typing_started_wait_period_milliseconds?: number;
    server_typing_stopped_wait_period_milliseconds?: number;
    server_web_public_streams_enabled?: boolean;
    service_feature_level: 496;
    settings_send_digest_emails?: boolean;
    starred_message_counts?: boolean;
    starred_messages?: Ids;
    stop_words?: Strings;
    streams?: Channel[];
    subscriptions?: Subscription[];
    tenor_api_key?: string;
    timezone?: string;
    translate_emoticons?: boolean;
    twenty_four_hour_time?: boolean | null;
    unread_msgs?: UnreadMessages;
    unsubscribed?: Subscription[];
    upgrade_text_for_wide_organization_logo?: NullableString;
    user_id?: null | number;
    user_list_style?: number;
    user_settings?: UserSettings;
    user_status?: Record<string, UserStatus>;
    user_topics?: { last_updated: Timestamp; stream_id: Id; topic_name: string; visibility_policy: number }[];
    web_animate_image_previews?: "always" | "never" | "on_hover";
    web_channel_default_view?: number;
    web_escape_navigates_to_home_view?: boolean;
    web_font_size_px?: number;
    web_home_view?: "all_messages" | "inbox" | "recent";
    web_inbox_show_channel_folders?: boolean;
    web_left_sidebar_show_channel_folders?: boolean;
    web_left_sidebar_unreads_count_summary?: boolean;
    web_line_height_percent?: number;
    web_mark_read_on_scroll_policy?: number;
    web_navigate_to_sent_message?: boolean;
    web_stream_unreads_count_display_policy?: number;
    web_suggest_update_timezone?: boolean;
    wildcard_mentions_notify?: boolean;
    zulip_feature_level: 496;
    zulip_merge_base: string;
    zulip_plan_is_not_limited?: boolean;
    zulip_version: string;
  };
  };
  /** Register a device that the caller is logged in on */
  "POST /register_client_device": {
    parameters: {};
    answer: { device_id: Id };
  };
  /** The caller's reminders, the next one first */
  "GET /reminders": {
    parameters: {};
    answer: { reminders: Reminder[] };
  };
  /** Let the notification bot come back to a message */
  "POST /reminders": {
    parameters: { message_id: number; note?: string; scheduled_delivery_timestamp: number };
    answer: { reminder_id: Id };
  };
  /** Delete a reminder of the caller */
  "DELETE /reminders/{reminder_id}": {
    parameters: { reminder_id: number };
    answer: {};
  };
  /** Forget a device of the caller */
  "POST /remove_client_device": {
    parameters: { device_id: number };
    answer: {};
  };
  /** The caller's saved snippets */
  "GET /saved_snippets": {
    parameters: {};
    answer: { saved_snippets: SavedSnippet[] };
  };
  /** Save a snippet */
  "POST /saved_snippets": {
    parameters: { content: string; title: string };
    answer: { saved_snippet_id: Id };
  };
  /** Delete a saved snippet of the caller */
  "DELETE /saved_snippets/{saved_snippet_id}": {
    parameters: { saved_snippet_id: number };
    answer: {};
  };
  /** Change a saved snippet of the caller */
  "PATCH /saved_snippets/{saved_snippet_id}": {
    parameters: { saved_snippet_id: number; content?: string; title?: string };
    answer: {};
  };
  /** The caller's messages that wait for their time, failed ones included */
  "GET /scheduled_messages": {
    parameters: {};
    answer: { scheduled_messages: ScheduledMessage[] };
  };
  /** Let a message be sent later */
  "POST /scheduled_messages": {
    parameters: {
    content: string;
    read_by_sender?: boolean;
    scheduled_delivery_timestamp: number;
    to: Ids | number;
    topic?: string;
    type: "channel" | "direct" | "private" | "stream";
  };
    answer: { scheduled_message_id: Id };
  };
  /** Delete a message of the caller that was not sent yet */
  "DELETE /scheduled_messages/{scheduled_message_id}": {
    parameters: { scheduled_message_id: number };
    answer: {};
  };
  /** Change a message of the caller that was not sent yet */
  "PATCH /scheduled_messages/{scheduled_message_id}": {
    parameters: {
    scheduled_message_id: number;
    content?: string;
    scheduled_delivery_timestamp?: number;
    to?: Ids | number;
    topic?: string;
    type?: "channel" | "direct" | "private" | "stream";
  };
    answer: {};
  };
  /** The caller's second factor */
  "GET /second_factor": {
    parameters: {};
    answer: {
    can_have_passkeys: boolean;
    has_password: boolean;
    is_required: boolean;
    passkeys: Passkey[];
    recovery_codes_left: number;
    totp_since: Timestamp | null;
  };
  };
  /** Begin to make a passkey */
  "POST /second_factor/passkeys": {
    parameters: { password?: string };
    answer: { options: Record<string, any>; state: string };
  };
  /** Store a passkey */
  "POST /second_factor/passkeys/confirm": {
    parameters: { credential: string; name: string; state: string };
    answer: { id: Id; recovery_codes: string[] };
  };
  /** Remove a passkey */
  "DELETE /second_factor/passkeys/{passkey_id}": {
    parameters: { passkey_id: Id; code: string };
    answer: {};
  };
  /** Make new recovery codes */
  "POST /second_factor/recovery_codes": {
    parameters: { code: string };
    answer: { recovery_codes: string[] };
  };
  /** Remove codes of an app */
  "DELETE /second_factor/totp": {
    parameters: { code: string };
    answer: {};
  };
  /** Begin to set up codes of an app */
  "POST /second_factor/totp": {
    parameters: { password?: string };
    answer: { otpauth_url: string; qr_path: string; qr_size: number; secret: string };
  };
  /** Confirm codes of an app */
  "POST /second_factor/totp/confirm": {
    parameters: { code: string };
    answer: { recovery_codes: string[] };
  };
  /** What the server is doing, in numbers */
  "GET /server_figures": {
    parameters: {};
    answer: {
    database: {
    bytes: Count;
    failed_groups: Count;
    flush_seconds: Durations;
    groups: number;
    transactions: number;
    wait_seconds: Durations;
  };
    process: { connections: Count; open_files: Count; resident_bytes: Count };
    queues: {
    delivered_events: Count;
    expired: Count;
    fan_out_seconds: Durations;
    heartbeats: Count;
    live: Count;
    overflown: Count;
    waiting_polls: Count;
  };
    requests: RequestFigures[];
    scope: "event_service" | "server";
    started_at: Timestamp;
    timers: { done: Count; failed: Count; job: string }[];
    uptime_seconds: Count;
    version: string;
  };
  };
  /** What a client needs to know before it logs in */
  "GET /server_settings": {
    parameters: {};
    answer: {
    authentication_methods: {
    apple: boolean;
    azuread: boolean;
    dev: boolean;
    discord: boolean;
    email: boolean;
    github: boolean;
    gitlab: boolean;
    google: boolean;
    ldap: boolean;
    "openid connect": boolean;
    passkey: boolean;
    password: boolean;
    remoteuser: boolean;
    saml: boolean;
  };
    email_auth_enabled: boolean;
    external_authentication_methods: {
    display_icon: NullableString;
    display_name: string;
    login_url: string;
    name: string;
    signup_url: string;
  }[];
    is_incompatible: boolean;
    mail_enabled: boolean;
    push_notifications_enabled: boolean;
    realm_description: string;
    realm_icon: string;
    realm_name: string;
    realm_uri: string;
    realm_url: string;
    realm_web_public_access_enabled: boolean;
    require_email_format_usernames: boolean;
    service_feature_level: 496;
    zulip_feature_level: 496;
    zulip_merge_base: string;
    zulip_version: string;
  };
  };
  /** Sign the caller out everywhere else */
  "DELETE /sessions": {
    parameters: {};
    answer: {};
  };
  /** Where the caller is signed in */
  "GET /sessions": {
    parameters: {};
    answer: { sessions: { client: string; created: number; id: Id; is_current: boolean; last_used: number }[] };
  };
  /** Sign in with a browser */
  "POST /sessions": {
    parameters: {
    passkey?: string;
    password?: string;
    second_factor?: string;
    sign_in_token?: string;
    username?: string;
  };
    answer: { session_id: Id; user_id: Id };
  };
  /** Sign out the browser that asks */
  "DELETE /sessions/current": {
    parameters: {};
    answer: { sign_out_url?: string };
  };
  /** Sign an app in */
  "POST /sessions/current/app_flow": {
    parameters: { desktop_flow_otp?: string; mobile_flow_otp?: string };
    answer: { app_token?: string; app_url?: string };
  };
  /** Sign out one of the caller's browsers */
  "DELETE /sessions/{session_id}": {
    parameters: { session_id: Id };
    answer: {};
  };
  /** Change settings, name, address or password of the caller */
  "PATCH /settings": {
    parameters: {
    allow_private_data_export?: boolean;
    automatically_follow_topics_policy?: number;
    automatically_follow_topics_where_mentioned?: boolean;
    automatically_unmute_topics_in_muted_streams_policy?: number;
    color_scheme?: number;
    default_language?: "ar" | "be" | "bg" | "bn" | "bqi" | "ca" | "cs" | "cy" | "da" | "de" | "el" | "en" | "en-gb" | "eo" | "es" | "eu" | "fa" | "fi" | "fr" | "gl" | "gu" | "he" | "hi" | "hr" | "hu" | "id" | "it" | "ja" | "ka" | "ko" | "lt" | "lv" | "ml" | "mn" | "nb" | "nl" | "pl" | "pt" | "pt-br" | "ro" | "ru" | "si" | "sk" | "sl" | "sr" | "sv" | "ta" | "th" | "tl" | "tr" | "uk" | "ur" | "uz" | "vi" | "zh-hans" | "zh-hant" | "zh-tw";
    demote_inactive_streams?: number;
    desktop_icon_count_display?: number;
    display_emoji_reaction_users?: boolean;
    email?: string;
    email_address_visibility?: number;
    email_notifications_batching_period_seconds?: number;
    emojiset?: "google" | "google-blob" | "text" | "twitter";
    enable_desktop_notifications?: boolean;
    enable_digest_emails?: boolean;
    enable_drafts_synchronization?: boolean;
    enable_followed_topic_audible_notifications?: boolean;
    enable_followed_topic_desktop_notifications?: boolean;
    enable_followed_topic_email_notifications?: boolean;
    enable_followed_topic_push_notifications?: boolean;
    enable_followed_topic_wildcard_mentions_notify?: boolean;
    enable_login_emails?: boolean;
    enable_marketing_emails?: boolean;
    enable_offline_email_notifications?: boolean;
    enable_offline_push_notifications?: boolean;
    enable_online_push_notifications?: boolean;
    enable_sounds?: boolean;
    enable_stream_audible_notifications?: boolean;
    enable_stream_desktop_notifications?: boolean;
    enable_stream_email_notifications?: boolean;
    enable_stream_push_notifications?: boolean;
    enter_sends?: boolean;
    fluid_layout_width?: boolean;
    full_name?: string;
    hide_ai_features?: boolean;
    high_contrast_mode?: boolean;
    left_side_userlist?: boolean;
    message_content_in_email_notifications?: boolean;
    new_password?: string;
    notification_sound?: "ding" | "none" | "zulip";
    old_password?: string;
    pm_content_in_desktop_notifications?: boolean;
    presence_enabled?: boolean;
    realm_name_in_email_notifications_policy?: number;
    receives_typing_notifications?: boolean;
    resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never";
    send_private_typing_notifications?: boolean;
    send_read_receipts?: boolean;
    send_stream_typing_notifications?: boolean;
    starred_message_counts?: boolean;
    target_users?: { group_ids?: Ids; skip_if_already_edited: boolean; user_ids?: Ids };
    timezone?: string;
    translate_emoticons?: boolean;
    twenty_four_hour_time?: boolean | null;
    user_list_style?: number;
    web_animate_image_previews?: "always" | "never" | "on_hover";
    web_channel_default_view?: number;
    web_escape_navigates_to_home_view?: boolean;
    web_font_size_px?: number;
    web_home_view?: "all_messages" | "inbox" | "recent";
    web_inbox_show_channel_folders?: boolean;
    web_left_sidebar_show_channel_folders?: boolean;
    web_left_sidebar_unreads_count_summary?: boolean;
    web_line_height_percent?: number;
    web_mark_read_on_scroll_policy?: number;
    web_navigate_to_sent_message?: boolean;
    web_stream_unreads_count_display_policy?: number;
    web_suggest_update_timezone?: boolean;
    wildcard_mentions_notify?: boolean;
  };
    answer: {};
  };
  /** Change settings of the caller, under the name that older clients use */
  "PATCH /settings/notifications": {
    parameters: {
    allow_private_data_export?: boolean;
    automatically_follow_topics_policy?: number;
    automatically_follow_topics_where_mentioned?: boolean;
    automatically_unmute_topics_in_muted_streams_policy?: number;
    color_scheme?: number;
    default_language?: "ar" | "be" | "bg" | "bn" | "bqi" | "ca" | "cs" | "cy" | "da" | "de" | "el" | "en" | "en-gb" | "eo" | "es" | "eu" | "fa" | "fi" | "fr" | "gl" | "gu" | "he" | "hi" | "hr" | "hu" | "id" | "it" | "ja" | "ka" | "ko" | "lt" | "lv" | "ml" | "mn" | "nb" | "nl" | "pl" | "pt" | "pt-br" | "ro" | "ru" | "si" | "sk" | "sl" | "sr" | "sv" | "ta" | "th" | "tl" | "tr" | "uk" | "ur" | "uz" | "vi" | "zh-hans" | "zh-hant" | "zh-tw";
    demote_inactive_streams?: number;
    desktop_icon_count_display?: number;
    display_emoji_reaction_users?: boolean;
    email?: string;
    email_address_visibility?: number;
    email_notifications_batching_period_seconds?: number;
    emojiset?: "google" | "google-blob" | "text" | "twitter";
    enable_desktop_notifications?: boolean;
    enable_digest_emails?: boolean;
    enable_drafts_synchronization?: boolean;
    enable_followed_topic_audible_notifications?: boolean;
    enable_followed_topic_desktop_notifications?: boolean;
    enable_followed_topic_email_notifications?: boolean;
    enable_followed_topic_push_notifications?: boolean;
    enable_followed_topic_wildcard_mentions_notify?: boolean;
    enable_login_emails?: boolean;
    enable_marketing_emails?: boolean;
    enable_offline_email_notifications?: boolean;
    enable_offline_push_notifications?: boolean;
    enable_online_push_notifications?: boolean;
    enable_sounds?: boolean;
    enable_stream_audible_notifications?: boolean;
    enable_stream_desktop_notifications?: boolean;
    enable_stream_email_notifications?: boolean;
    enable_stream_push_notifications?: boolean;
    enter_sends?: boolean;
    fluid_layout_width?: boolean;
    full_name?: string;
    hide_ai_features?: boolean;
    high_contrast_mode?: boolean;
    left_side_userlist?: boolean;
    message_content_in_email_notifications?: boolean;
    new_password?: string;
    notification_sound?: "ding" | "none" | "zulip";
    old_password?: string;
    pm_content_in_desktop_notifications?: boolean;
    presence_enabled?: boolean;
    realm_name_in_email_notifications_policy?: number;
    receives_typing_notifications?: boolean;
    resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never";
    send_private_typing_notifications?: boolean;
    send_read_receipts?: boolean;
    send_stream_typing_notifications?: boolean;
    starred_message_counts?: boolean;
    target_users?: { group_ids?: Ids; skip_if_already_edited: boolean; user_ids?: Ids };
    timezone?: string;
    translate_emoticons?: boolean;
    twenty_four_hour_time?: boolean | null;
    user_list_style?: number;
    web_animate_image_previews?: "always" | "never" | "on_hover";
    web_channel_default_view?: number;
    web_escape_navigates_to_home_view?: boolean;
    web_font_size_px?: number;
    web_home_view?: "all_messages" | "inbox" | "recent";
    web_inbox_show_channel_folders?: boolean;
    web_left_sidebar_show_channel_folders?: boolean;
    web_left_sidebar_unreads_count_summary?: boolean;
    web_line_height_percent?: number;
    web_mark_read_on_scroll_policy?: number;
    web_navigate_to_sent_message?: boolean;
    web_stream_unreads_count_display_policy?: number;
    web_suggest_update_timezone?: boolean;
    wildcard_mentions_notify?: boolean;
  };
    answer: {};
  };
  /** Channels that the caller may know of */
  "GET /streams": {
    parameters: {
    exclude_archived?: boolean;
    include_all?: boolean;
    include_can_access_content?: boolean;
    include_default?: boolean;
    include_owner_subscribed?: boolean;
    include_public?: boolean;
    include_subscribed?: boolean;
    include_web_public?: boolean;
  };
    answer: { streams: ListedChannel[] };
  };
  /** Archive a channel */
  "DELETE /streams/{stream_id}": {
    parameters: { stream_id: Id };
    answer: {};
  };
  /** One channel */
  "GET /streams/{stream_id}": {
    parameters: { stream_id: Id };
    answer: { stream: Channel };
  };
  /** Change a channel */
  "PATCH /streams/{stream_id}": {
    parameters: {
    stream_id: Id;
    can_add_subscribers_group?: GroupSettingUpdate;
    can_administer_channel_group?: GroupSettingUpdate;
    can_create_topic_group?: GroupSettingUpdate;
    can_delete_any_message_group?: GroupSettingUpdate;
    can_delete_own_message_group?: GroupSettingUpdate;
    can_move_messages_out_of_channel_group?: GroupSettingUpdate;
    can_move_messages_within_channel_group?: GroupSettingUpdate;
    can_remove_subscribers_group?: GroupSettingUpdate;
    can_resolve_topics_group?: GroupSettingUpdate;
    can_send_message_group?: GroupSettingUpdate;
    can_subscribe_group?: GroupSettingUpdate;
    description?: string;
    folder_id?: NullableId;
    history_public_to_subscribers?: boolean;
    is_archived?: boolean;
    is_default_stream?: boolean;
    is_private?: boolean;
    is_web_public?: boolean;
    message_retention_days?: "realm_default" | "unlimited" | number;
    new_name?: string;
    topics_policy?: TopicsPolicy;
  };
    answer: {};
  };
  /** Delete the messages of a topic */
  "POST /streams/{stream_id}/delete_topic": {
    parameters: { stream_id: Id; topic_name: string };
    answer: { complete: boolean };
  };
  /** The address that takes mail into a channel */
  "GET /streams/{stream_id}/email_address": {
    parameters: { stream_id: Id };
    answer: { email: "" };
  };
  /** Who is subscribed to a channel */
  "GET /streams/{stream_id}/members": {
    parameters: { stream_id: Id };
    answer: { subscribers: Ids };
  };
  /** Use a poll or a to-do list */
  "POST /submessage": {
    parameters: { content: string; message_id: number; msg_type: "widget" };
    answer: {};
  };
  /** Begin an upload in parts */
  "POST /tus": {
    parameters: { "Tus-Resumable": "1.0.0"; "Upload-Length": number; "Upload-Metadata"?: string };
    answer: { filename: string; url: string };
  };
  /** How far an upload in parts is */
  "GET /tus/{upload}": {
    parameters: { "Tus-Resumable": "1.0.0"; upload: string };
    answer: { upload_length: number; upload_offset: number };
  };
  /** Add to an upload in parts */
  "PATCH /tus/{upload}": {
    parameters: { "Tus-Resumable": "1.0.0"; "Upload-Offset": number; upload: string };
    answer: { filename: string; url: string };
  };
  /** Notify the others that the caller is typing, or has stopped */
  "POST /typing": {
    parameters: {
    op: "start" | "stop";
    stream_id?: number;
    to?: Id[];
    topic?: string;
    type?: "channel" | "direct" | "private" | "stream";
  };
    answer: {};
  };
  /** Switch off mails of a kind */
  "POST /unsubscriptions": {
    parameters: { key: string };
    answer: {};
  };
  /** All user groups */
  "GET /user_groups": {
    parameters: { include_deactivated_groups?: boolean };
    answer: { user_groups: UserGroup[] };
  };
  /** Create a user group */
  "POST /user_groups/create": {
    parameters: {
    can_add_members_group?: GroupSettingValue;
    can_join_group?: GroupSettingValue;
    can_leave_group?: GroupSettingValue;
    can_manage_group?: GroupSettingValue;
    can_mention_group?: GroupSettingValue;
    can_remove_members_group?: GroupSettingValue;
    description: string;
    members: GivenIds;
    name: string;
    subgroups?: GivenIds;
  };
    answer: { group_id: Id };
  };
  /** Change a user group, or take a deactivated one back */
  "PATCH /user_groups/{user_group_id}": {
    parameters: {
    user_group_id: Id;
    can_add_members_group?: GroupSettingUpdate;
    can_join_group?: GroupSettingUpdate;
    can_leave_group?: GroupSettingUpdate;
    can_manage_group?: GroupSettingUpdate;
    can_mention_group?: GroupSettingUpdate;
    can_remove_members_group?: GroupSettingUpdate;
    deactivated?: boolean;
    description?: string;
    name?: string;
  };
    answer: {};
  };
  /** Deactivate a user group */
  "POST /user_groups/{user_group_id}/deactivate": {
    parameters: { user_group_id: Id };
    answer: {};
  };
  /** Members of a user group */
  "GET /user_groups/{user_group_id}/members": {
    parameters: { direct_member_only?: boolean; user_group_id: Id };
    answer: { members: Ids };
  };
  /** Add and remove members and subgroups */
  "POST /user_groups/{user_group_id}/members": {
    parameters: {
    user_group_id: Id;
    add?: GivenIds;
    add_subgroups?: GivenIds;
    delete?: GivenIds;
    delete_subgroups?: GivenIds;
  };
    answer: {};
  };
  /** Whether a user is in a user group */
  "GET /user_groups/{user_group_id}/members/{user_id}": {
    parameters: { direct_member_only?: boolean; user_group_id: Id; user_id: Id };
    answer: { is_user_group_member: boolean };
  };
  /** Groups nested in a user group */
  "GET /user_groups/{user_group_id}/subgroups": {
    parameters: { direct_subgroup_only?: boolean; user_group_id: Id };
    answer: { subgroups: Ids };
  };
  /** Add and remove subgroups */
  "POST /user_groups/{user_group_id}/subgroups": {
    parameters: { user_group_id: Id; add?: GivenIds; delete?: GivenIds };
    answer: {};
  };
  /** Mute, unmute or follow a topic */
  "POST /user_topics": {
    parameters: { stream_id: number; topic: string; visibility_policy: VisibilityPolicy };
    answer: {};
  };
  /** Upload a file */
  "POST /user_uploads": {
    parameters: {};
    answer: { filename: string; url: string };
  };
  /** A temporary address of an uploaded file */
  "GET /user_uploads/{realm_id}/{random}/{file_name}": {
    parameters: { file_name: string; random: string; realm_id: Id };
    answer: { url: string };
  };
  /** All users that the caller may see */
  "GET /users": {
    parameters: { client_gravatar?: boolean; include_custom_profile_fields?: boolean; user_ids?: number[] };
    answer: { members: User[] };
  };
  /** Create a user */
  "POST /users": {
    parameters: { email: string; full_name: string; password: string };
    answer: { user_id: Id };
  };
  /** Deactivate the caller's own account */
  "DELETE /users/me": {
    parameters: {};
    answer: {};
  };
  /** The caller's own record */
  "GET /users/me": {
    parameters: {};
    answer: {
    avatar_url: string;
    avatar_version: number;
    bot_owner_id: NullableId;
    bot_type: number;
    date_joined: IsoTime;
    delivery_email: string;
    email: string;
    full_name: string;
    is_active: boolean;
    is_admin: boolean;
    is_bot: true;
    is_guest: boolean;
    is_imported_stub: boolean;
    is_owner: boolean;
    max_message_id: number;
    role: Role;
    timezone: string;
    user_id: Id;
  } | {
    avatar_url: string;
    avatar_version: number;
    date_joined: IsoTime;
    delivery_email: string;
    email: string;
    full_name: string;
    is_active: boolean;
    is_admin: boolean;
    is_bot: false;
    is_guest: boolean;
    is_imported_stub: boolean;
    is_owner: boolean;
    max_message_id: number;
    profile_data: ProfileData;
    role: Role;
    timezone: string;
    user_id: Id;
  };
  };
  /** Remove alert words */
  "DELETE /users/me/alert_words": {
    parameters: { alert_words: Strings };
    answer: { alert_words: Strings };
  };
  /** The caller's alert words */
  "GET /users/me/alert_words": {
    parameters: {};
    answer: { alert_words: Strings };
  };
  /** Add alert words */
  "POST /users/me/alert_words": {
    parameters: { alert_words: Strings };
    answer: { alert_words: Strings };
  };
  /** Remove the device token of an Android app */
  "DELETE /users/me/android_gcm_reg_id": {
    parameters: { token: string };
    answer: {};
  };
  /** Register the device token of an Android app */
  "POST /users/me/android_gcm_reg_id": {
    parameters: { token: string };
    answer: {};
  };
  /** Remove the device token of an iOS app */
  "DELETE /users/me/apns_device_token": {
    parameters: { token: string };
    answer: {};
  };
  /** Register the device token of an iOS app */
  "POST /users/me/apns_device_token": {
    parameters: { appid: string; token: string };
    answer: {};
  };
  /** Remove the caller's picture */
  "DELETE /users/me/avatar": {
    parameters: {};
    answer: { avatar_url: string };
  };
  /** Set the caller's picture */
  "POST /users/me/avatar": {
    parameters: {};
    answer: { avatar_url: string };
  };
  /** Unmute a user */
  "DELETE /users/me/muted_users/{muted_user_id}": {
    parameters: { muted_user_id: number };
    answer: {};
  };
  /** Mute a user */
  "POST /users/me/muted_users/{muted_user_id}": {
    parameters: { muted_user_id: number };
    answer: {};
  };
  /** Report that a client is running, and ask who else is there */
  "POST /users/me/presence": {
    parameters: {
    history_limit_days?: number;
    last_update_id?: number;
    new_user_input?: boolean;
    ping_only?: boolean;
    slim_presence?: boolean;
    status: "active" | "idle";
  };
    answer: { presence_last_update_id: number; presences: Presences; server_timestamp: number } | {};
  };
  /** Take values of the caller's profile away */
  "DELETE /users/me/profile_data": {
    parameters: { data: Ids };
    answer: {};
  };
  /** Set values of the caller's profile */
  "PATCH /users/me/profile_data": {
    parameters: { data: ProfileEntry[] };
    answer: {};
  };
  /** Conversations of the caller, those with the newest messages first */
  "GET /users/me/recent_conversations": {
    parameters: { allow_empty_topic_name?: boolean; before?: Id; limit?: number };
    answer: {
    conversations: {
    max_id: Id;
    sender_ids: Ids;
    stream_id?: Id;
    timestamp: Timestamp;
    topic?: string;
    user_ids?: Ids;
  }[];
    found_oldest: boolean;
  };
  };
  /** Set the caller's status */
  "POST /users/me/status": {
    parameters: {
    emoji_code?: string;
    emoji_name?: string;
    reaction_type?: string;
    scheduled_end_time?: null | number;
    status_text?: string;
  };
    answer: {};
  };
  /** Unsubscribe users from channels */
  "DELETE /users/me/subscriptions": {
    parameters: { principals?: Principals; subscriptions: string[] };
    answer: { not_removed: string[]; removed: string[] };
  };
  /** The caller's subscriptions */
  "GET /users/me/subscriptions": {
    parameters: { include_subscribers?: "false" | "partial" | "true" };
    answer: { subscriptions: Subscription[] };
  };
  /** Subscribe to channels and unsubscribe from others at once */
  "PATCH /users/me/subscriptions": {
    parameters: { add?: ChannelWish[]; delete?: string[] };
    answer: {
    already_subscribed: ChannelNamesByUser;
    not_removed: string[];
    removed: string[];
    subscribed: ChannelNamesByUser;
  };
  };
  /** Subscribe users to channels */
  "POST /users/me/subscriptions": {
    parameters: {
    announce?: boolean;
    authorization_errors_fatal?: boolean;
    can_add_subscribers_group?: GroupSettingValue;
    can_administer_channel_group?: GroupSettingValue;
    can_create_topic_group?: GroupSettingValue;
    can_delete_any_message_group?: GroupSettingValue;
    can_delete_own_message_group?: GroupSettingValue;
    can_move_messages_out_of_channel_group?: GroupSettingValue;
    can_move_messages_within_channel_group?: GroupSettingValue;
    can_remove_subscribers_group?: GroupSettingValue;
    can_resolve_topics_group?: GroupSettingValue;
    can_send_message_group?: GroupSettingValue;
    can_subscribe_group?: GroupSettingValue;
    folder_id?: NullableId;
    history_public_to_subscribers?: boolean;
    invite_only?: boolean;
    is_default_stream?: boolean;
    is_web_public?: boolean;
    message_retention_days?: "realm_default" | "unlimited" | number;
    principals?: Principals;
    send_new_subscription_messages?: boolean;
    subscriptions: ChannelWish[];
    topics_policy?: TopicsPolicy;
  };
    answer: {
    already_subscribed: ChannelNamesByUser;
    new_subscription_messages_sent?: boolean;
    subscribed: ChannelNamesByUser;
    unauthorized?: string[];
  };
  };
  /** Mute a topic, in the form of older clients */
  "PATCH /users/me/subscriptions/muted_topics": {
    parameters: { op: "add" | "remove"; stream?: string; stream_id?: number; topic: string };
    answer: {};
  };
  /** Change personal settings of channels */
  "POST /users/me/subscriptions/properties": {
    parameters: {
    subscription_data: ({
    property: "audible_notifications" | "color" | "desktop_notifications" | "email_notifications" | "in_home_view" | "is_muted" | "pin_to_top" | "push_notifications" | "wildcard_mentions_notify";
    stream_id: number;
    value: boolean | string;
  })[];
  };
    answer: {};
  };
  /** Topics of a channel, newest first */
  "GET /users/me/{stream_id}/topics": {
    parameters: { allow_empty_topic_name?: boolean; stream_id: Id };
    answer: { topics: { max_id: Id; name: string }[] };
  };
  /** One user */
  "GET /users/{email}": {
    parameters: { client_gravatar?: boolean; email: string; include_custom_profile_fields?: boolean };
    answer: { user: User };
  };
  /** Change another user */
  "PATCH /users/{email}": {
    parameters: {
    email: string;
    full_name?: string;
    new_email?: string;
    profile_data?: ProfileEntry[];
    role?: Role;
  };
    answer: {};
  };
  /** When a user was last seen */
  "GET /users/{user_id_or_email}/presence": {
    parameters: { user_id_or_email: string };
    answer: {
    presence: {
    active_timestamp: Timestamp;
    aggregated: PresenceStatus;
    idle_timestamp: Timestamp;
    website: PresenceStatus;
  };
  };
  };
  /** Deactivate a user */
  "DELETE /users/{user_id}": {
    parameters: {
    user_id: Id;
    actions?: {
    delete_direct_messages?: boolean;
    delete_private_channel_messages?: boolean;
    delete_profile?: boolean;
    delete_public_channel_messages?: boolean;
  };
    deactivation_notification_comment?: string;
  };
    answer: {};
  };
  /** One user */
  "GET /users/{user_id}": {
    parameters: { client_gravatar?: boolean; include_custom_profile_fields?: boolean; user_id: Id };
    answer: { user: User };
  };
  /** Change another user */
  "PATCH /users/{user_id}": {
    parameters: { user_id: Id; full_name?: string; new_email?: string; profile_data?: ProfileEntry[]; role?: Role };
    answer: {};
  };
  /** Revoke all API keys of another user */
  "DELETE /users/{user_id}/api_keys": {
    parameters: { user_id: Id };
    answer: {};
  };
  /** The API keys of another user */
  "GET /users/{user_id}/api_keys": {
    parameters: { user_id: Id };
    answer: { api_keys: ApiKey[] };
  };
  /** End one API key of another user */
  "DELETE /users/{user_id}/api_keys/{key_id}": {
    parameters: { key_id: Id; user_id: Id };
    answer: {};
  };
  /** The channels that a user is subscribed to */
  "GET /users/{user_id}/channels": {
    parameters: { user_id: Id };
    answer: { subscribed_channel_ids: Ids };
  };
  /** The company accounts with which another user signs in */
  "GET /users/{user_id}/identities": {
    parameters: { user_id: Id };
    answer: {
    identities: { created: number; display_name: string; id: Id; last_used: number; provider: string }[];
  };
  };
  /** Disconnect a company account of another user */
  "DELETE /users/{user_id}/identities/{identity_id}": {
    parameters: { identity_id: Id; user_id: Id };
    answer: {};
  };
  /** Make a link that sets a new password */
  "POST /users/{user_id}/password_link": {
    parameters: { user_id: Id };
    answer: { expiry_date: Timestamp; password_link: string };
  };
  /** Take a deactivated user back */
  "POST /users/{user_id}/reactivate": {
    parameters: { user_id: Id };
    answer: {};
  };
  /** Reset the second factor of another user */
  "DELETE /users/{user_id}/second_factor": {
    parameters: { user_id: Id };
    answer: {};
  };
  /** Sign out all browsers of another user */
  "DELETE /users/{user_id}/sessions": {
    parameters: { user_id: Id };
    answer: {};
  };
  /** Where a user is signed in, and the API keys of the account */
  "GET /users/{user_id}/sessions": {
    parameters: { user_id: Id };
    answer: {
    api_keys: { created: number; label: string }[];
    sessions: { client: string; created: number; id: Id; is_current: boolean; last_used: number }[];
  };
  };
  /** Sign out one browser of another user */
  "DELETE /users/{user_id}/sessions/{session_id}": {
    parameters: { session_id: Id; user_id: Id };
    answer: {};
  };
  /** A user's status */
  "GET /users/{user_id}/status": {
    parameters: { user_id: Id };
    answer: { status: UserStatus };
  };
  /** Set another user's status */
  "POST /users/{user_id}/status": {
    parameters: {
    user_id: Id;
    emoji_code?: string;
    emoji_name?: string;
    reaction_type?: string;
    scheduled_end_time?: null | number;
    status_text?: string;
  };
    answer: {};
  };
  /** Whether a user is subscribed to a channel */
  "GET /users/{user_id}/subscriptions/{stream_id}": {
    parameters: { stream_id: Id; user_id: Id };
    answer: { is_subscribed: boolean };
  };
}
export type ApiKey = {
    client: string;
    created: Timestamp;
    ends: NullableTimestamp;
    id: Id;
    last_used: NullableTimestamp;
    name: null | string;
    scope: "account" | "administer" | "everything" | "read" | "send";
  };
export type App = {
    app_id: Id;
    bot_user_id: Id;
    component_size: number;
    description: string;
    installed: Timestamp;
    manifest: AppManifest;
    missing_rights: { commands: Strings; events: AppEventKinds; hosts: Strings };
    name: string;
    owner_id: Id;
    paused_reason: NullableString;
    rights: AppRights | null;
    secrets_set: Strings;
    settings: Record<string, string>;
    signed_by: NullableString;
    state: "active" | "paused" | "waiting";
    title: string;
    updated: Timestamp;
    version: string;
    waiting_events: number;
    webhook_url: NullableString;
  };
export type AppEventKinds = ("answer" | "click" | "command" | "message" | "reaction" | "tick" | "vote" | "webhook")[];
export type AppManifest = {
    channels: "all" | "chosen";
    commands: AppCommand[];
    events: AppEventKinds;
    hosts: Strings;
    secrets: AppSecret[];
    settings: AppSetting[];
  };
export type AppCommand = { description: string; name: string };
export type AppRights = { channels: Ids | null; commands: Strings; events: AppEventKinds; hosts: Strings };
export type AppSecret = { host: string; label: string; name: string };
export type AppSetting = {
    default: NullableString;
    kind: "channel" | "number" | "person" | "switch" | "text";
    label: string;
    name: string;
  };
export type Attachment = {
    create_time: Timestamp;
    id: Id;
    message_ids: Ids;
    messages: { date_sent: Timestamp; id: Id }[];
    name: string;
    path_id: string;
    size: number;
  };
export type Bot = {
    default_all_public_streams: boolean;
    default_events_register_stream: NullableString;
    default_sending_stream: NullableString;
    services: BotServices;
    user_id: Id;
  };
export type BotServices = ({ base_url: string; interface: number; token: string } | { config_data: Record<string, string>; service_name: string })[];
export type Channel = {
    can_add_subscribers_group: GroupSettingValue;
    can_administer_channel_group: GroupSettingValue;
    can_create_topic_group: GroupSettingValue;
    can_delete_any_message_group: GroupSettingValue;
    can_delete_own_message_group: GroupSettingValue;
    can_move_messages_out_of_channel_group: GroupSettingValue;
    can_move_messages_within_channel_group: GroupSettingValue;
    can_remove_subscribers_group: GroupSettingValue;
    can_resolve_topics_group: GroupSettingValue;
    can_send_message_group: GroupSettingValue;
    can_subscribe_group: GroupSettingValue;
    creator_id: NullableId;
    date_created: Timestamp;
    description: string;
    first_message_id: NullableId;
    folder_id: NullableId;
    history_public_to_subscribers: boolean;
    invite_only: boolean;
    is_announcement_only: boolean;
    is_archived: boolean;
    is_recently_active: boolean;
    is_web_public: boolean;
    message_retention_days: null | number;
    name: string;
    rendered_description: string;
    stream_id: Id;
    stream_post_policy: number;
    stream_weekly_traffic: null | number;
    subscriber_count: number;
    topics_policy: TopicsPolicy;
  };
export type ChannelFolder = {
    creator_id: NullableId;
    date_created: NullableTimestamp;
    description: string;
    id: Id;
    is_archived: boolean;
    name: string;
    order: number;
    rendered_description: string;
  };
export type ChannelNamesByUser = Record<string, string[]>;
export type ChannelWish = { color?: string; description?: string; name: string };
export type Count = number;
export type CustomProfileField = {
    display_in_profile_summary?: true;
    editable_by_user: boolean;
    field_data: string;
    hint: string;
    id: Id;
    name: string;
    order: number;
    required: boolean;
    type: number;
    use_for_user_matching?: true;
  };
export type Draft = {
    content: string;
    id: Id;
    timestamp: Timestamp;
    to: Id[];
    topic: string;
    type: "" | "private" | "stream";
  };
export type DraftInput = {
    content: string;
    id?: number;
    timestamp?: Timestamp;
    to: number[];
    topic: string;
    type: "" | "channel" | "direct" | "private" | "stream";
  };
export type Durations = { bounds: number[]; count: Count; counts: Count[]; sum: number };
export type EditableMessageFlag = "collapsed" | "read" | "starred";
export type Event = AlertWordsEvent | AppAnswerEvent | AttachmentChangedEvent | AttachmentRemoveEvent | ChannelFolderAddEvent | ChannelFolderReorderEvent | ChannelFolderUpdateEvent | CustomProfileFieldsEvent | DefaultStreamsEvent | DeleteMessageEvent | DeviceAddOrRemoveEvent | DeviceUpdateEvent | DraftsAddEvent | DraftsRemoveEvent | DraftsUpdateEvent | HeartbeatEvent | InvitesChangedEvent | MessageEvent | MutedTopicsEvent | MutedUsersEvent | NavigationViewAddEvent | NavigationViewRemoveEvent | NavigationViewUpdateEvent | PresenceEvent | PushDeviceEvent | ReactionEvent | RealmBotAddEvent | RealmBotDeleteEvent | RealmBotUpdateEvent | RealmDeactivatedEvent | RealmDomainsRemoveEvent | RealmDomainsSetEvent | RealmEmojiAddEvent | RealmEmojiEditEvent | RealmEmojiRemoveEvent | RealmEmojiUpdateEvent | RealmExportConsentEvent | RealmExportEvent | RealmLinkifiersEvent | RealmPlaygroundsEvent | RealmUpdateDictEvent | RealmUpdateEvent | RealmUserAddEvent | RealmUserRemoveEvent | RealmUserSettingsDefaultsUpdateEvent | RealmUserUpdateEvent | RemindersAddEvent | RemindersRemoveEvent | RestartEvent | SavedSnippetsAddOrUpdateEvent | SavedSnippetsRemoveEvent | ScheduledMessagesAddEvent | ScheduledMessagesRemoveEvent | ScheduledMessagesUpdateEvent | StreamCreateEvent | StreamDeleteEvent | StreamUpdateEvent | SubmessageEvent | SubscriptionAddEvent | SubscriptionPeersEvent | SubscriptionRemoveEvent | SubscriptionUpdateEvent | TypingEditMessageEvent | TypingEvent | UpdateMessageEvent | UpdateMessageFlagsEvent | UserGroupAddEvent | UserGroupMembersEvent | UserGroupRemoveEvent | UserGroupSubgroupsEvent | UserGroupUpdateEvent | UserSettingsUpdateEvent | UserStatusEvent | UserTopicEvent;
export type AlertWordsEvent = { alert_words: Strings; id: EventId; type: "alert_words" };
export type AppAnswerEvent = { bot_id: Id; content: string; id: EventId; message_id: Id; type: "app_answer" };
export type AttachmentChangedEvent = {
    attachment: Attachment;
    id: EventId;
    op: "add" | "update";
    type: "attachment";
    upload_space_used: number;
  };
export type AttachmentRemoveEvent = { attachment: { id: Id }; id: EventId; op: "remove"; type: "attachment"; upload_space_used: number };
export type ChannelFolderAddEvent = { channel_folder: ChannelFolder; id: EventId; op: "add"; type: "channel_folder" };
export type ChannelFolderReorderEvent = { id: EventId; op: "reorder"; order: number[]; type: "channel_folder" };
export type ChannelFolderUpdateEvent = {
    channel_folder_id: Id;
    data: { description: string; rendered_description: string } | { is_archived: boolean } | { name: string };
    id: EventId;
    op: "update";
    type: "channel_folder";
  };
export type CustomProfileFieldsEvent = { fields: CustomProfileField[]; id: EventId; type: "custom_profile_fields" };
export type DefaultStreamsEvent = { default_streams: Ids; id: EventId; type: "default_streams" };
export type DeleteMessageEvent = {
    id: EventId;
    message_id: Id;
    message_type: "stream";
    stream_id: Id;
    topic: string;
    type: "delete_message";
  } | {
    id: EventId;
    message_ids: Ids;
    message_type: "stream";
    stream_id: Id;
    topic: string;
    type: "delete_message";
  } | { id: EventId; message_id: Id; message_type: "private"; type: "delete_message" } | { id: EventId; message_ids: Ids; message_type: "private"; type: "delete_message" };
export type DeviceAddOrRemoveEvent = { device_id: Id; id: EventId; op: "add" | "remove"; type: "device" };
export type DeviceUpdateEvent = {
    device_id: Id;
    id: EventId;
    op: "update";
    pending_push_token_id?: NullableString;
    push_key_id?: NullableInteger;
    push_registration_error_code?: NullableString;
    push_token_id?: NullableString;
    push_token_last_updated_timestamp?: NullableTimestamp;
    type: "device";
  };
export type DraftsAddEvent = { drafts: Draft[]; id: EventId; op: "add"; type: "drafts" };
export type DraftsRemoveEvent = { draft_id: Id; id: EventId; op: "remove"; type: "drafts" };
export type DraftsUpdateEvent = { draft: Draft; id: EventId; op: "update"; type: "drafts" };
export type EventId = number;
export type FetchedMessage = {
    avatar_url: NullableString;
    buttons?: Button[];
    client: string;
    content: string;
    content_type: "text/html" | "text/x-markdown";
    display_recipient: string;
    edit_history?: EditHistoryEntry[];
    flags: MessageFlags;
    id: Id;
    is_incomplete?: true;
    is_me_message: boolean;
    last_edit_timestamp?: Timestamp;
    last_moved_timestamp?: Timestamp;
    match_content?: string;
    match_subject?: string;
    reactions: Reaction[];
    recipient_id: Id;
    sender_email: string;
    sender_full_name: string;
    sender_id: Id;
    sender_realm_str: string;
    stream_id: Id;
    subject: string;
    submessages: Submessage[];
    timestamp: Timestamp;
    topic_links: TopicLink[];
    type: "stream";
  } | {
    avatar_url: NullableString;
    buttons?: Button[];
    client: string;
    content: string;
    content_type: "text/html" | "text/x-markdown";
    display_recipient: { email: string; full_name: string; id: Id; is_mirror_dummy: boolean }[];
    edit_history?: EditHistoryEntry[];
    flags: MessageFlags;
    id: Id;
    is_incomplete?: true;
    is_me_message: boolean;
    last_edit_timestamp?: Timestamp;
    last_moved_timestamp?: Timestamp;
    match_content?: string;
    match_subject?: string;
    reactions: Reaction[];
    recipient_id: Id;
    sender_email: string;
    sender_full_name: string;
    sender_id: Id;
    sender_realm_str: string;
    subject: "";
    submessages: Submessage[];
    timestamp: Timestamp;
    topic_links: TopicLink[];
    type: "private";
  };
export type Button = { id: string; label: string };
export type EditHistoryEntry = {
    prev_content?: string;
    prev_rendered_content?: string;
    prev_stream?: Id;
    prev_topic?: string;
    stream?: Id;
    timestamp: Timestamp;
    topic?: string;
    user_id: NullableId;
  };
export type GivenIds = Id[];
export type GrantedRights = { channels?: Ids | null; commands?: Strings; events?: AppEventKinds; hosts?: Strings };
export type GroupSettingUpdate = { new: GroupSettingValue; old?: GroupSettingValue };
export type GroupSettingValue = Id | { direct_members: Ids; direct_subgroups: Ids };
export type HeartbeatEvent = { id: EventId; type: "heartbeat" };
export type HistoryState = {
    content: string;
    content_html_diff?: string;
    prev_content?: string;
    prev_rendered_content?: string;
    prev_stream?: Id;
    prev_topic?: string;
    rendered_content: string;
    stream?: Id;
    timestamp: Timestamp;
    topic: string;
    user_id: NullableId;
  };
export type Id = number;
export type Ids = Id[];
export type IntegerOption = { id: number; name: string };
export type IntegrationName = "alertmanager" | "azuredevops" | "bitbucket2" | "bitbucket3" | "buildbot" | "circleci" | "clubhouse" | "freshdesk" | "gitea" | "github" | "gitlab" | "gogs" | "grafana" | "harbor" | "heroku" | "homeassistant" | "ifttt" | "intercom" | "jenkins" | "jira" | "json" | "linear" | "netlify" | "newrelic" | "openproject" | "opensearch" | "opsgenie" | "pagerduty" | "pingdom" | "rundeck" | "semaphore" | "sentry" | "slack_incoming" | "sonarqube" | "splunk" | "statuspage" | "stripe" | "taiga" | "teamcity" | "template" | "travis" | "trello" | "uptimekuma" | "uptimerobot" | "wordpress" | "zabbix" | "zapier";
export type Invitation = {
    email?: string;
    expiry_date: null | number;
    id: Id;
    invited: number;
    invited_as: number;
    invited_by_user_id: Id;
    is_multiuse: boolean;
    link_url?: InvitationLink;
    notify_referrer_on_join?: boolean;
  };
export type InvitationLink = string;
export type InvitesChangedEvent = { id: EventId; type: "invites_changed" };
export type IsoTime = string;
export type LastEventId = number;
export type Linkifier = {
    alternative_url_templates: Strings;
    example_input: NullableString;
    id: Id;
    pattern: string;
    reverse_template: NullableString;
    url_template: string;
  };
export type ListedChannel = {
    can_add_subscribers_group: GroupSettingValue;
    can_administer_channel_group: GroupSettingValue;
    can_create_topic_group: GroupSettingValue;
    can_delete_any_message_group: GroupSettingValue;
    can_delete_own_message_group: GroupSettingValue;
    can_move_messages_out_of_channel_group: GroupSettingValue;
    can_move_messages_within_channel_group: GroupSettingValue;
    can_remove_subscribers_group: GroupSettingValue;
    can_resolve_topics_group: GroupSettingValue;
    can_send_message_group: GroupSettingValue;
    can_subscribe_group: GroupSettingValue;
    creator_id: NullableId;
    date_created: Timestamp;
    description: string;
    first_message_id: NullableId;
    folder_id: NullableId;
    history_public_to_subscribers: boolean;
    invite_only: boolean;
    is_announcement_only: boolean;
    is_archived: boolean;
    is_default?: boolean;
    is_recently_active: boolean;
    is_web_public: boolean;
    message_retention_days: null | number;
    name: string;
    rendered_description: string;
    stream_id: Id;
    stream_post_policy: number;
    stream_weekly_traffic: null | number;
    subscriber_count: number;
    topics_policy: TopicsPolicy;
  };
export type MessageEvent = { flags: MessageFlags; id: EventId; local_message_id?: string; message: Message; type: "message" };
export type Message = ChannelMessage | DirectMessage;
export type ChannelMessage = {
    avatar_url: NullableString;
    buttons?: Button[];
    client: string;
    content: string;
    content_type: "text/html" | "text/x-markdown";
    display_recipient: string;
    edit_history?: EditHistoryEntry[];
    id: Id;
    is_incomplete?: true;
    is_me_message: boolean;
    last_edit_timestamp?: Timestamp;
    last_moved_timestamp?: Timestamp;
    reactions: Reaction[];
    recipient_id: Id;
    sender_email: string;
    sender_full_name: string;
    sender_id: Id;
    sender_realm_str: string;
    stream_id: Id;
    subject: string;
    submessages: Submessage[];
    timestamp: Timestamp;
    topic_links: TopicLink[];
    type: "stream";
  };
export type DirectMessage = {
    avatar_url: NullableString;
    buttons?: Button[];
    client: string;
    content: string;
    content_type: "text/html" | "text/x-markdown";
    display_recipient: { email: string; full_name: string; id: Id; is_mirror_dummy: boolean }[];
    edit_history?: EditHistoryEntry[];
    id: Id;
    is_incomplete?: true;
    is_me_message: boolean;
    last_edit_timestamp?: Timestamp;
    last_moved_timestamp?: Timestamp;
    reactions: Reaction[];
    recipient_id: Id;
    sender_email: string;
    sender_full_name: string;
    sender_id: Id;
    sender_realm_str: string;
    subject: "";
    submessages: Submessage[];
    timestamp: Timestamp;
    topic_links: TopicLink[];
    type: "private";
  };
export type MessageFlags = MessageFlag[];
export type MessageFlag = "collapsed" | "has_alert_word" | "historical" | "mentioned" | "read" | "starred" | "stream_wildcard_mentioned" | "topic_wildcard_mentioned" | "wildcard_mentioned";
export type MutedTopics = [string, string, Timestamp][];
export type MutedTopicsEvent = { id: EventId; muted_topics: MutedTopics; type: "muted_topics" };
export type MutedUsers = { id: Id; timestamp: Timestamp }[];
export type MutedUsersEvent = { id: EventId; muted_users: MutedUsers; type: "muted_users" };
export type NarrowMatch = { match_content: string; match_subject: string };
export type NarrowTerm = string[] | { negated?: boolean; operand: (number | string)[] | number | string; operator: string };
export type NavigationView = { fragment: string; is_pinned: boolean; name?: null | string };
export type NavigationViewAddEvent = { id: EventId; navigation_view: NavigationView; op: "add"; type: "navigation_view" };
export type NavigationViewRemoveEvent = { fragment: string; id: EventId; op: "remove"; type: "navigation_view" };
export type NavigationViewUpdateEvent = {
    data: { is_pinned?: boolean; name?: string };
    fragment: string;
    id: EventId;
    op: "update";
    type: "navigation_view";
  };
export type NeverSubscribedChannel = {
    can_add_subscribers_group: GroupSettingValue;
    can_administer_channel_group: GroupSettingValue;
    can_create_topic_group: GroupSettingValue;
    can_delete_any_message_group: GroupSettingValue;
    can_delete_own_message_group: GroupSettingValue;
    can_move_messages_out_of_channel_group: GroupSettingValue;
    can_move_messages_within_channel_group: GroupSettingValue;
    can_remove_subscribers_group: GroupSettingValue;
    can_resolve_topics_group: GroupSettingValue;
    can_send_message_group: GroupSettingValue;
    can_subscribe_group: GroupSettingValue;
    creator_id: NullableId;
    date_created: Timestamp;
    description: string;
    first_message_id: NullableId;
    folder_id: NullableId;
    history_public_to_subscribers: boolean;
    invite_only: boolean;
    is_announcement_only: boolean;
    is_archived: boolean;
    is_recently_active: boolean;
    is_web_public: boolean;
    message_retention_days: null | number;
    name: string;
    partial_subscribers?: Ids;
    rendered_description: string;
    stream_id: Id;
    stream_post_policy: number;
    stream_weekly_traffic: null | number;
    subscriber_count: number;
    subscribers?: Ids;
    topics_policy: TopicsPolicy;
  };
export type NullableId = null | number;
export type NullableInteger = null | number;
export type NullableString = null | string;
export type NullableTimestamp = null | number;
export type Passkey = {
    created: Timestamp;
    host: string;
    id: Id;
    is_usable: boolean;
    last_used: Timestamp | null;
    name: string;
  };
export type PermissionSettingTable = Record<string, PermissionSettingRecord>;
export type PermissionSettingRecord = {
    allow_everyone_group: boolean;
    allow_internet_group: boolean;
    allow_nobody_group: boolean;
    allowed_system_groups: Strings;
    default_for_system_groups: NullableString;
    default_group_name: string;
    require_system_group: boolean;
  };
export type PresenceEvent = {
    email?: string;
    id: EventId;
    presence: { website: LegacyPresenceEntry };
    server_timestamp: number;
    type: "presence";
    user_id: Id;
  } | { id: EventId; presences: Presences; type: "presence" };
export type LegacyPresenceEntry = { client: string; pushable?: boolean; status: "active" | "idle"; timestamp: Timestamp };
export type PresenceStatus = { status: "active" | "idle"; timestamp: Timestamp };
export type Presences = Record<string, { active_timestamp: Timestamp; idle_timestamp: Timestamp }> | Record<string, { aggregated: LegacyPresenceEntry; website: LegacyPresenceEntry }>;
export type Principals = Id[] | string[];
export type ProfileData = Record<string, { rendered_value?: string; value: string }>;
export type ProfileEntry = { id: Id; value: Id[] | null | string };
export type ProfileFieldData = Record<string, { order: string; text: string }> | { subtype: string; url_pattern?: string };
export type PushDeviceEvent = {
    error_code?: string;
    id: EventId;
    push_account_id: number;
    status: "active" | "failed" | "pending";
    type: "push_device";
  };
export type Reaction = { emoji_code: string; emoji_name: string; reaction_type: ReactionType; user_id: Id };
export type ReactionEvent = {
    emoji_code: string;
    emoji_name: string;
    id: EventId;
    message_id: Id;
    op: "add" | "remove";
    reaction_type: ReactionType;
    type: "reaction";
    user?: { email: string; full_name: string; user_id: Id };
    user_id: Id;
  };
export type ReactionType = "realm_emoji" | "service_extra_emoji" | "unicode_emoji" | "zulip_extra_emoji";
export type RealmBotAddEvent = { bot: Bot; id: EventId; op: "add"; type: "realm_bot" };
export type RealmBotDeleteEvent = { bot: { user_id: Id }; id: EventId; op: "delete"; type: "realm_bot" };
export type RealmBotUpdateEvent = {
    bot: {
    default_all_public_streams?: boolean;
    default_events_register_stream?: NullableString;
    default_sending_stream?: NullableString;
    email?: string;
    services?: BotServices;
    user_id: Id;
  };
    id: EventId;
    op: "update";
    type: "realm_bot";
  };
export type RealmDeactivatedEvent = { id: EventId; op: "deactivated"; realm_id: Id; type: "realm" };
export type RealmDomain = { allow_subdomains: boolean; domain: string };
export type RealmDomainsRemoveEvent = { domain: string; id: EventId; op: "remove"; type: "realm_domains" };
export type RealmDomainsSetEvent = { id: EventId; op: "add" | "change"; realm_domain: RealmDomain; type: "realm_domains" };
export type RealmEmojiAddEvent = { emoji: RealmEmoji; id: EventId; op: "add"; type: "realm_emoji" };
export type RealmEmoji = {
    author_id: NullableId;
    deactivated: boolean;
    id: string;
    name: string;
    source_url: string;
    still_url: NullableString;
  };
export type RealmEmojiEditEvent = {
    data: { deactivated: boolean };
    emoji_id: string;
    id: EventId;
    op: "edit" | "update_one";
    type: "realm_emoji";
  };
export type RealmEmojiRemoveEvent = { emoji_id: string; id: EventId; op: "remove"; type: "realm_emoji" };
export type RealmEmojiTable = Record<string, RealmEmoji>;
export type RealmEmojiUpdateEvent = { id: EventId; op: "update"; realm_emoji: RealmEmojiTable; type: "realm_emoji" };
export type RealmExport = {
    acting_user_id: Id;
    deleted_timestamp: null | number;
    export_time: number;
    export_type: "full_with_consent" | "full_without_consent" | "public";
    export_url: NullableString;
    failed_timestamp: null | number;
    id: Id;
    pending: boolean;
  };
export type RealmExportConsentEvent = { consented: boolean; id: EventId; type: "realm_export_consent"; user_id: Id };
export type RealmExportEvent = { exports: RealmExport[]; id: EventId; type: "realm_export" };
export type RealmLinkifiersEvent = { id: EventId; realm_linkifiers: Linkifier[]; type: "realm_linkifiers" };
export type RealmPlayground = { id: Id; name: string; pygments_language: string; url_template: string };
export type RealmPlaygroundsEvent = { id: EventId; realm_playgrounds: RealmPlayground[]; type: "realm_playgrounds" };
export type RealmUpdateDictEvent = {
    data: Record<string, any>;
    id: EventId;
    op: "update_dict";
    property: "default" | "icon" | "logo" | "night_logo";
    type: "realm";
  };
export type RealmUpdateEvent = {
    id: EventId;
    op: "update";
    property: string;
    type: "realm";
    value: boolean | null | number | string;
  };
export type RealmUserAddEvent = { id: EventId; op: "add"; person: User; type: "realm_user" };
export type RealmUserRemoveEvent = { id: EventId; op: "remove"; person: { full_name: string; user_id: Id }; type: "realm_user" };
export type RealmUserSettingsDefaults = {
    automatically_follow_topics_policy: number;
    automatically_follow_topics_where_mentioned: boolean;
    automatically_unmute_topics_in_muted_streams_policy: number;
    available_notification_sounds: Strings;
    color_scheme: number;
    default_language: "ar" | "be" | "bg" | "bn" | "bqi" | "ca" | "cs" | "cy" | "da" | "de" | "el" | "en" | "en-gb" | "eo" | "es" | "eu" | "fa" | "fi" | "fr" | "gl" | "gu" | "he" | "hi" | "hr" | "hu" | "id" | "it" | "ja" | "ka" | "ko" | "lt" | "lv" | "ml" | "mn" | "nb" | "nl" | "pl" | "pt" | "pt-br" | "ro" | "ru" | "si" | "sk" | "sl" | "sr" | "sv" | "ta" | "th" | "tl" | "tr" | "uk" | "ur" | "uz" | "vi" | "zh-hans" | "zh-hant" | "zh-tw";
    demote_inactive_streams: number;
    desktop_icon_count_display: number;
    display_emoji_reaction_users: boolean;
    email_address_visibility: number;
    email_notifications_batching_period_seconds: number;
    emojiset: "google" | "google-blob" | "text" | "twitter";
    emojiset_choices: { key: string; text: string }[];
    enable_desktop_notifications: boolean;
    enable_digest_emails: boolean;
    enable_drafts_synchronization: boolean;
    enable_followed_topic_audible_notifications: boolean;
    enable_followed_topic_desktop_notifications: boolean;
    enable_followed_topic_email_notifications: boolean;
    enable_followed_topic_push_notifications: boolean;
    enable_followed_topic_wildcard_mentions_notify: boolean;
    enable_login_emails: boolean;
    enable_marketing_emails: boolean;
    enable_offline_email_notifications: boolean;
    enable_offline_push_notifications: boolean;
    enable_online_push_notifications: boolean;
    enable_sounds: boolean;
    enable_stream_audible_notifications: boolean;
    enable_stream_desktop_notifications: boolean;
    enable_stream_email_notifications: boolean;
    enable_stream_push_notifications: boolean;
    enter_sends: boolean;
    fluid_layout_width: boolean;
    hide_ai_features: boolean;
    high_contrast_mode: boolean;
    left_side_userlist: boolean;
    message_content_in_email_notifications: boolean;
    notification_sound: "ding" | "none" | "zulip";
    pm_content_in_desktop_notifications: boolean;
    presence_enabled: boolean;
    realm_name_in_email_notifications_policy: number;
    receives_typing_notifications: boolean;
    resolved_topic_notice_auto_read_policy: "always" | "except_followed" | "never";
    send_private_typing_notifications: boolean;
    send_read_receipts: boolean;
    send_stream_typing_notifications: boolean;
    starred_message_counts: boolean;
    translate_emoticons: boolean;
    twenty_four_hour_time: boolean | null;
    user_list_style: number;
    web_animate_image_previews: "always" | "never" | "on_hover";
    web_channel_default_view: number;
    web_escape_navigates_to_home_view: boolean;
    web_font_size_px: number;
    web_home_view: "all_messages" | "inbox" | "recent";
    web_inbox_show_channel_folders: boolean;
    web_left_sidebar_show_channel_folders: boolean;
    web_left_sidebar_unreads_count_summary: boolean;
    web_line_height_percent: number;
    web_mark_read_on_scroll_policy: number;
    web_navigate_to_sent_message: boolean;
    web_stream_unreads_count_display_policy: number;
    web_suggest_update_timezone: boolean;
    wildcard_mentions_notify: boolean;
  };
export type RealmUserSettingsDefaultsUpdateEvent = {
    id: EventId;
    op: "update";
    property: UserSettingDefaultName;
    type: "realm_user_settings_defaults";
    value: boolean | null | number | string;
  };
export type RealmUserUpdateEvent = {
    id: EventId;
    op: "update";
    person: {
    avatar_source: "G" | "J" | "U";
    avatar_url: NullableString;
    avatar_url_medium: NullableString;
    avatar_version: number;
    user_id: Id;
  } | { bot_owner_id: NullableId; user_id: Id } | { custom_profile_field: { id: Id; rendered_value?: string; value: NullableString }; user_id: Id } | { date_joined: IsoTime; user_id: Id } | { delivery_email: NullableString; user_id: Id } | { email: string; timezone: string; user_id: Id } | { full_name: string; user_id: Id } | { is_active: boolean; user_id: Id } | { is_imported_stub: boolean; user_id: Id } | { new_email: string; user_id: Id } | { role: Role; user_id: Id };
    type: "realm_user";
  };
export type RegisterUser = RegisterBot | RegisterHuman;
export type RegisterBot = {
    avatar_url?: NullableString;
    avatar_version: number;
    bot_owner_id: NullableId;
    bot_type: number;
    date_joined: IsoTime;
    delivery_email: NullableString;
    email: string;
    full_name: string;
    is_admin: boolean;
    is_bot: true;
    is_guest: boolean;
    is_imported_stub: boolean;
    is_owner: boolean;
    role: Role;
    timezone: string;
    user_id: Id;
  };
export type RegisterHuman = {
    avatar_url?: NullableString;
    avatar_version: number;
    date_joined: IsoTime;
    delivery_email: NullableString;
    email: string;
    full_name: string;
    is_admin: boolean;
    is_bot: false;
    is_guest: boolean;
    is_imported_stub: boolean;
    is_owner: boolean;
    profile_data: ProfileData;
    role: Role;
    timezone: string;
    user_id: Id;
  };
export type Reminder = {
    content: string;
    failed: boolean;
    reminder_id: Id;
    reminder_target_message_id: Id;
    rendered_content: string;
    scheduled_delivery_timestamp: Timestamp;
    to: Ids;
    type: "private";
  };
export type RemindersAddEvent = { id: EventId; op: "add"; reminders: Reminder[]; type: "reminders" };
export type RemindersRemoveEvent = { id: EventId; op: "remove"; reminder_id: Id; type: "reminders" };
export type RequestFigures = {
    answers: { "2xx": Count; "3xx": Count; "4xx": Count; "5xx": Count };
    component: string;
    instances: number;
    seconds: Durations;
  };
export type RestartEvent = {
    id: EventId;
    server_generation: number;
    type: "restart";
    zulip_feature_level: number;
    zulip_merge_base: string;
    zulip_version: string;
  };
export type Role = number;
export type SavedSnippet = { content: string; date_created: Timestamp; id: Id; title: string };
export type SavedSnippetsAddOrUpdateEvent = { id: EventId; op: "add" | "update"; saved_snippet: SavedSnippet; type: "saved_snippets" };
export type SavedSnippetsRemoveEvent = { id: EventId; op: "remove"; saved_snippet_id: Id; type: "saved_snippets" };
export type ScheduledMessage = {
    content: string;
    failed: boolean;
    rendered_content: string;
    scheduled_delivery_timestamp: Timestamp;
    scheduled_message_id: Id;
    to: Id;
    topic: string;
    type: "stream";
  } | {
    content: string;
    failed: boolean;
    rendered_content: string;
    scheduled_delivery_timestamp: Timestamp;
    scheduled_message_id: Id;
    to: Ids;
    type: "private";
  };
export type ScheduledMessagesAddEvent = { id: EventId; op: "add"; scheduled_messages: ScheduledMessage[]; type: "scheduled_messages" };
export type ScheduledMessagesRemoveEvent = { id: EventId; op: "remove"; scheduled_message_id: Id; type: "scheduled_messages" };
export type ScheduledMessagesUpdateEvent = { id: EventId; op: "update"; scheduled_message: ScheduledMessage; type: "scheduled_messages" };
export type StreamCreateEvent = { id: EventId; op: "create"; streams: ChannelWithSubscribers[]; type: "stream" };
export type ChannelWithSubscribers = {
    can_add_subscribers_group: GroupSettingValue;
    can_administer_channel_group: GroupSettingValue;
    can_create_topic_group: GroupSettingValue;
    can_delete_any_message_group: GroupSettingValue;
    can_delete_own_message_group: GroupSettingValue;
    can_move_messages_out_of_channel_group: GroupSettingValue;
    can_move_messages_within_channel_group: GroupSettingValue;
    can_remove_subscribers_group: GroupSettingValue;
    can_resolve_topics_group: GroupSettingValue;
    can_send_message_group: GroupSettingValue;
    can_subscribe_group: GroupSettingValue;
    creator_id: NullableId;
    date_created: Timestamp;
    description: string;
    first_message_id: NullableId;
    folder_id: NullableId;
    history_public_to_subscribers: boolean;
    invite_only: boolean;
    is_announcement_only: boolean;
    is_archived: boolean;
    is_recently_active: boolean;
    is_web_public: boolean;
    message_retention_days: null | number;
    name: string;
    partial_subscribers?: Ids;
    rendered_description: string;
    stream_id: Id;
    stream_post_policy: number;
    stream_weekly_traffic: null | number;
    subscriber_count: number;
    subscribers?: Ids;
    topics_policy: TopicsPolicy;
  };
export type StreamDeleteEvent = { id: EventId; op: "delete"; stream_ids: Ids; streams: { stream_id: Id }[]; type: "stream" };
export type StreamUpdateEvent = {
    history_public_to_subscribers?: boolean;
    id: EventId;
    is_web_public?: boolean;
    name: string;
    op: "update";
    property: string;
    rendered_description?: string;
    stream_id: Id;
    type: "stream";
    value: GroupSettingValue | boolean | null | number | string;
  };
export type Strings = string[];
export type Submessage = { content: string; id: Id; message_id: Id; msg_type: string; sender_id: Id };
export type SubmessageEvent = {
    content: string;
    id: EventId;
    message_id: Id;
    msg_type: string;
    sender_id: Id;
    submessage_id: Id;
    type: "submessage";
  };
export type Subscription = {
    audible_notifications: NullableBoolean;
    can_add_subscribers_group: GroupSettingValue;
    can_administer_channel_group: GroupSettingValue;
    can_create_topic_group: GroupSettingValue;
    can_delete_any_message_group: GroupSettingValue;
    can_delete_own_message_group: GroupSettingValue;
    can_move_messages_out_of_channel_group: GroupSettingValue;
    can_move_messages_within_channel_group: GroupSettingValue;
    can_remove_subscribers_group: GroupSettingValue;
    can_resolve_topics_group: GroupSettingValue;
    can_send_message_group: GroupSettingValue;
    can_subscribe_group: GroupSettingValue;
    color: string;
    creator_id: NullableId;
    date_created: Timestamp;
    description: string;
    desktop_notifications: NullableBoolean;
    email_notifications: NullableBoolean;
    first_message_id: NullableId;
    folder_id: NullableId;
    history_public_to_subscribers: boolean;
    in_home_view: boolean;
    invite_only: boolean;
    is_announcement_only: boolean;
    is_archived: boolean;
    is_muted: boolean;
    is_recently_active: boolean;
    is_web_public: boolean;
    message_retention_days: null | number;
    name: string;
    partial_subscribers?: Ids;
    pin_to_top: boolean;
    push_notifications: NullableBoolean;
    rendered_description: string;
    stream_id: Id;
    stream_post_policy: number;
    stream_weekly_traffic: null | number;
    subscriber_count: number;
    subscribers?: Ids;
    topics_policy: TopicsPolicy;
    wildcard_mentions_notify: NullableBoolean;
  };
export type NullableBoolean = boolean | null;
export type SubscriptionAddEvent = { id: EventId; op: "add"; subscriptions: Subscription[]; type: "subscription" };
export type SubscriptionPeersEvent = {
    id: EventId;
    op: "peer_add" | "peer_remove";
    stream_ids: Ids;
    type: "subscription";
    user_ids: Ids;
  };
export type SubscriptionRemoveEvent = {
    id: EventId;
    op: "remove";
    subscriptions: { name: string; stream_id: Id }[];
    type: "subscription";
  };
export type SubscriptionUpdateEvent = {
    id: EventId;
    op: "update";
    property: string;
    stream_id: Id;
    type: "subscription";
    value: boolean | string;
  };
export type SystemBot = {
    avatar_url?: NullableString;
    avatar_version: number;
    bot_owner_id: NullableId;
    bot_type: number;
    date_joined: IsoTime;
    delivery_email: NullableString;
    email: string;
    full_name: string;
    is_admin: boolean;
    is_bot: true;
    is_guest: boolean;
    is_imported_stub: boolean;
    is_owner: boolean;
    is_system_bot: true;
    role: Role;
    timezone: string;
    user_id: Id;
  };
export type Timestamp = number;
export type TopicLink = { text: string; url: string };
export type TopicsPolicy = "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only" | "inherit";
export type TypingEditMessageEvent = {
    id: EventId;
    message_id: Id;
    op: "start" | "stop";
    recipient: { channel_id: Id; topic: string; type: "channel" } | { type: "direct"; user_ids: Ids };
    sender_id: Id;
    type: "typing_edit_message";
  };
export type TypingEvent = {
    id: EventId;
    message_type: "direct";
    op: "start" | "stop";
    recipients: TypingUser[];
    sender: TypingUser;
    type: "typing";
  } | {
    id: EventId;
    message_type: "stream";
    op: "start" | "stop";
    sender: TypingUser;
    stream_id: Id;
    topic: string;
    type: "typing";
  };
export type TypingUser = { email: string; user_id: Id };
export type UnreadMessages = {
    count: number;
    huddles: { unread_message_ids: Ids; user_ids_string: string }[];
    mentions: Ids;
    old_unreads_missing: boolean;
    pms: { other_user_id: Id; sender_id: Id; unread_message_ids: Ids }[];
    streams: { stream_id: Id; topic: string; unread_message_ids: Ids }[];
  };
export type UpdateMessageEvent = {
    buttons?: Button[];
    content?: string;
    edit_timestamp: Timestamp;
    flags: MessageFlags;
    id: EventId;
    is_me_message?: boolean;
    message_id: Id;
    message_ids: Ids;
    new_stream_id?: Id;
    orig_content?: string;
    orig_rendered_content?: string;
    orig_subject?: string;
    propagate_mode?: "change_all" | "change_later" | "change_one";
    rendered_content?: string;
    rendering_only: boolean;
    stream_id?: Id;
    stream_name?: string;
    subject?: string;
    topic_links?: TopicLink[];
    type: "update_message";
    user_id: NullableId;
  };
export type UpdateMessageFlagsEvent = {
    all: false;
    flag: "collapsed" | "starred";
    id: EventId;
    messages: Ids;
    op: "remove";
    operation: "remove";
    type: "update_message_flags";
  } | {
    all: false;
    flag: "read";
    id: EventId;
    message_details: Record<string, MessageDetail>;
    messages: Ids;
    op: "remove";
    operation: "remove";
    type: "update_message_flags";
  } | {
    all: false;
    flag: EditableMessageFlag;
    id: EventId;
    messages: Ids;
    op: "add";
    operation: "add";
    type: "update_message_flags";
  } | {
    all: true;
    flag: "read";
    id: EventId;
    messages: any[];
    op: "add";
    operation: "add";
    type: "update_message_flags";
  };
export type MessageDetail = { mentioned?: true; stream_id: Id; topic: string; type: "stream" } | { mentioned?: true; type: "private"; user_ids: Ids };
export type User = EventBot | EventHuman;
export type EventBot = {
    avatar_url?: NullableString;
    avatar_version: number;
    bot_owner_id: NullableId;
    bot_type: number;
    date_joined: IsoTime;
    delivery_email: NullableString;
    email: string;
    full_name: string;
    is_active: boolean;
    is_admin: boolean;
    is_bot: true;
    is_guest: boolean;
    is_imported_stub: boolean;
    is_owner: boolean;
    role: Role;
    timezone: string;
    user_id: Id;
  };
export type EventHuman = {
    avatar_url?: NullableString;
    avatar_version: number;
    date_joined: IsoTime;
    delivery_email: NullableString;
    email: string;
    full_name: string;
    is_active: boolean;
    is_admin: boolean;
    is_bot: false;
    is_guest: boolean;
    is_imported_stub: boolean;
    is_owner: boolean;
    profile_data?: ProfileData;
    role: Role;
    timezone: string;
    user_id: Id;
  };
export type UserGroup = {
    can_add_members_group: GroupSettingValue;
    can_join_group: GroupSettingValue;
    can_leave_group: GroupSettingValue;
    can_manage_group: GroupSettingValue;
    can_mention_group: GroupSettingValue;
    can_remove_members_group: GroupSettingValue;
    creator_id: NullableId;
    date_created: NullableTimestamp;
    deactivated: boolean;
    description: string;
    direct_subgroup_ids: Ids;
    id: Id;
    is_system_group: boolean;
    members: Ids;
    name: string;
  };
export type UserGroupAddEvent = { group: UserGroup; id: EventId; op: "add"; type: "user_group" };
export type UserGroupMembersEvent = {
    group_id: Id;
    id: EventId;
    op: "add_members" | "remove_members";
    type: "user_group";
    user_ids: Ids;
  };
export type UserGroupRemoveEvent = { group_id: Id; id: EventId; op: "remove"; type: "user_group" };
export type UserGroupSubgroupsEvent = {
    direct_subgroup_ids: Ids;
    group_id: Id;
    id: EventId;
    op: "add_subgroups" | "remove_subgroups";
    type: "user_group";
  };
export type UserGroupUpdateEvent = {
    data: {
    can_add_members_group?: GroupSettingValue;
    can_join_group?: GroupSettingValue;
    can_leave_group?: GroupSettingValue;
    can_manage_group?: GroupSettingValue;
    can_mention_group?: GroupSettingValue;
    can_remove_members_group?: GroupSettingValue;
    deactivated?: boolean;
    description?: string;
    name?: string;
  };
    group_id: Id;
    id: EventId;
    op: "update";
    type: "user_group";
  };
export type UserSettingDefaultName = "automatically_follow_topics_policy" | "automatically_follow_topics_where_mentioned" | "automatically_unmute_topics_in_muted_streams_policy" | "color_scheme" | "default_language" | "demote_inactive_streams" | "desktop_icon_count_display" | "display_emoji_reaction_users" | "email_address_visibility" | "email_notifications_batching_period_seconds" | "emojiset" | "enable_desktop_notifications" | "enable_digest_emails" | "enable_drafts_synchronization" | "enable_followed_topic_audible_notifications" | "enable_followed_topic_desktop_notifications" | "enable_followed_topic_email_notifications" | "enable_followed_topic_push_notifications" | "enable_followed_topic_wildcard_mentions_notify" | "enable_login_emails" | "enable_marketing_emails" | "enable_offline_email_notifications" | "enable_offline_push_notifications" | "enable_online_push_notifications" | "enable_sounds" | "enable_stream_audible_notifications" | "enable_stream_desktop_notifications" | "enable_stream_email_notifications" | "enable_stream_push_notifications" | "enter_sends" | "fluid_layout_width" | "hide_ai_features" | "high_contrast_mode" | "left_side_userlist" | "message_content_in_email_notifications" | "notification_sound" | "pm_content_in_desktop_notifications" | "presence_enabled" | "realm_name_in_email_notifications_policy" | "receives_typing_notifications" | "resolved_topic_notice_auto_read_policy" | "send_private_typing_notifications" | "send_read_receipts" | "send_stream_typing_notifications" | "starred_message_counts" | "translate_emoticons" | "twenty_four_hour_time" | "user_list_style" | "web_animate_image_previews" | "web_channel_default_view" | "web_escape_navigates_to_home_view" | "web_font_size_px" | "web_home_view" | "web_inbox_show_channel_folders" | "web_left_sidebar_show_channel_folders" | "web_left_sidebar_unreads_count_summary" | "web_line_height_percent" | "web_mark_read_on_scroll_policy" | "web_navigate_to_sent_message" | "web_stream_unreads_count_display_policy" | "web_suggest_update_timezone" | "wildcard_mentions_notify";
export type UserSettings = {
    allow_private_data_export: boolean;
    automatically_follow_topics_policy: number;
    automatically_follow_topics_where_mentioned: boolean;
    automatically_unmute_topics_in_muted_streams_policy: number;
    available_notification_sounds: Strings;
    color_scheme: number;
    default_language: "ar" | "be" | "bg" | "bn" | "bqi" | "ca" | "cs" | "cy" | "da" | "de" | "el" | "en" | "en-gb" | "eo" | "es" | "eu" | "fa" | "fi" | "fr" | "gl" | "gu" | "he" | "hi" | "hr" | "hu" | "id" | "it" | "ja" | "ka" | "ko" | "lt" | "lv" | "ml" | "mn" | "nb" | "nl" | "pl" | "pt" | "pt-br" | "ro" | "ru" | "si" | "sk" | "sl" | "sr" | "sv" | "ta" | "th" | "tl" | "tr" | "uk" | "ur" | "uz" | "vi" | "zh-hans" | "zh-hant" | "zh-tw";
    demote_inactive_streams: number;
    desktop_icon_count_display: number;
    display_emoji_reaction_users: boolean;
    email_address_visibility: number;
    email_notifications_batching_period_seconds: number;
    emojiset: "google" | "google-blob" | "text" | "twitter";
    emojiset_choices: { key: string; text: string }[];
    enable_desktop_notifications: boolean;
    enable_digest_emails: boolean;
    enable_drafts_synchronization: boolean;
    enable_followed_topic_audible_notifications: boolean;
    enable_followed_topic_desktop_notifications: boolean;
    enable_followed_topic_email_notifications: boolean;
    enable_followed_topic_push_notifications: boolean;
    enable_followed_topic_wildcard_mentions_notify: boolean;
    enable_login_emails: boolean;
    enable_marketing_emails: boolean;
    enable_offline_email_notifications: boolean;
    enable_offline_push_notifications: boolean;
    enable_online_push_notifications: boolean;
    enable_sounds: boolean;
    enable_stream_audible_notifications: boolean;
    enable_stream_desktop_notifications: boolean;
    enable_stream_email_notifications: boolean;
    enable_stream_push_notifications: boolean;
    enter_sends: boolean;
    fluid_layout_width: boolean;
    hide_ai_features: boolean;
    high_contrast_mode: boolean;
    left_side_userlist: boolean;
    message_content_in_email_notifications: boolean;
    notification_sound: "ding" | "none" | "zulip";
    pm_content_in_desktop_notifications: boolean;
    presence_enabled: boolean;
    realm_name_in_email_notifications_policy: number;
    receives_typing_notifications: boolean;
    resolved_topic_notice_auto_read_policy: "always" | "except_followed" | "never";
    send_private_typing_notifications: boolean;
    send_read_receipts: boolean;
    send_stream_typing_notifications: boolean;
    starred_message_counts: boolean;
    timezone: string;
    translate_emoticons: boolean;
    twenty_four_hour_time: boolean | null;
    user_list_style: number;
    web_animate_image_previews: "always" | "never" | "on_hover";
    web_channel_default_view: number;
    web_escape_navigates_to_home_view: boolean;
    web_font_size_px: number;
    web_home_view: "all_messages" | "inbox" | "recent";
    web_inbox_show_channel_folders: boolean;
    web_left_sidebar_show_channel_folders: boolean;
    web_left_sidebar_unreads_count_summary: boolean;
    web_line_height_percent: number;
    web_mark_read_on_scroll_policy: number;
    web_navigate_to_sent_message: boolean;
    web_stream_unreads_count_display_policy: number;
    web_suggest_update_timezone: boolean;
    wildcard_mentions_notify: boolean;
  };
export type UserSettingsUpdateEvent = {
    id: EventId;
    language_name?: string;
    op: "update";
    property: UserSettingName;
    type: "user_settings";
    value: boolean | null | number | string;
  };
export type UserSettingName = "allow_private_data_export" | "automatically_follow_topics_policy" | "automatically_follow_topics_where_mentioned" | "automatically_unmute_topics_in_muted_streams_policy" | "color_scheme" | "default_language" | "demote_inactive_streams" | "desktop_icon_count_display" | "display_emoji_reaction_users" | "email_address_visibility" | "email_notifications_batching_period_seconds" | "emojiset" | "enable_desktop_notifications" | "enable_digest_emails" | "enable_drafts_synchronization" | "enable_followed_topic_audible_notifications" | "enable_followed_topic_desktop_notifications" | "enable_followed_topic_email_notifications" | "enable_followed_topic_push_notifications" | "enable_followed_topic_wildcard_mentions_notify" | "enable_login_emails" | "enable_marketing_emails" | "enable_offline_email_notifications" | "enable_offline_push_notifications" | "enable_online_push_notifications" | "enable_sounds" | "enable_stream_audible_notifications" | "enable_stream_desktop_notifications" | "enable_stream_email_notifications" | "enable_stream_push_notifications" | "enter_sends" | "fluid_layout_width" | "hide_ai_features" | "high_contrast_mode" | "left_side_userlist" | "message_content_in_email_notifications" | "notification_sound" | "pm_content_in_desktop_notifications" | "presence_enabled" | "realm_name_in_email_notifications_policy" | "receives_typing_notifications" | "resolved_topic_notice_auto_read_policy" | "send_private_typing_notifications" | "send_read_receipts" | "send_stream_typing_notifications" | "starred_message_counts" | "timezone" | "translate_emoticons" | "twenty_four_hour_time" | "user_list_style" | "web_animate_image_previews" | "web_channel_default_view" | "web_escape_navigates_to_home_view" | "web_font_size_px" | "web_home_view" | "web_inbox_show_channel_folders" | "web_left_sidebar_show_channel_folders" | "web_left_sidebar_unreads_count_summary" | "web_line_height_percent" | "web_mark_read_on_scroll_policy" | "web_navigate_to_sent_message" | "web_stream_unreads_count_display_policy" | "web_suggest_update_timezone" | "wildcard_mentions_notify";
export type UserStatus = {
    away?: true;
    emoji_code: string;
    emoji_name: string;
    reaction_type: ReactionType;
    scheduled_end_time?: Timestamp;
    status_text?: string;
  } | { away?: true; scheduled_end_time?: Timestamp; status_text?: string };
export type UserStatusEvent = {
    away?: boolean;
    emoji_code?: string;
    emoji_name?: string;
    id: EventId;
    reaction_type?: ReactionType;
    scheduled_end_time?: null | number;
    status_text?: string;
    type: "user_status";
    user_id: Id;
  };
export type UserTopicEvent = {
    id: EventId;
    last_updated: Timestamp;
    stream_id: Id;
    topic_name: string;
    type: "user_topic";
    visibility_policy: VisibilityPolicy;
  };
export type VisibilityPolicy = number;
