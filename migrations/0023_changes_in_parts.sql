-- Changes of more messages than one transaction should take.

-- A move of messages that is made in parts. The row is written with the first part and goes with the
-- last one, so that a move that was acknowledged is completed whatever happens in between. The newest
-- messages go first: those of the old topic with ids from first_id to last_id are still to go. What is
-- sent there meanwhile has a higher id, and stays.
CREATE TABLE message_moves (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    user_id             INTEGER NOT NULL REFERENCES users (id),     -- who moves
    started             INTEGER NOT NULL,
    message_id          INTEGER NOT NULL,               -- the message that was named; it may be deleted meanwhile
    sender_id           INTEGER NOT NULL REFERENCES users (id),     -- of that message
    content_changed     INTEGER NOT NULL CHECK (content_changed IN (0, 1)),
    propagate_mode      TEXT    NOT NULL CHECK (propagate_mode IN ('change_later', 'change_all')),
    notify_old          INTEGER NOT NULL CHECK (notify_old IN (0, 1)),
    notify_new          INTEGER NOT NULL CHECK (notify_new IN (0, 1)),
    from_channel_id     INTEGER NOT NULL REFERENCES channels (id),
    from_topic          TEXT    NOT NULL,
    from_topic_folded   TEXT    NOT NULL,
    to_channel_id       INTEGER NOT NULL REFERENCES channels (id),
    to_topic            TEXT    NOT NULL,
    to_topic_folded     TEXT    NOT NULL,
    to_topic_existed    INTEGER NOT NULL CHECK (to_topic_existed IN (0, 1)),
    only_received       INTEGER NOT NULL CHECK (only_received IN (0, 1)), -- only what was delivered to who moves
    first_id            INTEGER NOT NULL,
    last_id             INTEGER NOT NULL,
    newest_id           INTEGER NOT NULL,               -- no message of the topic had a higher id at the start
    moved               INTEGER NOT NULL                -- messages that have gone
) STRICT;

-- A deletion of what an account has sent, which is made in parts after the account was deactivated.
CREATE TABLE message_erasures (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    sender_id           INTEGER NOT NULL REFERENCES users (id),
    user_id             INTEGER NOT NULL REFERENCES users (id),     -- who deletes
    public_channels     INTEGER NOT NULL CHECK (public_channels IN (0, 1)),
    private_channels    INTEGER NOT NULL CHECK (private_channels IN (0, 1)),
    direct              INTEGER NOT NULL CHECK (direct IN (0, 1)),
    last_id             INTEGER NOT NULL,               -- messages with ids up to this one are still to go
    erased              INTEGER NOT NULL                -- messages that have gone
) STRICT;
