-- Bots that speak for the server, what bots keep, and calls to services outside.

-- The system bots have an organization of their own, number 0: whatever lists, counts or changes
-- the people of organization 1 passes them by. A new organization makes them when it is made;
-- here they come to one that exists already.
INSERT INTO realms (id, string_id, uuid, name, date_created)
VALUES (0, 'spindleinternal', '00000000-0000-0000-0000-000000000000', 'System', 0);

INSERT INTO users (realm_id, email, email_folded, delivery_email, delivery_email_folded,
    full_name, full_name_folded, role, is_bot, bot_type, date_joined)
SELECT 0, b.value ->> 0, b.value ->> 0, b.value ->> 0, b.value ->> 0,
    b.value ->> 1, lower(b.value ->> 1), 400, 1, 1, r.date_created
FROM realms r, json_each('[["notification-bot@spindle.invalid", "Notification Bot"],
    ["welcome-bot@spindle.invalid", "Welcome Bot"],
    ["emailgateway@spindle.invalid", "Email Gateway"]]') b
WHERE r.id = 1;

-- What bots keep between their runs, each for itself.
CREATE TABLE bot_storage (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    key                 TEXT    NOT NULL,
    value               TEXT    NOT NULL,
    PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;

-- Calls to the services of outgoing bots and runs of embedded ones, which no request waits for.
-- due: UNIX seconds of the next attempt. claimed_until: a call that is being made is made by
-- nobody else before then; when the caller dies, the next one takes over (at least once).
CREATE TABLE bot_calls (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    bot_id              INTEGER NOT NULL REFERENCES users (id),
    message_id          INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    reason              TEXT    NOT NULL CHECK (reason IN ('direct_message', 'mention')),
    created             INTEGER NOT NULL,
    due                 INTEGER NOT NULL,
    attempts            INTEGER NOT NULL DEFAULT 0,
    claimed_until       INTEGER NOT NULL DEFAULT 0,
    UNIQUE (bot_id, message_id)
) STRICT;
CREATE INDEX bot_calls_by_due ON bot_calls (due, id);
CREATE INDEX bot_calls_by_message ON bot_calls (message_id);
