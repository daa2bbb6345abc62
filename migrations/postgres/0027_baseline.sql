-- The schema of PostgreSQL, as the 27 migrations of SQLite leave it (docs/adr/0047-two-databases.md). What tables and
-- columns mean is said there. Later migrations have the same numbers in both folders.
--
-- Integers are BIGINT, truth values 0 or 1 as in SQLite: parameters have one type for both databases. JSON is text, since
-- it comes and goes as text. Text compares by bytes (COLLATE "C"), whatever the locale of the database. Ids may be given,
-- as imports do.

-- Functions of SQLite that PostgreSQL has under another name or not at all. The planner inlines them.

-- Text as JSON; of literals and parameters too.
CREATE FUNCTION json(value TEXT) RETURNS JSON LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CAST(value AS JSON) $$;

-- UNIX seconds as ISO 8601 with an offset.
CREATE FUNCTION iso_date(seconds BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT to_char(to_timestamp(seconds) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') $$;

-- 32 hexadecimal digits that nobody can guess.
CREATE FUNCTION random_name() RETURNS TEXT LANGUAGE sql VOLATILE PARALLEL SAFE AS
$$ SELECT replace(CAST(gen_random_uuid() AS TEXT), '-', '') $$;

-- JSON that is put together as text.
CREATE FUNCTION rtrim(value JSON, characters TEXT) RETURNS TEXT
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT rtrim(CAST(value AS TEXT), characters) $$;

-- A JSON list of integers, a JSON list of anything, and a JSON object, as rows.
CREATE FUNCTION json_ids(list TEXT) RETURNS TABLE (key BIGINT, value BIGINT)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20 AS
$$ SELECT e.place - 1, CAST(e.item AS BIGINT)
   FROM json_array_elements_text(CAST(list AS JSON)) WITH ORDINALITY AS e (item, place) $$;
CREATE FUNCTION json_texts(list TEXT) RETURNS TABLE (key BIGINT, value TEXT)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20 AS
$$ SELECT e.place - 1, e.item COLLATE "C"
   FROM json_array_elements_text(CAST(list AS JSON)) WITH ORDINALITY AS e (item, place) $$;
CREATE FUNCTION json_members(object TEXT) RETURNS TABLE (key TEXT, value TEXT)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20 AS
$$ SELECT e.name COLLATE "C", e.item COLLATE "C"
   FROM json_each_text(CAST(object AS JSON)) AS e (name, item) $$;

-- Raises an error for what is no JSON, where SQLite's returns 0: constraints use it.
CREATE FUNCTION json_valid(value TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CAST(value AS JSON) IS NOT NULL $$;
CREATE FUNCTION json_type(value TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT json_typeof(CAST(value AS JSON)) $$;
CREATE FUNCTION json_array_length(list TEXT) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CAST(json_array_length(CAST(list AS JSON)) AS BIGINT) $$;
CREATE FUNCTION json_quote(value TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CAST(to_json(value) AS TEXT) $$;
-- path: '$.' and the name of a member in quotes.
CREATE FUNCTION json_set(object TEXT, path TEXT, value JSON) RETURNS TEXT
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CAST(jsonb_set(CAST(object AS JSONB), ARRAY[CAST(substr(path, 3) AS JSONB) #>> '{}'],
       CAST(value AS JSONB)) AS TEXT) $$;
-- Adds the members of patch that are not null; it removes none.
CREATE FUNCTION json_patch(object JSON, patch JSON) RETURNS JSON
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CAST(CAST(object AS JSONB) || jsonb_strip_nulls(CAST(patch AS JSONB)) AS JSON) $$;

CREATE FUNCTION json_list(items ANYCOMPATIBLEARRAY) RETURNS JSON
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT array_to_json(items) $$;
-- An empty list when there are no rows, which json_agg has not.
CREATE AGGREGATE json_group_array (ANYCOMPATIBLE) (
    SFUNC = array_append, STYPE = ANYCOMPATIBLEARRAY, INITCOND = '{}', FINALFUNC = json_list
);

-- Members and elements of JSON that is kept as text.
CREATE FUNCTION json_member(object TEXT, name TEXT) RETURNS TEXT
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT (CAST(object AS JSON) ->> name) COLLATE "C" $$;
CREATE FUNCTION json_element(list TEXT, place INTEGER) RETURNS TEXT
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT (CAST(list AS JSON) ->> place) COLLATE "C" $$;
CREATE FUNCTION json_member_as_json(object TEXT, name TEXT) RETURNS TEXT
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CAST(CAST(object AS JSON) -> name AS TEXT) COLLATE "C" $$;
CREATE OPERATOR ->> (LEFTARG = TEXT, RIGHTARG = TEXT, FUNCTION = json_member);
CREATE OPERATOR ->> (LEFTARG = TEXT, RIGHTARG = INTEGER, FUNCTION = json_element);
CREATE OPERATOR -> (LEFTARG = TEXT, RIGHTARG = TEXT, FUNCTION = json_member_as_json);

CREATE FUNCTION iif(condition BOOLEAN, yes ANYCOMPATIBLE, no ANYCOMPATIBLE) RETURNS ANYCOMPATIBLE
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN condition THEN yes ELSE no END $$;
CREATE FUNCTION iif(condition BIGINT, yes ANYCOMPATIBLE, no ANYCOMPATIBLE) RETURNS ANYCOMPATIBLE
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN condition <> 0 THEN yes ELSE no END $$;

-- Of two values, null if one of them is, which greatest and least are not.
CREATE FUNCTION max(a BIGINT, b BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN a >= b THEN a WHEN a < b THEN b END $$;
CREATE FUNCTION min(a BIGINT, b BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN a <= b THEN a WHEN a > b THEN b END $$;

-- Which migrations this database has seen.
CREATE TABLE schema_migrations (
    number BIGINT PRIMARY KEY
);
INSERT INTO schema_migrations (number) VALUES (27);

CREATE TABLE realms (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    string_id TEXT COLLATE "C" NOT NULL UNIQUE,
    uuid TEXT COLLATE "C" NOT NULL UNIQUE,
    name TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL DEFAULT '',
    rendered_description TEXT COLLATE "C" NOT NULL DEFAULT '',
    date_created BIGINT NOT NULL,
    deactivated BIGINT NOT NULL DEFAULT 0 CHECK (deactivated IN (0, 1)),
    settings TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
    user_settings_defaults TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_valid(user_settings_defaults)),
    linkifiers_version TEXT COLLATE "C" NOT NULL DEFAULT '',
    icon_name TEXT COLLATE "C",
    icon_version BIGINT NOT NULL DEFAULT 1,
    logo_name TEXT COLLATE "C",
    logo_version BIGINT NOT NULL DEFAULT 1,
    night_logo_name TEXT COLLATE "C",
    night_logo_version BIGINT NOT NULL DEFAULT 1,
    upload_quota_mib BIGINT CHECK (upload_quota_mib >= 0),
    server_generation BIGINT NOT NULL DEFAULT 0,
    max_file_upload_size_mib BIGINT NOT NULL DEFAULT 25 CHECK (max_file_upload_size_mib BETWEEN 1 AND 1024)
);

CREATE TABLE users (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    email TEXT COLLATE "C" NOT NULL,
    email_folded TEXT COLLATE "C" NOT NULL,
    delivery_email TEXT COLLATE "C" NOT NULL,
    delivery_email_folded TEXT COLLATE "C" NOT NULL,
    full_name TEXT COLLATE "C" NOT NULL,
    full_name_folded TEXT COLLATE "C" NOT NULL,
    role BIGINT NOT NULL CHECK (role IN (100, 200, 300, 400, 600)),
    is_active BIGINT NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
    is_bot BIGINT NOT NULL DEFAULT 0 CHECK (is_bot IN (0, 1)),
    bot_type BIGINT CHECK (bot_type BETWEEN 1 AND 4),
    bot_owner_id BIGINT REFERENCES users (id),
    is_imported_stub BIGINT NOT NULL DEFAULT 0 CHECK (is_imported_stub IN (0, 1)),
    date_joined BIGINT NOT NULL,
    last_login BIGINT,
    timezone TEXT COLLATE "C" NOT NULL DEFAULT '',
    avatar_source TEXT COLLATE "C" NOT NULL DEFAULT 'J' CHECK (avatar_source IN ('G', 'U', 'J')),
    avatar_version BIGINT NOT NULL DEFAULT 1,
    password_hash TEXT COLLATE "C",
    settings TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
    avatar_name TEXT COLLATE "C",
    CHECK ((is_bot = 1) = (bot_type IS NOT NULL))
);
CREATE UNIQUE INDEX users_by_email ON users (realm_id, email_folded);
CREATE UNIQUE INDEX users_by_delivery_email ON users (realm_id, delivery_email_folded);
CREATE INDEX users_by_name ON users (realm_id, full_name_folded);
CREATE INDEX users_by_owner ON users (bot_owner_id) WHERE bot_owner_id IS NOT NULL;

CREATE TABLE api_keys (
    hash BYTEA PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id),
    created BIGINT NOT NULL,
    label TEXT COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX api_keys_by_user ON api_keys (user_id, created);

CREATE TABLE user_permissions (
    user_id BIGINT NOT NULL REFERENCES users (id),
    permission TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, permission)
);

CREATE TABLE user_statuses (
    user_id BIGINT PRIMARY KEY REFERENCES users (id),
    status_text TEXT COLLATE "C" NOT NULL DEFAULT '',
    emoji_name TEXT COLLATE "C" NOT NULL DEFAULT '',
    emoji_code TEXT COLLATE "C" NOT NULL DEFAULT '',
    reaction_type TEXT COLLATE "C" NOT NULL DEFAULT 'unicode_emoji',
    updated BIGINT NOT NULL
);

CREATE TABLE user_groups (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    name TEXT COLLATE "C",
    description TEXT COLLATE "C" NOT NULL DEFAULT '',
    is_system_group BIGINT NOT NULL DEFAULT 0 CHECK (is_system_group IN (0, 1)),
    deactivated BIGINT NOT NULL DEFAULT 0 CHECK (deactivated IN (0, 1)),
    creator_id BIGINT REFERENCES users (id),
    date_created BIGINT
);
CREATE UNIQUE INDEX user_groups_by_name ON user_groups (realm_id, name) WHERE name IS NOT NULL;

CREATE TABLE user_group_members (
    user_id BIGINT NOT NULL REFERENCES users (id),
    group_id BIGINT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, group_id)
);
CREATE INDEX user_group_members_by_group ON user_group_members (group_id, user_id);

CREATE TABLE user_group_subgroups (
    supergroup_id BIGINT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    subgroup_id BIGINT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    PRIMARY KEY (supergroup_id, subgroup_id),
    CHECK (supergroup_id <> subgroup_id)
);
CREATE INDEX user_group_subgroups_by_subgroup ON user_group_subgroups (subgroup_id, supergroup_id);

CREATE TABLE user_group_closure (
    supergroup_id BIGINT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    subgroup_id BIGINT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    PRIMARY KEY (supergroup_id, subgroup_id)
);
CREATE INDEX user_group_closure_by_subgroup ON user_group_closure (subgroup_id, supergroup_id);

CREATE TABLE group_settings (
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    owner_type TEXT COLLATE "C" NOT NULL CHECK (owner_type IN ('realm', 'user_group', 'channel')),
    owner_id BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    group_id BIGINT NOT NULL REFERENCES user_groups (id),
    PRIMARY KEY (owner_type, owner_id, name)
);
CREATE INDEX group_settings_by_group ON group_settings (group_id);

CREATE TABLE conversations (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('channel', 'direct')),
    members_key TEXT COLLATE "C",
    CHECK ((kind = 'direct') = (members_key IS NOT NULL))
);
CREATE UNIQUE INDEX conversations_by_members ON conversations (realm_id, members_key) WHERE members_key IS NOT NULL;

CREATE TABLE conversation_members (
    user_id BIGINT NOT NULL REFERENCES users (id),
    conversation_id BIGINT NOT NULL REFERENCES conversations (id),
    PRIMARY KEY (user_id, conversation_id)
);
CREATE INDEX conversation_members_by_conversation ON conversation_members (conversation_id, user_id);

CREATE TABLE channels (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    conversation_id BIGINT NOT NULL UNIQUE REFERENCES conversations (id),
    name TEXT COLLATE "C" NOT NULL,
    name_folded TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL DEFAULT '',
    rendered_description TEXT COLLATE "C" NOT NULL DEFAULT '',
    date_created BIGINT NOT NULL,
    creator_id BIGINT REFERENCES users (id),
    invite_only BIGINT NOT NULL DEFAULT 0 CHECK (invite_only IN (0, 1)),
    history_public_to_subscribers BIGINT NOT NULL DEFAULT 1 CHECK (history_public_to_subscribers IN (0, 1)),
    is_web_public BIGINT NOT NULL DEFAULT 0 CHECK (is_web_public IN (0, 1)),
    is_archived BIGINT NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
    is_recently_active BIGINT NOT NULL DEFAULT 1 CHECK (is_recently_active IN (0, 1)),
    message_retention_days BIGINT,
    topics_policy TEXT COLLATE "C" NOT NULL DEFAULT 'inherit' CHECK (topics_policy IN ('inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only')),
    folder_id BIGINT,
    first_message_id BIGINT,
    subscriber_count BIGINT NOT NULL DEFAULT 0,
    weekly_traffic BIGINT,
    activity_measured BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX channels_by_name ON channels (realm_id, name_folded);

CREATE TABLE default_channels (
    channel_id BIGINT PRIMARY KEY REFERENCES channels (id)
);

CREATE TABLE subscriptions (
    user_id BIGINT NOT NULL REFERENCES users (id),
    channel_id BIGINT NOT NULL REFERENCES channels (id),
    active BIGINT NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    color TEXT COLLATE "C" NOT NULL,
    is_muted BIGINT NOT NULL DEFAULT 0 CHECK (is_muted IN (0, 1)),
    pin_to_top BIGINT NOT NULL DEFAULT 0 CHECK (pin_to_top IN (0, 1)),
    desktop_notifications BIGINT CHECK (desktop_notifications IN (0, 1)),
    email_notifications BIGINT CHECK (email_notifications IN (0, 1)),
    push_notifications BIGINT CHECK (push_notifications IN (0, 1)),
    audible_notifications BIGINT CHECK (audible_notifications IN (0, 1)),
    wildcard_mentions_notify BIGINT CHECK (wildcard_mentions_notify IN (0, 1)),
    PRIMARY KEY (user_id, channel_id)
);
CREATE INDEX subscriptions_by_channel ON subscriptions (channel_id, user_id) WHERE active = 1;

CREATE TABLE messages (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    sender_id BIGINT NOT NULL REFERENCES users (id),
    conversation_id BIGINT NOT NULL REFERENCES conversations (id),
    channel_id BIGINT REFERENCES channels (id),
    topic TEXT COLLATE "C" NOT NULL DEFAULT '',
    topic_folded TEXT COLLATE "C" NOT NULL DEFAULT '',
    content TEXT COLLATE "C" NOT NULL,
    rendered_content TEXT COLLATE "C" NOT NULL,
    date_sent BIGINT NOT NULL,
    client TEXT COLLATE "C" NOT NULL,
    last_edit_time BIGINT,
    last_moved_time BIGINT,
    edit_history TEXT COLLATE "C" CHECK (edit_history IS NULL OR json_valid(edit_history)),
    properties BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX messages_by_conversation ON messages (conversation_id, id);
CREATE INDEX messages_by_topic ON messages (channel_id, topic_folded, id) WHERE channel_id IS NOT NULL;
CREATE INDEX messages_by_date ON messages (date_sent, id);
CREATE INDEX messages_by_sender ON messages (sender_id, id);

CREATE TABLE user_messages (
    user_id BIGINT NOT NULL REFERENCES users (id),
    message_id BIGINT NOT NULL REFERENCES messages (id),
    flags BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, message_id)
);
CREATE INDEX user_messages_by_message ON user_messages (message_id, user_id, flags);
CREATE INDEX user_messages_unread ON user_messages (user_id, message_id) WHERE flags & 1 = 0;
CREATE INDEX user_messages_starred ON user_messages (user_id, message_id) WHERE flags & 2 <> 0;
CREATE INDEX user_messages_private ON user_messages (user_id, message_id) WHERE flags & 2048 <> 0;
CREATE INDEX user_messages_mentioned ON user_messages (user_id, message_id) WHERE flags & 120 <> 0;

-- Transactions commit in another order than they draw ids in. So each adds its events to the outbox, and one transaction
-- at a time moves what is committed into the log, where `seq` is the order of delivery; `origin` is the row's id in the
-- outbox (docs/adr/0051-the-order-of-the-log.md).
CREATE TABLE event_outbox (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    time BIGINT NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL CHECK (json_valid(body)),
    audience TEXT COLLATE "C" NOT NULL CHECK (json_valid(audience))
);

CREATE TABLE event_log (
    seq BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    origin BIGINT NOT NULL DEFAULT 0,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    time BIGINT NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL CHECK (json_valid(body)),
    audience TEXT COLLATE "C" NOT NULL CHECK (json_valid(audience))
);

CREATE TABLE event_queues (
    number BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    id TEXT COLLATE "C" NOT NULL UNIQUE,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    base_seq BIGINT NOT NULL,
    created BIGINT NOT NULL,
    idle_timeout_secs BIGINT NOT NULL,
    registration TEXT COLLATE "C" NOT NULL CHECK (json_valid(registration))
);
CREATE INDEX event_queues_by_user ON event_queues (user_id);

CREATE TABLE audit_log (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    time BIGINT NOT NULL,
    acting_user_id BIGINT REFERENCES users (id),
    modified_user_id BIGINT REFERENCES users (id),
    event_type TEXT COLLATE "C" NOT NULL,
    data TEXT COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_valid(data))
);
CREATE INDEX audit_log_by_time ON audit_log (realm_id, time);

CREATE TABLE jobs (
    name TEXT COLLATE "C" PRIMARY KEY,
    due BIGINT NOT NULL,
    last_run BIGINT,
    last_result TEXT COLLATE "C"
);
CREATE INDEX user_groups_of_system ON user_groups (realm_id) WHERE is_system_group = 1;

CREATE TABLE profile_fields (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    name TEXT COLLATE "C" NOT NULL,
    hint TEXT COLLATE "C" NOT NULL DEFAULT '',
    type BIGINT NOT NULL CHECK (type BETWEEN 1 AND 8),
    field_data TEXT COLLATE "C" NOT NULL DEFAULT '',
    position BIGINT NOT NULL,
    required BIGINT NOT NULL DEFAULT 0 CHECK (required IN (0, 1)),
    editable_by_user BIGINT NOT NULL DEFAULT 1 CHECK (editable_by_user IN (0, 1)),
    in_summary BIGINT NOT NULL DEFAULT 0 CHECK (in_summary IN (0, 1)),
    matches_users BIGINT NOT NULL DEFAULT 0 CHECK (matches_users IN (0, 1)),
    CHECK (field_data = '' OR json_valid(field_data))
);
CREATE UNIQUE INDEX profile_fields_by_name ON profile_fields (realm_id, name);

CREATE TABLE profile_values (
    user_id BIGINT NOT NULL REFERENCES users (id),
    field_id BIGINT NOT NULL REFERENCES profile_fields (id) ON DELETE CASCADE,
    value TEXT COLLATE "C" NOT NULL,
    rendered_value TEXT COLLATE "C",
    PRIMARY KEY (user_id, field_id)
);
CREATE INDEX profile_values_by_field ON profile_values (field_id);
CREATE INDEX users_by_role ON users (realm_id, role, is_active);

CREATE TABLE saved_snippets (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id),
    title TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    date_created BIGINT NOT NULL
);
CREATE INDEX saved_snippets_by_user ON saved_snippets (user_id, id);

CREATE TABLE navigation_views (
    user_id BIGINT NOT NULL REFERENCES users (id),
    fragment TEXT COLLATE "C" NOT NULL,
    is_pinned BIGINT NOT NULL CHECK (is_pinned IN (0, 1)),
    name TEXT COLLATE "C",
    PRIMARY KEY (user_id, fragment)
);
CREATE UNIQUE INDEX navigation_views_by_name ON navigation_views (user_id, name) WHERE name IS NOT NULL;

CREATE TABLE push_tokens (
    user_id BIGINT NOT NULL REFERENCES users (id),
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('apns', 'fcm')),
    token TEXT COLLATE "C" NOT NULL,
    app_id TEXT COLLATE "C",
    created BIGINT NOT NULL,
    PRIMARY KEY (user_id, kind, token)
);

CREATE TABLE push_accounts (
    user_id BIGINT NOT NULL REFERENCES users (id),
    push_account_id BIGINT NOT NULL,
    token_kind TEXT COLLATE "C" NOT NULL CHECK (token_kind IN ('apns', 'fcm')),
    push_key TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL CHECK (status IN ('active', 'pending', 'failed')),
    error_code TEXT COLLATE "C",
    updated BIGINT NOT NULL,
    service_device_id BIGINT,
    PRIMARY KEY (user_id, push_account_id)
);

CREATE TABLE devices (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id),
    created BIGINT NOT NULL,
    push_key TEXT COLLATE "C",
    push_key_id BIGINT,
    token_kind TEXT COLLATE "C" CHECK (token_kind IN ('apns', 'fcm')),
    push_token_id TEXT COLLATE "C",
    pending_push_token_id TEXT COLLATE "C",
    push_token_last_updated_timestamp BIGINT,
    push_registration_error_code TEXT COLLATE "C"
);
CREATE INDEX devices_by_user ON devices (user_id, id);

CREATE TABLE presences (
    user_id BIGINT PRIMARY KEY REFERENCES users (id),
    active_timestamp BIGINT NOT NULL,
    idle_timestamp BIGINT NOT NULL,
    update_id BIGINT NOT NULL
);
CREATE UNIQUE INDEX presences_by_update ON presences (update_id);

CREATE TABLE muted_users (
    user_id BIGINT NOT NULL REFERENCES users (id),
    muted_user_id BIGINT NOT NULL REFERENCES users (id),
    created BIGINT NOT NULL,
    PRIMARY KEY (user_id, muted_user_id),
    CHECK (user_id <> muted_user_id)
);
CREATE INDEX muted_users_by_muted ON muted_users (muted_user_id, user_id);

CREATE TABLE alert_words (
    user_id BIGINT NOT NULL REFERENCES users (id),
    word_folded TEXT COLLATE "C" NOT NULL,
    word TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (user_id, word_folded)
);
CREATE INDEX alert_words_by_word ON alert_words (word_folded, user_id);

CREATE TABLE edited_settings (
    user_id BIGINT NOT NULL REFERENCES users (id),
    name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, name)
);

