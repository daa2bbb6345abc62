-- Files: attachments, custom emoji, avatars, the organization's icon and logo.
--
-- Contents lie in the blob store under a key; rows say what they are and who may have them. A
-- key is noted in blob_deletions before its blob is stored and taken out in the transaction
-- that makes use of it, so that no crash leaves a blob that nobody will ever delete.

CREATE TABLE attachments (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    owner_id            INTEGER NOT NULL REFERENCES users (id),
    path_id             TEXT    NOT NULL UNIQUE,        -- <realm id>/<random>/<name>, as in addresses
    blob_key            TEXT    NOT NULL,
    name                TEXT    NOT NULL,               -- as shown to people
    content_type        TEXT    NOT NULL,
    size                INTEGER NOT NULL,               -- bytes
    create_time         INTEGER NOT NULL,
    -- Of files that are images and have a preview; as the image is seen.
    width               INTEGER,
    height              INTEGER,
    preview_key         TEXT,
    CHECK ((preview_key IS NULL) = (width IS NULL) AND (width IS NULL) = (height IS NULL))
) STRICT;
CREATE INDEX attachments_by_owner ON attachments (owner_id, id);
CREATE INDEX attachments_by_realm ON attachments (realm_id, size);
CREATE INDEX attachments_by_time ON attachments (create_time);

-- Which messages name a file; who may read one of them may have the file.
CREATE TABLE attachment_messages (
    attachment_id       INTEGER NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
    message_id          INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    PRIMARY KEY (attachment_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachment_messages_by_message ON attachment_messages (message_id, attachment_id);

CREATE TABLE realm_emoji (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    name                TEXT    NOT NULL,
    author_id           INTEGER REFERENCES users (id),
    file_name           TEXT    NOT NULL,
    still_file_name     TEXT,                           -- of those that move
    -- Deactivated ones stay, since messages, reactions and statuses refer to them.
    deactivated         INTEGER NOT NULL DEFAULT 0 CHECK (deactivated IN (0, 1)),
    date_created        INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX realm_emoji_by_name ON realm_emoji (realm_id, name) WHERE deactivated = 0;

-- Blobs to delete when they are due.
CREATE TABLE blob_deletions (
    key                 TEXT    PRIMARY KEY,
    due                 INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_deletions_by_due ON blob_deletions (due);

-- The key that signs temporary addresses of files; made at the first use.
CREATE TABLE file_secrets (
    realm_id            INTEGER PRIMARY KEY REFERENCES realms (id),
    secret              BLOB    NOT NULL
) STRICT;

-- Random, of pictures that are not drawn from the id: nobody can go through them by number.
ALTER TABLE users ADD COLUMN avatar_name TEXT;
CREATE UNIQUE INDEX users_by_avatar_name ON users (avatar_name) WHERE avatar_name IS NOT NULL;

-- Names of uploaded pictures; null: none.
ALTER TABLE realms ADD COLUMN icon_name TEXT;
ALTER TABLE realms ADD COLUMN icon_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE realms ADD COLUMN logo_name TEXT;
ALTER TABLE realms ADD COLUMN logo_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE realms ADD COLUMN night_logo_name TEXT;
ALTER TABLE realms ADD COLUMN night_logo_version INTEGER NOT NULL DEFAULT 1;
-- Bytes of all attachments together, in MiB; null: no limit.
ALTER TABLE realms ADD COLUMN upload_quota_mib INTEGER CHECK (upload_quota_mib >= 0);
