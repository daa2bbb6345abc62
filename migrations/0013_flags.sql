-- Reactions, and how a person follows or mutes topics.

-- Policies: 1 muted, 2 unmuted, 3 followed; a topic without a row follows its channel. The
-- topic is kept as it was last written.
CREATE TABLE user_topics (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    channel_id          INTEGER NOT NULL REFERENCES channels (id),
    topic_folded        TEXT    NOT NULL,
    topic               TEXT    NOT NULL,
    visibility_policy   INTEGER NOT NULL CHECK (visibility_policy IN (1, 2, 3)),
    last_updated        INTEGER NOT NULL,
    PRIMARY KEY (user_id, channel_id, topic_folded)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_topics_by_topic ON user_topics (channel_id, topic_folded, visibility_policy);

-- One row for every emoji that somebody has put on a message; the order is that of adding.
CREATE TABLE reactions (
    id                  INTEGER PRIMARY KEY,
    message_id          INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    user_id             INTEGER NOT NULL REFERENCES users (id),
    -- An emoji is the same under each of its names: what counts is type and code.
    reaction_type       TEXT    NOT NULL CHECK (reaction_type IN
                        ('unicode_emoji', 'realm_emoji', 'zulip_extra_emoji', 'service_extra_emoji')),
    emoji_code          TEXT    NOT NULL,
    emoji_name          TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX reactions_by_message ON reactions (message_id, emoji_code, reaction_type, user_id);
CREATE INDEX reactions_by_user ON reactions (user_id, message_id);
