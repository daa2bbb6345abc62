-- Mails that are to be sent, or were sent recently (docs/MAIL.md).

-- Written by the host at its start: one row while mail is configured, none otherwise; without it no mails are written.
CREATE TABLE mail_service (
    realm_id            INTEGER PRIMARY KEY REFERENCES realms (id),
    log_position        INTEGER NOT NULL,               -- up to which the event log was searched for missed messages
    digest_day          INTEGER NOT NULL DEFAULT 0,     -- days since 1970 of the latest digests
    digest_user         INTEGER NOT NULL DEFAULT 0      -- up to which account they were written
) STRICT;

-- One row for each cause, written with the change that is the cause. The recipient is an account or an address. The text
-- is made when it is sent, from the rows that detail names; secrets in it follow from the nonce and a secret that is not in
-- this table. due, attempts and claimed_until are as in push_calls. A row that has ended is kept for a while.
CREATE TABLE mails (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    kind                TEXT    NOT NULL,
    cause               TEXT    NOT NULL UNIQUE,
    user_id             INTEGER REFERENCES users (id),
    payer_id            INTEGER REFERENCES users (id), -- whose share of the mails of this kind it uses
    address             TEXT,
    address_folded      TEXT,
    detail              TEXT    NOT NULL CHECK (json_type(detail) = 'object'),
    nonce               BLOB    NOT NULL CHECK (length(nonce) = 16),
    created             INTEGER NOT NULL,
    due                 INTEGER NOT NULL,
    attempts            INTEGER NOT NULL DEFAULT 0,
    claimed_until       INTEGER NOT NULL DEFAULT 0,
    ended               INTEGER,
    outcome             TEXT    CHECK (outcome IN ('sent', 'refused', 'expired', 'dropped')),
    answer              TEXT,                           -- of the mail server, to the last attempt
    CHECK ((user_id IS NULL) <> (address IS NULL)),
    CHECK ((address IS NULL) = (address_folded IS NULL)),
    CHECK ((ended IS NULL) = (outcome IS NULL))
) STRICT;
CREATE INDEX mails_by_due ON mails (due, id) WHERE ended IS NULL;
CREATE INDEX mails_by_end ON mails (ended) WHERE ended IS NOT NULL;
CREATE INDEX mails_by_kind ON mails (kind, created);
CREATE INDEX mails_by_payer ON mails (payer_id, kind, created) WHERE payer_id IS NOT NULL;
CREATE INDEX mails_by_user ON mails (user_id, kind, created) WHERE user_id IS NOT NULL;
CREATE INDEX mails_by_address ON mails (address_folded, kind, created) WHERE address IS NOT NULL;

-- The address that a person wants and has not confirmed yet. The nonce is half of the key in the link.
CREATE TABLE address_changes (
    user_id             INTEGER PRIMARY KEY REFERENCES users (id),
    nonce               BLOB NOT NULL UNIQUE CHECK (length(nonce) = 16),
    address             TEXT NOT NULL,
    created             INTEGER NOT NULL
) STRICT;
