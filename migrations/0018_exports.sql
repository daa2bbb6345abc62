-- Data exports and retention.

-- One row for every export that was asked for. Pending until one of path, failed and deleted is
-- there; times are UNIX seconds.
CREATE TABLE realm_exports (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    acting_user_id      INTEGER NOT NULL REFERENCES users (id),
    export_type         TEXT    NOT NULL
                        CHECK (export_type IN ('public', 'full_with_consent', 'full_without_consent')),
    export_time         INTEGER NOT NULL,               -- when it was asked for
    realm_url           TEXT    NOT NULL,               -- as whoever asked knows the server
    -- Below /user_avatars/exports/, with a part that nobody can guess: whoever has the address
    -- may have the archive.
    path                TEXT    UNIQUE,
    blob_key            TEXT,
    size                INTEGER,                        -- bytes
    failed              INTEGER,
    deleted             INTEGER,
    CHECK ((path IS NULL) = (blob_key IS NULL))
) STRICT;
CREATE INDEX realm_exports_pending ON realm_exports (id)
    WHERE path IS NULL AND failed IS NULL AND deleted IS NULL;
CREATE INDEX realm_exports_by_time ON realm_exports (realm_id, export_time);
