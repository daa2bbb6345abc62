-- Uploads that arrive in parts (the tus protocol). Their bytes lie in the blob store, which alone says how many there are.

CREATE TABLE resumable_uploads (
    id                  TEXT    PRIMARY KEY,            -- random; in the address of the upload and of the file
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    owner_id            INTEGER NOT NULL REFERENCES users (id),
    name                TEXT    NOT NULL,               -- as shown to people
    content_type        TEXT,                           -- as sent; null: not sent
    metadata            TEXT    NOT NULL DEFAULT '',    -- the header Upload-Metadata, as sent
    size                INTEGER NOT NULL CHECK (size >= 0),
    expires             INTEGER NOT NULL,
    -- Finished ones stay until they expire, for clients that have not received the last answer.
    finished            INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX resumable_uploads_by_owner ON resumable_uploads (owner_id, size) WHERE finished = 0;
CREATE INDEX resumable_uploads_by_realm ON resumable_uploads (realm_id, size) WHERE finished = 0;
CREATE INDEX resumable_uploads_by_expiry ON resumable_uploads (expires);

-- The largest file that may be uploaded; the API announces it.
ALTER TABLE realms ADD COLUMN max_file_upload_size_mib INTEGER NOT NULL DEFAULT 25
    CHECK (max_file_upload_size_mib BETWEEN 1 AND 1024);
