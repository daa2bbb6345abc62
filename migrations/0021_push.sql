-- Push notifications: the service that is configured, what it is still to be told, and which
-- messages phones show.

-- Written by the host at its start: one row while a push service is configured, none otherwise.
-- log_position: the event log was looked through up to here. can_push, end_timestamp: what the
-- service has said last about sending for this organization.
CREATE TABLE push_service (
    realm_id            INTEGER PRIMARY KEY REFERENCES realms (id),
    log_position        INTEGER NOT NULL,
    can_push            INTEGER NOT NULL DEFAULT 1 CHECK (can_push IN (0, 1)),
    end_timestamp       INTEGER
) STRICT;

-- The name that the push service has given to a registration by account id.
ALTER TABLE push_accounts ADD COLUMN service_device_id INTEGER;

-- Who can be reached: asked for with every message.
CREATE INDEX devices_reached ON devices (user_id) WHERE push_token_id IS NOT NULL;
CREATE INDEX push_accounts_reached ON push_accounts (user_id) WHERE status = 'active';

-- Calls to the push service. form: by which of the two kinds of registration it reaches the
-- phones. target: the device or account id that is registered or tested; null: all of the user's.
-- detail: what is registered, why a message is pushed, or which messages are taken back.
-- due and claimed_until: as in bot_calls.
CREATE TABLE push_calls (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    kind                TEXT    NOT NULL CHECK (kind IN ('register', 'message', 'remove', 'test')),
    form                TEXT    NOT NULL CHECK (form IN ('device', 'account')),
    user_id             INTEGER NOT NULL REFERENCES users (id),
    target              INTEGER,
    message_id          INTEGER REFERENCES messages (id) ON DELETE CASCADE,
    detail              TEXT    NOT NULL,
    created             INTEGER NOT NULL,
    due                 INTEGER NOT NULL,
    attempts            INTEGER NOT NULL DEFAULT 0,
    claimed_until       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX push_calls_by_due ON push_calls (due, id);
CREATE INDEX push_calls_by_user ON push_calls (user_id, kind, form);
CREATE UNIQUE INDEX push_calls_by_message ON push_calls (message_id, user_id, form);

-- Messages that were handed to the push service for somebody and that phones may still show. Not
-- bound to the message: one that is deleted has to be taken back as well.
CREATE TABLE pushed_messages (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    message_id          INTEGER NOT NULL,
    PRIMARY KEY (user_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX pushed_messages_by_message ON pushed_messages (message_id, user_id);