CREATE TABLE bots (
    user_id BIGINT PRIMARY KEY REFERENCES users (id),
    default_sending_channel_id BIGINT REFERENCES channels (id),
    default_events_register_channel_id BIGINT REFERENCES channels (id),
    default_all_public_streams BIGINT NOT NULL DEFAULT 0 CHECK (default_all_public_streams IN (0, 1)),
    services TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (json_valid(services))
);

CREATE TABLE user_activity (
    user_id BIGINT PRIMARY KEY REFERENCES users (id),
    last_active BIGINT NOT NULL
);

CREATE TABLE channel_folders (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    name TEXT COLLATE "C" NOT NULL,
    name_folded TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL DEFAULT '',
    rendered_description TEXT COLLATE "C" NOT NULL DEFAULT '',
    position BIGINT NOT NULL,
    date_created BIGINT,
    creator_id BIGINT REFERENCES users (id),
    is_archived BIGINT NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1))
);
CREATE UNIQUE INDEX channel_folders_by_name ON channel_folders (realm_id, name_folded);
CREATE INDEX channels_by_folder ON channels (folder_id) WHERE folder_id IS NOT NULL;
CREATE INDEX channels_by_measurement ON channels (activity_measured);

CREATE TABLE linkifiers (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    position BIGINT NOT NULL,
    pattern TEXT COLLATE "C" NOT NULL,
    url_template TEXT COLLATE "C" NOT NULL,
    example_input TEXT COLLATE "C",
    reverse_template TEXT COLLATE "C",
    alternative_url_templates TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (json_valid(alternative_url_templates))
);
CREATE UNIQUE INDEX linkifiers_by_pattern ON linkifiers (realm_id, pattern);
CREATE INDEX linkifiers_by_position ON linkifiers (realm_id, position, id);

