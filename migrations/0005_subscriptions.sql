-- Subscriptions: when people were last there.

-- Large channels list only those who were active lately to clients that ask for no more. A
-- live event queue counts as activity by itself; this row remembers the day of the last one.
CREATE TABLE user_activity (
    user_id             INTEGER PRIMARY KEY REFERENCES users (id),
    last_active         INTEGER NOT NULL
) STRICT;
