-- Channels: folders, activity, traffic.

CREATE TABLE channel_folders (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    name                TEXT    NOT NULL,
    name_folded         TEXT    NOT NULL,
    description         TEXT    NOT NULL DEFAULT '',
    rendered_description TEXT   NOT NULL DEFAULT '',
    position            INTEGER NOT NULL,               -- order on the wire; lower displays first
    date_created        INTEGER,
    creator_id          INTEGER REFERENCES users (id),
    is_archived         INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX channel_folders_by_name ON channel_folders (realm_id, name_folded);
CREATE INDEX channels_by_folder ON channels (folder_id) WHERE folder_id IS NOT NULL;

-- Active accounts that are subscribed, bots included. Counting them for every channel would
-- make each listing as slow as the organization is large, so triggers keep the number, however
-- a subscription or an account changes.
ALTER TABLE channels ADD COLUMN subscriber_count INTEGER NOT NULL DEFAULT 0;
UPDATE channels SET subscriber_count = (
    SELECT count(*) FROM subscriptions s JOIN users u ON u.id = s.user_id
    WHERE s.channel_id = channels.id AND s.active = 1 AND u.is_active = 1);

CREATE TRIGGER subscribers_counted_insert AFTER INSERT ON subscriptions
WHEN NEW.active = 1 AND (SELECT is_active FROM users WHERE id = NEW.user_id) = 1
BEGIN
    UPDATE channels SET subscriber_count = subscriber_count + 1 WHERE id = NEW.channel_id;
END;

CREATE TRIGGER subscribers_counted_update AFTER UPDATE OF active ON subscriptions
WHEN NEW.active <> OLD.active AND (SELECT is_active FROM users WHERE id = NEW.user_id) = 1
BEGIN
    UPDATE channels SET subscriber_count = subscriber_count + iif(NEW.active, 1, -1)
    WHERE id = NEW.channel_id;
END;

CREATE TRIGGER subscribers_counted_delete AFTER DELETE ON subscriptions
WHEN OLD.active = 1 AND (SELECT is_active FROM users WHERE id = OLD.user_id) = 1
BEGIN
    UPDATE channels SET subscriber_count = subscriber_count - 1 WHERE id = OLD.channel_id;
END;

CREATE TRIGGER subscribers_counted_account AFTER UPDATE OF is_active ON users
WHEN NEW.is_active <> OLD.is_active
BEGIN
    UPDATE channels SET subscriber_count = subscriber_count + iif(NEW.is_active, 1, -1)
    WHERE id IN (SELECT channel_id FROM subscriptions WHERE user_id = NEW.id AND active = 1);
END;

-- Messages per week as last measured, rounded; null while the channel is too new to tell.
ALTER TABLE channels ADD COLUMN weekly_traffic INTEGER;
-- UNIX seconds of the last measurement of weekly_traffic and is_recently_active.
ALTER TABLE channels ADD COLUMN activity_measured INTEGER NOT NULL DEFAULT 0;
CREATE INDEX channels_by_measurement ON channels (activity_measured);