CREATE TABLE attachments (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    owner_id BIGINT NOT NULL REFERENCES users (id),
    path_id TEXT COLLATE "C" NOT NULL UNIQUE,
    blob_key TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    content_type TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    create_time BIGINT NOT NULL,
    width BIGINT,
    height BIGINT,
    preview_key TEXT COLLATE "C",
    moves BIGINT NOT NULL DEFAULT 0 CHECK (moves IN (0, 1)),
    transcoded_key TEXT COLLATE "C",
    CHECK ((preview_key IS NULL) = (width IS NULL) AND (width IS NULL) = (height IS NULL))
);
CREATE INDEX attachments_by_owner ON attachments (owner_id, id);
CREATE INDEX attachments_by_realm ON attachments (realm_id, size);
CREATE INDEX attachments_by_time ON attachments (create_time);

CREATE TABLE attachment_messages (
    attachment_id BIGINT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
    message_id BIGINT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    PRIMARY KEY (attachment_id, message_id)
);
CREATE INDEX attachment_messages_by_message ON attachment_messages (message_id, attachment_id);

CREATE TABLE realm_emoji (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    name TEXT COLLATE "C" NOT NULL,
    author_id BIGINT REFERENCES users (id),
    file_name TEXT COLLATE "C" NOT NULL,
    still_file_name TEXT COLLATE "C",
    deactivated BIGINT NOT NULL DEFAULT 0 CHECK (deactivated IN (0, 1)),
    date_created BIGINT NOT NULL
);
CREATE UNIQUE INDEX realm_emoji_by_name ON realm_emoji (realm_id, name) WHERE deactivated = 0;

