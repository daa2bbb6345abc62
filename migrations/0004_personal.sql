-- What users keep for themselves: presence, mutes, alert words, snippets, views, push devices;
-- and what is kept about bots.

CREATE TABLE saved_snippets (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id             INTEGER NOT NULL REFERENCES users (id),
    title               TEXT    NOT NULL,
    content             TEXT    NOT NULL,
    date_created        INTEGER NOT NULL
) STRICT;
CREATE INDEX saved_snippets_by_user ON saved_snippets (user_id, id);

CREATE TABLE navigation_views (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    fragment            TEXT    NOT NULL,
    is_pinned           INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
    name                TEXT,                           -- null: a built-in view
    PRIMARY KEY (user_id, fragment)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX navigation_views_by_name ON navigation_views (user_id, name) WHERE name IS NOT NULL;

-- Tokens of the deprecated push interface. kind: apns (iOS) or fcm (Android).
CREATE TABLE push_tokens (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    kind                TEXT    NOT NULL CHECK (kind IN ('apns', 'fcm')),
    token               TEXT    NOT NULL,
    app_id              TEXT,                           -- iOS only
    created             INTEGER NOT NULL,
    PRIMARY KEY (user_id, kind, token)
) STRICT, WITHOUT ROWID;

-- Registrations with the push service by an id that the client chose (feature levels 406 to 467).
CREATE TABLE push_accounts (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    push_account_id     INTEGER NOT NULL,
    token_kind          TEXT    NOT NULL CHECK (token_kind IN ('apns', 'fcm')),
    push_key            TEXT    NOT NULL,
    status              TEXT    NOT NULL CHECK (status IN ('active', 'pending', 'failed')),
    error_code          TEXT,
    updated             INTEGER NOT NULL,
    PRIMARY KEY (user_id, push_account_id)
) STRICT, WITHOUT ROWID;

-- Devices that are logged in, and their registration with the push service (feature level 468).
CREATE TABLE devices (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id             INTEGER NOT NULL REFERENCES users (id),
    created             INTEGER NOT NULL,
    push_key            TEXT,
    push_key_id         INTEGER,
    token_kind          TEXT    CHECK (token_kind IN ('apns', 'fcm')),
    push_token_id       TEXT,
    pending_push_token_id TEXT,
    push_token_last_updated_timestamp INTEGER,
    push_registration_error_code TEXT
) STRICT;
CREATE INDEX devices_by_user ON devices (user_id, id);

-- When users were last seen. update_id grows with every write, so that a client asks for what
-- is newer than what it has.
CREATE TABLE presences (
    user_id             INTEGER PRIMARY KEY REFERENCES users (id),
    active_timestamp    INTEGER NOT NULL,               -- last use of a client
    idle_timestamp      INTEGER NOT NULL,               -- last sign of life of a client
    update_id           INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX presences_by_update ON presences (update_id);

CREATE TABLE muted_users (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    muted_user_id       INTEGER NOT NULL REFERENCES users (id),
    created             INTEGER NOT NULL,
    PRIMARY KEY (user_id, muted_user_id),
    CHECK (user_id <> muted_user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX muted_users_by_muted ON muted_users (muted_user_id, user_id);

-- position: the order in which the words were added.
CREATE TABLE alert_words (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    word_folded         TEXT    NOT NULL,               -- lower case, as messages are searched
    word                TEXT    NOT NULL,
    position            INTEGER NOT NULL,
    PRIMARY KEY (user_id, word_folded)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_words_by_word ON alert_words (word_folded, user_id);

-- Settings that somebody has changed for themselves, so that an administrator's change of many
-- accounts can leave these alone.
CREATE TABLE edited_settings (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    name                TEXT    NOT NULL,
    PRIMARY KEY (user_id, name)
) STRICT, WITHOUT ROWID;

-- Settings that new people start with, where they differ from the server's defaults.
ALTER TABLE realms ADD COLUMN user_settings_defaults TEXT NOT NULL DEFAULT '{}'
    CHECK (json_valid(user_settings_defaults));

-- What a bot has beyond an account; a bot without a row has the defaults. services: JSON list
-- of what an outgoing or embedded bot talks to.
CREATE TABLE bots (
    user_id             INTEGER PRIMARY KEY REFERENCES users (id),
    default_sending_channel_id INTEGER REFERENCES channels (id),
    default_events_register_channel_id INTEGER REFERENCES channels (id),
    default_all_public_streams INTEGER NOT NULL DEFAULT 0 CHECK (default_all_public_streams IN (0, 1)),
    services            TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(services))
) STRICT;
