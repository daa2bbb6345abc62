-- Messages that are sent later, reminders, drafts.

-- One row for every message that waits for its time. Delivery sends it and deletes the row in
-- one transaction, so that it is sent exactly once whatever happens to the server.
CREATE TABLE scheduled_messages (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    user_id             INTEGER NOT NULL REFERENCES users (id),
    channel_id          INTEGER REFERENCES channels (id),   -- null: direct message
    -- Direct message: ids of the other people, or the own one alone; a JSON list, ascending.
    recipients          TEXT    CHECK (recipients IS NULL OR json_valid(recipients)),
    topic               TEXT    NOT NULL DEFAULT '',
    content             TEXT    NOT NULL,
    rendered_content    TEXT    NOT NULL,
    deliver_at          INTEGER NOT NULL,
    read_by_sender      INTEGER NOT NULL CHECK (read_by_sender IN (0, 1)),
    client              TEXT    NOT NULL,
    realm_url           TEXT    NOT NULL,               -- as the client that wrote it knows the server
    -- Text of why the last delivery failed; null while it is still to be tried.
    failure             TEXT,
    CHECK ((channel_id IS NULL) = (recipients IS NOT NULL))
) STRICT;
CREATE INDEX scheduled_messages_by_user ON scheduled_messages (user_id, deliver_at, id);
CREATE INDEX scheduled_messages_due ON scheduled_messages (deliver_at, id) WHERE failure IS NULL;

-- A note to oneself about a message, delivered by the notification bot.
CREATE TABLE reminders (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    user_id             INTEGER NOT NULL REFERENCES users (id),
    message_id          INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    content             TEXT    NOT NULL,
    rendered_content    TEXT    NOT NULL,
    deliver_at          INTEGER NOT NULL,
    realm_url           TEXT    NOT NULL,
    failure             TEXT
) STRICT;
CREATE INDEX reminders_by_user ON reminders (user_id, deliver_at, id);
CREATE INDEX reminders_due ON reminders (deliver_at, id) WHERE failure IS NULL;
CREATE INDEX reminders_by_message ON reminders (message_id);

-- Texts that are not finished, shared by the devices of a person.
CREATE TABLE drafts (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id             INTEGER NOT NULL REFERENCES users (id),
    type                TEXT    NOT NULL CHECK (type IN ('', 'stream', 'private')),
    recipients          TEXT    NOT NULL CHECK (json_valid(recipients)),
    topic               TEXT    NOT NULL,
    content             TEXT    NOT NULL,
    last_edit_time      INTEGER NOT NULL
) STRICT;
CREATE INDEX drafts_by_user ON drafts (user_id, last_edit_time, id);