CREATE TABLE blob_deletions (
    key TEXT COLLATE "C" PRIMARY KEY,
    due BIGINT NOT NULL
);
CREATE INDEX blob_deletions_by_due ON blob_deletions (due);

CREATE TABLE file_secrets (
    realm_id BIGINT PRIMARY KEY REFERENCES realms (id),
    secret BYTEA NOT NULL
);
CREATE UNIQUE INDEX users_by_avatar_name ON users (avatar_name) WHERE avatar_name IS NOT NULL;

CREATE TABLE submessages (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    message_id BIGINT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    sender_id BIGINT NOT NULL REFERENCES users (id),
    msg_type TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL
);
CREATE INDEX submessages_by_message ON submessages (message_id, id);
CREATE INDEX users_deactivated ON users (id) WHERE is_active = 0;

CREATE TABLE bot_storage (
    user_id BIGINT NOT NULL REFERENCES users (id),
    key TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, key)
);

CREATE TABLE bot_calls (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    bot_id BIGINT NOT NULL REFERENCES users (id),
    message_id BIGINT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    reason TEXT COLLATE "C" NOT NULL CHECK (reason IN ('direct_message', 'mention')),
    created BIGINT NOT NULL,
    due BIGINT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    claimed_until BIGINT NOT NULL DEFAULT 0,
    UNIQUE (bot_id, message_id)
);
CREATE INDEX bot_calls_by_due ON bot_calls (due, id);
CREATE INDEX bot_calls_by_message ON bot_calls (message_id);

