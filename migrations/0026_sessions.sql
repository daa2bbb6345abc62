-- Sessions: browsers in which people are signed in.

-- One row for each. The token itself is in the cookie alone. A session ends 30 days after its last
-- use, which is written at most once an hour; times are UNIX seconds.
CREATE TABLE sessions (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    hash                BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),  -- SHA-256 of the token
    user_id             INTEGER NOT NULL REFERENCES users (id),
    created             INTEGER NOT NULL,
    last_used           INTEGER NOT NULL,
    client              TEXT    NOT NULL                -- what the browser says it is, in short
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user_id, last_used);
CREATE INDEX sessions_by_use ON sessions (last_used);

-- Links with which a person signs in once, without a password. The row goes with the use.
CREATE TABLE sign_in_links (
    hash                BLOB    NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    user_id             INTEGER NOT NULL REFERENCES users (id),
    created             INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id);
