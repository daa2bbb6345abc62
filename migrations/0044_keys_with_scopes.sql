-- API keys get names, ends and scopes (docs/adr/0070-scopes-of-keys.md). Those that exist keep their meaning.

-- Only hashes of keys are stored. A key without a name was made by a sign-in, with an account, or in place of others: its
-- scope is 'account', it has no end, and the oldest gives way to the limit. Times are UNIX seconds; the last use is
-- written at most once an hour.
CREATE TABLE named_api_keys (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    hash                BLOB    NOT NULL UNIQUE,        -- SHA-256 of the key
    user_id             INTEGER NOT NULL REFERENCES users (id),
    created             INTEGER NOT NULL,
    label               TEXT    NOT NULL DEFAULT '',    -- the program that asked for it, or how it was made
    name                TEXT,
    scope               TEXT    NOT NULL DEFAULT 'account'
                        CHECK (scope IN ('read', 'send', 'everything', 'administer', 'account')),
    ends                INTEGER,
    last_used           INTEGER,
    CHECK ((name IS NULL) = (scope = 'account')),
    CHECK (name IS NOT NULL OR ends IS NULL)
) STRICT;
INSERT INTO named_api_keys (hash, user_id, created, label)
    SELECT hash, user_id, created, label FROM api_keys ORDER BY created, user_id, hash;
DROP TABLE api_keys;
ALTER TABLE named_api_keys RENAME TO api_keys;
CREATE INDEX api_keys_by_user ON api_keys (user_id, created);
CREATE INDEX api_keys_by_end ON api_keys (ends) WHERE ends IS NOT NULL;

-- Who may make keys with a name: everyone, as long as the organization does not decide otherwise.
INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id)
    SELECT g.realm_id, 'realm', g.realm_id, 'can_create_api_keys_group', g.id
    FROM user_groups g WHERE g.name = 'role:everyone' AND g.is_system_group = 1;