CREATE TABLE user_topics (
    user_id BIGINT NOT NULL REFERENCES users (id),
    channel_id BIGINT NOT NULL REFERENCES channels (id),
    topic_folded TEXT COLLATE "C" NOT NULL,
    topic TEXT COLLATE "C" NOT NULL,
    visibility_policy BIGINT NOT NULL CHECK (visibility_policy IN (1, 2, 3)),
    last_updated BIGINT NOT NULL,
    PRIMARY KEY (user_id, channel_id, topic_folded)
);
CREATE INDEX user_topics_by_topic ON user_topics (channel_id, topic_folded, visibility_policy);

CREATE TABLE reactions (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    message_id BIGINT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id),
    reaction_type TEXT COLLATE "C" NOT NULL CHECK (reaction_type IN ('unicode_emoji', 'realm_emoji', 'zulip_extra_emoji', 'service_extra_emoji')),
    emoji_code TEXT COLLATE "C" NOT NULL,
    emoji_name TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX reactions_by_message ON reactions (message_id, emoji_code, reaction_type, user_id);
CREATE INDEX reactions_by_user ON reactions (user_id, message_id);
CREATE INDEX messages_with_image ON messages (id) WHERE properties & 2 <> 0;
CREATE INDEX messages_with_attachment ON messages (id) WHERE properties & 4 <> 0;
CREATE INDEX messages_resolved ON messages (id) WHERE substr(topic, 1, 2) = '✔ ';
CREATE INDEX user_messages_alerted ON user_messages (user_id, message_id) WHERE flags & 512 <> 0;

