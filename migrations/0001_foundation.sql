-- Foundation: organization, people, groups, channels, messages, the event log and its queues.
--
-- Conventions. Times are UNIX seconds in UTC (INTEGER) unless the column ends in _us (microseconds).
-- Booleans are 0 or 1. JSON columns hold text that SQLite's own JSON functions read.
-- "realm" is the wire name of the organization. Rows are never reused: ids that clients
-- have seen are AUTOINCREMENT. The same files serve the native host and Spin; forward only.

CREATE TABLE realms (
    id                  INTEGER PRIMARY KEY,
    string_id           TEXT    NOT NULL UNIQUE,
    uuid                TEXT    NOT NULL UNIQUE,
    name                TEXT    NOT NULL,
    description         TEXT    NOT NULL DEFAULT '',
    rendered_description TEXT   NOT NULL DEFAULT '',
    date_created        INTEGER NOT NULL,
    deactivated         INTEGER NOT NULL DEFAULT 0 CHECK (deactivated IN (0, 1)),
    -- Settings that differ from their default, by wire name without the prefix realm_.
    -- Group-valued settings are in group_settings, where they can be found from the group.
    settings            TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(settings))
) STRICT;

CREATE TABLE users (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    email               TEXT    NOT NULL,               -- API email
    email_folded        TEXT    NOT NULL,
    delivery_email      TEXT    NOT NULL,               -- real address
    delivery_email_folded TEXT  NOT NULL,
    full_name           TEXT    NOT NULL,
    full_name_folded    TEXT    NOT NULL,
    role                INTEGER NOT NULL CHECK (role IN (100, 200, 300, 400, 600)),
    is_active           INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
    is_bot              INTEGER NOT NULL DEFAULT 0 CHECK (is_bot IN (0, 1)),
    bot_type            INTEGER CHECK (bot_type BETWEEN 1 AND 4),
    bot_owner_id        INTEGER REFERENCES users (id),
    is_imported_stub    INTEGER NOT NULL DEFAULT 0 CHECK (is_imported_stub IN (0, 1)),
    date_joined         INTEGER NOT NULL,
    last_login          INTEGER,                        -- null until the first login
    timezone            TEXT    NOT NULL DEFAULT '',
    avatar_source       TEXT    NOT NULL DEFAULT 'J' CHECK (avatar_source IN ('G', 'U', 'J')),
    avatar_version      INTEGER NOT NULL DEFAULT 1,
    password_hash       TEXT,                           -- argon2id, PHC string; null: no password
    -- User settings that differ from their default, by wire name.
    settings            TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
    CHECK (is_bot = (bot_type IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX users_by_email ON users (realm_id, email_folded);
CREATE UNIQUE INDEX users_by_delivery_email ON users (realm_id, delivery_email_folded);
CREATE INDEX users_by_name ON users (realm_id, full_name_folded);
CREATE INDEX users_by_owner ON users (bot_owner_id) WHERE bot_owner_id IS NOT NULL;

-- API keys. Only hashes are stored, so a client that asks for a key anew gets a new one; the
-- others stay valid until the keys are rotated or the oldest gives way to the limit per user.
CREATE TABLE api_keys (
    hash                BLOB    PRIMARY KEY,            -- SHA-256 of the key
    user_id             INTEGER NOT NULL REFERENCES users (id),
    created             INTEGER NOT NULL,
    label               TEXT    NOT NULL DEFAULT ''     -- where the key was issued, for the operator
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_user ON api_keys (user_id, created);

-- Special permissions that no role carries: can_create_users, can_change_user_emails, can_forge_sender.
CREATE TABLE user_permissions (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    permission          TEXT    NOT NULL,
    PRIMARY KEY (user_id, permission)
) STRICT, WITHOUT ROWID;

CREATE TABLE user_statuses (
    user_id             INTEGER PRIMARY KEY REFERENCES users (id),
    status_text         TEXT    NOT NULL DEFAULT '',
    emoji_name          TEXT    NOT NULL DEFAULT '',
    emoji_code          TEXT    NOT NULL DEFAULT '',
    reaction_type       TEXT    NOT NULL DEFAULT 'unicode_emoji',
    updated             INTEGER NOT NULL
) STRICT;

-- User groups. A group without a name is the value of one permission (a nameless group).
CREATE TABLE user_groups (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    name                TEXT,
    description         TEXT    NOT NULL DEFAULT '',
    is_system_group     INTEGER NOT NULL DEFAULT 0 CHECK (is_system_group IN (0, 1)),
    deactivated         INTEGER NOT NULL DEFAULT 0 CHECK (deactivated IN (0, 1)),
    creator_id          INTEGER REFERENCES users (id),
    date_created        INTEGER
) STRICT;
CREATE UNIQUE INDEX user_groups_by_name ON user_groups (realm_id, name) WHERE name IS NOT NULL;

CREATE TABLE user_group_members (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    group_id            INTEGER NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_group_members_by_group ON user_group_members (group_id, user_id);

CREATE TABLE user_group_subgroups (
    supergroup_id       INTEGER NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    subgroup_id         INTEGER NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    PRIMARY KEY (supergroup_id, subgroup_id),
    CHECK (supergroup_id <> subgroup_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_group_subgroups_by_subgroup ON user_group_subgroups (subgroup_id, supergroup_id);

-- Transitive closure of the nesting, every group with itself included, kept by the store
-- whenever user_group_subgroups changes. "Does this user hold this permission" becomes one
-- probe per group that the user is a direct member of, however deep the nesting.
CREATE TABLE user_group_closure (
    supergroup_id       INTEGER NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    subgroup_id         INTEGER NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    PRIMARY KEY (supergroup_id, subgroup_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_group_closure_by_subgroup ON user_group_closure (subgroup_id, supergroup_id);

-- Every permission that is held by a group: of the organization, of a group, of a channel.
CREATE TABLE group_settings (
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    owner_type          TEXT    NOT NULL CHECK (owner_type IN ('realm', 'user_group', 'channel')),
    owner_id            INTEGER NOT NULL,
    name                TEXT    NOT NULL,               -- wire name without the prefix realm_
    group_id            INTEGER NOT NULL REFERENCES user_groups (id),
    PRIMARY KEY (owner_type, owner_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_settings_by_group ON group_settings (group_id);

-- A conversation is what a message is sent to; its id is the recipient_id of the wire.
-- members_key of a direct conversation: sorted user ids joined by commas.
CREATE TABLE conversations (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    kind                TEXT    NOT NULL CHECK (kind IN ('channel', 'direct')),
    members_key         TEXT,
    CHECK ((kind = 'direct') = (members_key IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX conversations_by_members ON conversations (realm_id, members_key) WHERE members_key IS NOT NULL;

CREATE TABLE conversation_members (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    conversation_id     INTEGER NOT NULL REFERENCES conversations (id),
    PRIMARY KEY (user_id, conversation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_members_by_conversation ON conversation_members (conversation_id, user_id);

CREATE TABLE channels (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    conversation_id     INTEGER NOT NULL UNIQUE REFERENCES conversations (id),
    name                TEXT    NOT NULL,
    name_folded         TEXT    NOT NULL,
    description         TEXT    NOT NULL DEFAULT '',
    rendered_description TEXT   NOT NULL DEFAULT '',
    date_created        INTEGER NOT NULL,
    creator_id          INTEGER REFERENCES users (id),
    invite_only         INTEGER NOT NULL DEFAULT 0 CHECK (invite_only IN (0, 1)),
    history_public_to_subscribers INTEGER NOT NULL DEFAULT 1 CHECK (history_public_to_subscribers IN (0, 1)),
    is_web_public       INTEGER NOT NULL DEFAULT 0 CHECK (is_web_public IN (0, 1)),
    is_archived         INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
    is_recently_active  INTEGER NOT NULL DEFAULT 1 CHECK (is_recently_active IN (0, 1)),
    message_retention_days INTEGER,
    topics_policy       TEXT    NOT NULL DEFAULT 'inherit'
                        CHECK (topics_policy IN ('inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only')),
    folder_id           INTEGER,
    first_message_id    INTEGER
) STRICT;
CREATE UNIQUE INDEX channels_by_name ON channels (realm_id, name_folded);

CREATE TABLE default_channels (
    channel_id          INTEGER PRIMARY KEY REFERENCES channels (id)
) STRICT;

CREATE TABLE subscriptions (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    channel_id          INTEGER NOT NULL REFERENCES channels (id),
    -- 0 keeps the personal settings of a user who has left, for the day they return.
    active              INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    color               TEXT    NOT NULL,
    is_muted            INTEGER NOT NULL DEFAULT 0 CHECK (is_muted IN (0, 1)),
    pin_to_top          INTEGER NOT NULL DEFAULT 0 CHECK (pin_to_top IN (0, 1)),
    -- null: the user's own default applies
    desktop_notifications INTEGER CHECK (desktop_notifications IN (0, 1)),
    email_notifications INTEGER CHECK (email_notifications IN (0, 1)),
    push_notifications  INTEGER CHECK (push_notifications IN (0, 1)),
    audible_notifications INTEGER CHECK (audible_notifications IN (0, 1)),
    wildcard_mentions_notify INTEGER CHECK (wildcard_mentions_notify IN (0, 1)),
    PRIMARY KEY (user_id, channel_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX subscriptions_by_channel ON subscriptions (channel_id, user_id) WHERE active = 1;

CREATE TABLE messages (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    sender_id           INTEGER NOT NULL REFERENCES users (id),
    conversation_id     INTEGER NOT NULL REFERENCES conversations (id),
    channel_id          INTEGER REFERENCES channels (id),   -- null: direct message
    topic               TEXT    NOT NULL DEFAULT '',
    topic_folded        TEXT    NOT NULL DEFAULT '',
    content             TEXT    NOT NULL,
    rendered_content    TEXT    NOT NULL,
    date_sent           INTEGER NOT NULL,
    client              TEXT    NOT NULL,
    last_edit_time      INTEGER,
    last_moved_time     INTEGER,
    edit_history        TEXT    CHECK (edit_history IS NULL OR json_valid(edit_history)),
    -- bit 1 link, 2 image, 4 attachment, 8 is_me_message
    properties          INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX messages_by_conversation ON messages (conversation_id, id);
CREATE INDEX messages_by_topic ON messages (channel_id, topic_folded, id) WHERE channel_id IS NOT NULL;
CREATE INDEX messages_by_date ON messages (date_sent, id);
CREATE INDEX messages_by_sender ON messages (sender_id, id);

-- One row for every user that a message was delivered to. flags: bit 1 read, 2 starred,
-- 4 collapsed, 8 mentioned, 16 stream_wildcard_mentioned, 32 topic_wildcard_mentioned,
-- 64 group_mentioned, 512 has_alert_word, 1024 historical, 2048 is_private.
CREATE TABLE user_messages (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    message_id          INTEGER NOT NULL REFERENCES messages (id),
    flags               INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_messages_by_message ON user_messages (message_id, user_id, flags);
CREATE INDEX user_messages_unread ON user_messages (user_id, message_id) WHERE flags & 1 = 0;
CREATE INDEX user_messages_starred ON user_messages (user_id, message_id) WHERE flags & 2 <> 0;
CREATE INDEX user_messages_private ON user_messages (user_id, message_id) WHERE flags & 2048 <> 0;
CREATE INDEX user_messages_mentioned ON user_messages (user_id, message_id) WHERE flags & 120 <> 0;

-- The log of everything that clients are told, written in the transaction of the change
-- itself. seq orders all events of the server; AUTOINCREMENT, because pruning must never
-- let a number return. audience: see crates/events.
CREATE TABLE event_log (
    seq                 INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    time                INTEGER NOT NULL,
    type                TEXT    NOT NULL,
    body                TEXT    NOT NULL CHECK (json_valid(body)),
    audience            TEXT    NOT NULL CHECK (json_valid(audience))
) STRICT;

-- A queue is a cursor and a filter over the log; what it holds is derived. The position that
-- the client has acknowledged is kept by the event-queue service in a file of its own.
CREATE TABLE event_queues (
    number              INTEGER PRIMARY KEY AUTOINCREMENT, -- order of creation, so that the service finds new ones
    id                  TEXT    NOT NULL UNIQUE,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    user_id             INTEGER NOT NULL REFERENCES users (id),
    base_seq            INTEGER NOT NULL,               -- events after this one belong to the queue
    created             INTEGER NOT NULL,
    idle_timeout_secs   INTEGER NOT NULL,
    registration        TEXT    NOT NULL CHECK (json_valid(registration))
) STRICT;
CREATE INDEX event_queues_by_user ON event_queues (user_id);

CREATE TABLE audit_log (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    time                INTEGER NOT NULL,
    acting_user_id      INTEGER REFERENCES users (id),  -- null: the operator, or the server itself
    modified_user_id    INTEGER REFERENCES users (id),
    event_type          TEXT    NOT NULL,
    data                TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(data))
) STRICT;
CREATE INDEX audit_log_by_time ON audit_log (realm_id, time);

-- Work that no request waits for. A job is claimed in a transaction, so that a repeated
-- call of the timer does nothing.
CREATE TABLE jobs (
    name                TEXT    PRIMARY KEY,
    due                 INTEGER NOT NULL,
    last_run            INTEGER,
    last_result         TEXT
) STRICT;
