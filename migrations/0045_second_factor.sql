-- A second factor: codes of an app (TOTP, RFC 6238), with recovery codes for a lost phone.

-- One row for each person who has begun to set an app up; it counts as soon as confirmed has a value. Times are UNIX seconds.
CREATE TABLE totp (
    user_id             INTEGER NOT NULL PRIMARY KEY REFERENCES users (id),
    secret              BLOB    NOT NULL CHECK (length(secret) = 20),
    created             INTEGER NOT NULL,
    confirmed           INTEGER,
    last_step           INTEGER NOT NULL DEFAULT 0,     -- of the code that was used last: no code is accepted twice
    wrong_codes         INTEGER NOT NULL DEFAULT 0,     -- since the last right one
    closed_until        INTEGER NOT NULL DEFAULT 0      -- no code is compared before this time
) STRICT;

-- The row goes with the use.
CREATE TABLE recovery_codes (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    hash                BLOB    NOT NULL CHECK (length(hash) = 32),    -- SHA-256
    PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- Since when the person has a second factor of any kind.
ALTER TABLE users ADD COLUMN second_factor_since INTEGER;
CREATE INDEX users_with_second_factor ON users (id) WHERE second_factor_since IS NOT NULL;

-- Whether another service has checked a second factor before the session, key or link was made.
ALTER TABLE sessions ADD COLUMN proves_second_factor INTEGER NOT NULL DEFAULT 0 CHECK (proves_second_factor IN (0, 1));
ALTER TABLE sign_in_links ADD COLUMN proves_second_factor INTEGER NOT NULL DEFAULT 0 CHECK (proves_second_factor IN (0, 1));
ALTER TABLE api_keys ADD COLUMN proves_second_factor INTEGER NOT NULL DEFAULT 0 CHECK (proves_second_factor IN (0, 1));