CREATE TABLE realm_domains (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    domain TEXT COLLATE "C" NOT NULL,
    allow_subdomains BIGINT NOT NULL CHECK (allow_subdomains IN (0, 1))
);
CREATE UNIQUE INDEX realm_domains_by_name ON realm_domains (realm_id, domain);

CREATE TABLE realm_playgrounds (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    name TEXT COLLATE "C" NOT NULL,
    pygments_language TEXT COLLATE "C" NOT NULL,
    url_template TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX realm_playgrounds_by_name ON realm_playgrounds (realm_id, pygments_language, name);
CREATE INDEX audit_log_address_changes ON audit_log (modified_user_id, time) WHERE event_type = 'user_email_changed';

CREATE TABLE scheduled_messages (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    channel_id BIGINT REFERENCES channels (id),
    recipients TEXT COLLATE "C" CHECK (recipients IS NULL OR json_valid(recipients)),
    topic TEXT COLLATE "C" NOT NULL DEFAULT '',
    content TEXT COLLATE "C" NOT NULL,
    rendered_content TEXT COLLATE "C" NOT NULL,
    deliver_at BIGINT NOT NULL,
    read_by_sender BIGINT NOT NULL CHECK (read_by_sender IN (0, 1)),
    client TEXT COLLATE "C" NOT NULL,
    realm_url TEXT COLLATE "C" NOT NULL,
    failure TEXT COLLATE "C",
    CHECK ((channel_id IS NULL) = (recipients IS NOT NULL))
);
CREATE INDEX scheduled_messages_by_user ON scheduled_messages (user_id, deliver_at, id);
CREATE INDEX scheduled_messages_due ON scheduled_messages (deliver_at, id) WHERE failure IS NULL;

CREATE TABLE reminders (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    message_id BIGINT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    content TEXT COLLATE "C" NOT NULL,
    rendered_content TEXT COLLATE "C" NOT NULL,
    deliver_at BIGINT NOT NULL,
    realm_url TEXT COLLATE "C" NOT NULL,
    failure TEXT COLLATE "C"
);
CREATE INDEX reminders_by_user ON reminders (user_id, deliver_at, id);
CREATE INDEX reminders_due ON reminders (deliver_at, id) WHERE failure IS NULL;
CREATE INDEX reminders_by_message ON reminders (message_id);

CREATE TABLE drafts (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id),
    type TEXT COLLATE "C" NOT NULL CHECK (type IN ('', 'stream', 'private')),
    recipients TEXT COLLATE "C" NOT NULL CHECK (json_valid(recipients)),
    topic TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    last_edit_time BIGINT NOT NULL
);
CREATE INDEX drafts_by_user ON drafts (user_id, last_edit_time, id);

