-- Invitations: who may join the organization, as what, and where they begin.

-- One row for every invitation, of one address or (email null) for all who have the link. It is
-- open until it is used, revoked or expired, and is kept for a while after that. Times are UNIX
-- seconds. The key of the link is not here: the nonce is only a half of it.
CREATE TABLE invitations (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    inviter_id          INTEGER NOT NULL REFERENCES users (id),
    nonce               BLOB    NOT NULL UNIQUE CHECK (length(nonce) = 16),
    email               TEXT,
    email_folded        TEXT,
    invited_as          INTEGER NOT NULL CHECK (invited_as IN (100, 200, 300, 400, 600)),
    created_at          INTEGER NOT NULL,
    lifetime            INTEGER CHECK (lifetime > 0),   -- seconds; null: for ever
    expires_at          INTEGER,
    ended_at            INTEGER,
    ended_by            TEXT    CHECK (ended_by IN ('use', 'revocation')),
    notifies_inviter    INTEGER NOT NULL CHECK (notifies_inviter IN (0, 1)),
    joins_defaults      INTEGER NOT NULL CHECK (joins_defaults IN (0, 1)),
    channel_ids         TEXT    NOT NULL CHECK (json_type(channel_ids) = 'array'),
    group_ids           TEXT    NOT NULL CHECK (json_type(group_ids) = 'array'),
    welcome_text        TEXT,                           -- null: what the organization says
    CHECK ((email IS NULL) = (email_folded IS NULL)),
    CHECK ((lifetime IS NULL) = (expires_at IS NULL)),
    CHECK ((ended_at IS NULL) = (ended_by IS NULL))
) STRICT;
CREATE INDEX invitations_by_email ON invitations (realm_id, email_folded)
    WHERE ended_at IS NULL AND email_folded IS NOT NULL;
CREATE INDEX invitations_by_inviter ON invitations (inviter_id, created_at);
CREATE INDEX invitations_by_end ON invitations (coalesce(ended_at, expires_at));
