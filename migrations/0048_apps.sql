-- Apps: components that administrators install, which act as bots (docs/protocol/apps.md).

-- rights: what administrators have granted; NULL: nothing yet, and the app waits. version grows with everything that a
-- computation of the app depends on; a result for an older one is discarded. lease and claimed_until: the computation that
-- may report, and the time before which no other one begins (UNIX seconds). minute and calls: the computations of the latest
-- minute (UNIX minutes); sent_minute and sent: its messages.
CREATE TABLE apps (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    bot_id              INTEGER NOT NULL UNIQUE REFERENCES users (id),
    owner_id            INTEGER NOT NULL REFERENCES users (id),
    name                TEXT    NOT NULL UNIQUE,
    webhook_key         TEXT    NOT NULL UNIQUE,        -- only lets its bearer call the webhook of the app
    manifest            TEXT    NOT NULL CHECK (json_type(manifest) = 'object'),
    rights              TEXT CHECK (json_type(rights) = 'object'),
    settings            TEXT    NOT NULL DEFAULT '{}' CHECK (json_type(settings) = 'object'),
    component_hash      TEXT    NOT NULL,               -- SHA-256, hexadecimal
    component_key       TEXT    NOT NULL,               -- of the blob
    component_size      INTEGER NOT NULL,               -- bytes
    signed_by           TEXT,                           -- the key that has signed the component, where the operator lists keys
    state               TEXT    NOT NULL CHECK (state IN ('waiting', 'active', 'paused')),
    paused_reason       TEXT CHECK ((state = 'paused') = (paused_reason IS NOT NULL)),
    version             INTEGER NOT NULL DEFAULT 0,
    lease               INTEGER NOT NULL DEFAULT 0,
    claimed_until       INTEGER NOT NULL DEFAULT 0,
    minute              INTEGER NOT NULL DEFAULT 0,
    calls               INTEGER NOT NULL DEFAULT 0,
    sent                INTEGER NOT NULL DEFAULT 0,
    sent_minute         INTEGER NOT NULL DEFAULT 0,
    installed           INTEGER NOT NULL,               -- UNIX seconds
    updated             INTEGER NOT NULL                -- UNIX seconds
) STRICT;
CREATE INDEX apps_by_owner ON apps (owner_id);

-- The commands that apps declare: a name belongs to one of them.
CREATE TABLE app_commands (
    name                TEXT    NOT NULL PRIMARY KEY,
    app_id              INTEGER NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    description         TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX app_commands_by_app ON app_commands (app_id);

-- What an app sends to other services to prove itself. No operation reads it back.
CREATE TABLE app_secrets (
    app_id              INTEGER NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    name                TEXT    NOT NULL,
    value               TEXT    NOT NULL,
    PRIMARY KEY (app_id, name)
) STRICT, WITHOUT ROWID;

-- What an app keeps between its runs. scope: app, channel ID, message ID, person ID; values of a message go with it.
CREATE TABLE app_values (
    app_id              INTEGER NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    scope               TEXT    NOT NULL,
    key                 TEXT    NOT NULL,
    value               TEXT    NOT NULL,
    message_id          INTEGER REFERENCES messages (id) ON DELETE CASCADE,
    PRIMARY KEY (app_id, scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX app_values_by_message ON app_values (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX app_values_by_size ON app_values (app_id, octet_length(key) + octet_length(value));

-- What has happened and its app has not heard of yet. person_id: who has caused it. body: JSON, see
-- spindle_domain::apps::Happening.
CREATE TABLE app_events (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    app_id              INTEGER NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    scope               TEXT    NOT NULL,
    kind                TEXT    NOT NULL,
    body                TEXT    NOT NULL CHECK (json_type(body) = 'object'),
    message_id          INTEGER REFERENCES messages (id) ON DELETE CASCADE,
    person_id           INTEGER REFERENCES users (id),
    created             INTEGER NOT NULL,
    due                 INTEGER NOT NULL,
    attempts            INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX app_events_by_scope ON app_events (app_id, scope, id);
CREATE INDEX app_events_by_due ON app_events (app_id, due, id);
CREATE INDEX app_events_by_message ON app_events (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX app_events_by_person ON app_events (person_id, app_id) WHERE person_id IS NOT NULL;

-- When an app wants to be woken.
CREATE TABLE app_schedules (
    app_id              INTEGER NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    scope               TEXT    NOT NULL,
    name                TEXT    NOT NULL,
    due                 INTEGER NOT NULL,               -- UNIX seconds
    message_id          INTEGER REFERENCES messages (id) ON DELETE CASCADE,
    PRIMARY KEY (app_id, scope, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX app_schedules_by_due ON app_schedules (due);
CREATE INDEX app_schedules_by_message ON app_schedules (message_id) WHERE message_id IS NOT NULL;

-- Requests that apps want to have made. due, attempts and claimed_until are as in bot_calls.
CREATE TABLE app_fetches (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    app_id              INTEGER NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    scope               TEXT    NOT NULL,
    name                TEXT    NOT NULL,               -- the id that the app has given it
    body                TEXT    NOT NULL CHECK (json_type(body) = 'object'),
    created             INTEGER NOT NULL,
    due                 INTEGER NOT NULL,
    attempts            INTEGER NOT NULL DEFAULT 0,
    claimed_until       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX app_fetches_by_app ON app_fetches (app_id, id);
CREATE INDEX app_fetches_by_due ON app_fetches (due, id);

-- What apps and the server have noted about their runs; the newest lines of each.
CREATE TABLE app_logs (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    app_id              INTEGER NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    time                INTEGER NOT NULL,               -- UNIX seconds
    text                TEXT    NOT NULL
) STRICT;
CREATE INDEX app_logs_by_app ON app_logs (app_id, id);

-- A JSON list of the buttons below the message of an app: objects with id and label.
ALTER TABLE messages ADD COLUMN buttons TEXT CHECK (json_type(buttons) = 'array');