CREATE TABLE realm_exports (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    acting_user_id BIGINT NOT NULL REFERENCES users (id),
    export_type TEXT COLLATE "C" NOT NULL CHECK (export_type IN ('public', 'full_with_consent', 'full_without_consent')),
    export_time BIGINT NOT NULL,
    realm_url TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" UNIQUE,
    blob_key TEXT COLLATE "C",
    size BIGINT,
    failed BIGINT,
    deleted BIGINT,
    CHECK ((path IS NULL) = (blob_key IS NULL))
);
CREATE INDEX realm_exports_pending ON realm_exports (id) WHERE path IS NULL AND failed IS NULL AND deleted IS NULL;
CREATE INDEX realm_exports_by_time ON realm_exports (realm_id, export_time);
CREATE INDEX messages_by_age ON messages (channel_id, date_sent);

CREATE TABLE invitations (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    inviter_id BIGINT NOT NULL REFERENCES users (id),
    nonce BYTEA NOT NULL UNIQUE CHECK (length(nonce) = 16),
    email TEXT COLLATE "C",
    email_folded TEXT COLLATE "C",
    invited_as BIGINT NOT NULL CHECK (invited_as IN (100, 200, 300, 400, 600)),
    created_at BIGINT NOT NULL,
    lifetime BIGINT CHECK (lifetime > 0),
    expires_at BIGINT,
    ended_at BIGINT,
    ended_by TEXT COLLATE "C" CHECK (ended_by IN ('use', 'revocation')),
    notifies_inviter BIGINT NOT NULL CHECK (notifies_inviter IN (0, 1)),
    joins_defaults BIGINT NOT NULL CHECK (joins_defaults IN (0, 1)),
    channel_ids TEXT COLLATE "C" NOT NULL CHECK (json_type(channel_ids) = 'array'),
    group_ids TEXT COLLATE "C" NOT NULL CHECK (json_type(group_ids) = 'array'),
    welcome_text TEXT COLLATE "C",
    CHECK ((email IS NULL) = (email_folded IS NULL)),
    CHECK ((lifetime IS NULL) = (expires_at IS NULL)),
    CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);
CREATE INDEX invitations_by_email ON invitations (realm_id, email_folded) WHERE ended_at IS NULL AND email_folded IS NOT NULL;
CREATE INDEX invitations_by_inviter ON invitations (inviter_id, created_at);
CREATE INDEX invitations_by_end ON invitations (coalesce(ended_at, expires_at));

CREATE TABLE push_service (
    realm_id BIGINT PRIMARY KEY REFERENCES realms (id),
    log_position BIGINT NOT NULL,
    can_push BIGINT NOT NULL DEFAULT 1 CHECK (can_push IN (0, 1)),
    end_timestamp BIGINT
);
CREATE INDEX devices_reached ON devices (user_id) WHERE push_token_id IS NOT NULL;
CREATE INDEX push_accounts_reached ON push_accounts (user_id) WHERE status = 'active';

CREATE TABLE push_calls (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('register', 'message', 'remove', 'test')),
    form TEXT COLLATE "C" NOT NULL CHECK (form IN ('device', 'account')),
    user_id BIGINT NOT NULL REFERENCES users (id),
    target BIGINT,
    message_id BIGINT REFERENCES messages (id) ON DELETE CASCADE,
    detail TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    due BIGINT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    claimed_until BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX push_calls_by_due ON push_calls (due, id);
CREATE INDEX push_calls_by_user ON push_calls (user_id, kind, form);
CREATE UNIQUE INDEX push_calls_by_message ON push_calls (message_id, user_id, form);

CREATE TABLE pushed_messages (
    user_id BIGINT NOT NULL REFERENCES users (id),
    message_id BIGINT NOT NULL,
    PRIMARY KEY (user_id, message_id)
);
CREATE INDEX pushed_messages_by_message ON pushed_messages (message_id, user_id);

