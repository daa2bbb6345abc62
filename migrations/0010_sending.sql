-- What sending needs beside the message: submessages, of which polls and to-do lists are made.
-- The first of a message says what it is, the others what people have done with it since.
CREATE TABLE submessages (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id          INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    sender_id           INTEGER NOT NULL REFERENCES users (id),
    msg_type            TEXT    NOT NULL,
    content             TEXT    NOT NULL                -- JSON, as it was sent
) STRICT;
CREATE INDEX submessages_by_message ON submessages (message_id, id);

-- Messages go to all subscribers but those who are deactivated, of whom there are few.
CREATE INDEX users_deactivated ON users (id) WHERE is_active = 0;
