-- Company accounts (docs/protocol/identity.md).

-- Written by the host at its start: a row for each identity provider that is configured. What is secret about one stays in
-- the configuration.
CREATE TABLE identity_providers (
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    id                  TEXT    NOT NULL,
    name                TEXT    NOT NULL,
    has_icon            INTEGER NOT NULL CHECK (has_icon IN (0, 1)),
    position            INTEGER NOT NULL,
    creates             INTEGER NOT NULL CHECK (creates IN (0, 1)),  -- accounts for people without one
    signs_out           INTEGER NOT NULL CHECK (signs_out IN (0, 1)),
    PRIMARY KEY (realm_id, id)
) STRICT, WITHOUT ROWID;

-- Ways to sign in that owners have switched off: Email, openid:ID. A way stays off while its provider is not configured.
CREATE TABLE disabled_sign_in_ways (
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    name                TEXT    NOT NULL,
    PRIMARY KEY (realm_id, name)
) STRICT, WITHOUT ROWID;

-- Which person of which issuer signs in to which account, and by which provider they did so last.
CREATE TABLE identities (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    issuer              TEXT    NOT NULL,
    subject             TEXT    NOT NULL,
    user_id             INTEGER NOT NULL REFERENCES users (id),
    provider            TEXT    NOT NULL,
    created             INTEGER NOT NULL,
    last_used           INTEGER NOT NULL,
    UNIQUE (issuer, subject)
) STRICT;
CREATE UNIQUE INDEX identities_by_user ON identities (user_id, issuer);

-- Whether the person has proved that the address is theirs: by a link in a mail to it, or by a provider that vouches for it.
ALTER TABLE users ADD COLUMN email_confirmed INTEGER NOT NULL DEFAULT 0 CHECK (email_confirmed IN (0, 1));
-- The provider that a session or a link began with; NULL: none.
ALTER TABLE sessions ADD COLUMN provider TEXT;
ALTER TABLE sign_in_links ADD COLUMN provider TEXT;