CREATE TABLE message_moves (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    started BIGINT NOT NULL,
    message_id BIGINT NOT NULL,
    sender_id BIGINT NOT NULL REFERENCES users (id),
    content_changed BIGINT NOT NULL CHECK (content_changed IN (0, 1)),
    propagate_mode TEXT COLLATE "C" NOT NULL CHECK (propagate_mode IN ('change_later', 'change_all')),
    notify_old BIGINT NOT NULL CHECK (notify_old IN (0, 1)),
    notify_new BIGINT NOT NULL CHECK (notify_new IN (0, 1)),
    from_channel_id BIGINT NOT NULL REFERENCES channels (id),
    from_topic TEXT COLLATE "C" NOT NULL,
    from_topic_folded TEXT COLLATE "C" NOT NULL,
    to_channel_id BIGINT NOT NULL REFERENCES channels (id),
    to_topic TEXT COLLATE "C" NOT NULL,
    to_topic_folded TEXT COLLATE "C" NOT NULL,
    to_topic_existed BIGINT NOT NULL CHECK (to_topic_existed IN (0, 1)),
    only_received BIGINT NOT NULL CHECK (only_received IN (0, 1)),
    first_id BIGINT NOT NULL,
    last_id BIGINT NOT NULL,
    newest_id BIGINT NOT NULL,
    moved BIGINT NOT NULL
);

CREATE TABLE message_erasures (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    sender_id BIGINT NOT NULL REFERENCES users (id),
    user_id BIGINT NOT NULL REFERENCES users (id),
    public_channels BIGINT NOT NULL CHECK (public_channels IN (0, 1)),
    private_channels BIGINT NOT NULL CHECK (private_channels IN (0, 1)),
    direct BIGINT NOT NULL CHECK (direct IN (0, 1)),
    last_id BIGINT NOT NULL,
    erased BIGINT NOT NULL
);

CREATE TABLE resumable_uploads (
    id TEXT COLLATE "C" PRIMARY KEY,
    realm_id BIGINT NOT NULL REFERENCES realms (id),
    owner_id BIGINT NOT NULL REFERENCES users (id),
    name TEXT COLLATE "C" NOT NULL,
    content_type TEXT COLLATE "C",
    metadata TEXT COLLATE "C" NOT NULL DEFAULT '',
    size BIGINT NOT NULL CHECK (size >= 0),
    expires BIGINT NOT NULL,
    finished BIGINT NOT NULL DEFAULT 0 CHECK (finished IN (0, 1))
);
CREATE INDEX resumable_uploads_by_owner ON resumable_uploads (owner_id, size) WHERE finished = 0;
CREATE INDEX resumable_uploads_by_realm ON resumable_uploads (realm_id, size) WHERE finished = 0;
CREATE INDEX resumable_uploads_by_expiry ON resumable_uploads (expires);

CREATE TABLE sessions (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    hash BYTEA NOT NULL UNIQUE CHECK (length(hash) = 32),
    user_id BIGINT NOT NULL REFERENCES users (id),
    created BIGINT NOT NULL,
    last_used BIGINT NOT NULL,
    client TEXT COLLATE "C" NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, last_used);
CREATE INDEX sessions_by_use ON sessions (last_used);

CREATE TABLE sign_in_links (
    hash BYTEA NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    user_id BIGINT NOT NULL REFERENCES users (id),
    created BIGINT NOT NULL
);
CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id);

CREATE TABLE unread_left (
    user_id BIGINT NOT NULL REFERENCES users (id),
    channel_id BIGINT NOT NULL REFERENCES channels (id),
    last_id BIGINT NOT NULL,
    PRIMARY KEY (user_id, channel_id)
);

-- The highest id ever given, of tables whose ids are asked for.
CREATE VIEW last_ids AS
    SELECT 'messages' AS name, CASE WHEN is_called THEN last_value ELSE 0 END AS seq FROM messages_id_seq
    UNION ALL
    SELECT 'event_log', CASE WHEN is_called THEN last_value ELSE 0 END FROM event_log_seq_seq;

-- The full-text index: words and their places, as the program cuts them (docs/adr/0016-full-text-search.md).
CREATE TABLE message_search (
    rowid BIGINT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    words TSVECTOR NOT NULL
);
CREATE INDEX message_search_by_word ON message_search USING gin (words);

-- Active accounts that are subscribed to a channel, bots included.
CREATE FUNCTION count_subscriber() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    difference BIGINT := 0;
    row_now RECORD;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        difference := difference - OLD.active;
        row_now := OLD;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        difference := difference + NEW.active;
        row_now := NEW;
    END IF;
    IF difference <> 0 AND (SELECT is_active FROM users WHERE id = row_now.user_id) = 1 THEN
        UPDATE channels SET subscriber_count = subscriber_count + difference
        WHERE id = row_now.channel_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER subscribers_counted AFTER INSERT OR UPDATE OF active OR DELETE ON subscriptions
    FOR EACH ROW EXECUTE FUNCTION count_subscriber();

CREATE FUNCTION count_subscriptions() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE channels SET subscriber_count = subscriber_count + NEW.is_active - OLD.is_active
    WHERE id IN (SELECT channel_id FROM subscriptions WHERE user_id = NEW.id AND active = 1);
    RETURN NULL;
END $$;
CREATE TRIGGER subscribers_counted_account AFTER UPDATE OF is_active ON users
    FOR EACH ROW WHEN (NEW.is_active <> OLD.is_active) EXECUTE FUNCTION count_subscriptions();

-- The organization of the system bots, number 0.
INSERT INTO realms (id, string_id, uuid, name, date_created)
VALUES (0, 'spindleinternal', '00000000-0000-0000-0000-000000000000', 'System', 0);
