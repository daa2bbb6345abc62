-- Passkeys: credentials of WebAuthn that a device or a password manager keeps, and that sign a person in alone.

-- Times are UNIX seconds.
CREATE TABLE passkeys (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id             INTEGER NOT NULL REFERENCES users (id),
    credential_id       BLOB    NOT NULL UNIQUE,                            -- the device chooses it
    user_handle         BLOB    NOT NULL CHECK (length(user_handle) = 16),  -- by which the device knows the account
    credential          TEXT    NOT NULL,                                   -- the public key and its counter, as JSON
    rp_id               TEXT    NOT NULL,                                   -- the host for which it was made, and nowhere else valid
    name                TEXT    NOT NULL,
    created             INTEGER NOT NULL,
    last_used           INTEGER,
    last_challenge      INTEGER NOT NULL DEFAULT 0      -- when the challenge that was used last was made: no answer is accepted twice
) STRICT;
CREATE INDEX passkeys_of_user ON passkeys (user_id, id);
