-- What people had not read of channels when they left them counts as read. More than one transaction
-- should take is marked in parts: the row goes with the last one. Messages with ids up to last_id are
-- meant; what is sent after people have returned has a higher id.
CREATE TABLE unread_left (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    channel_id          INTEGER NOT NULL REFERENCES channels (id),
    last_id             INTEGER NOT NULL,
    PRIMARY KEY (user_id, channel_id)
) STRICT, WITHOUT ROWID;
