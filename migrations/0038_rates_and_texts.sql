-- Requests a minute that the operator has set for one bot; NULL: it shares the account of its owner's bots.
ALTER TABLE users ADD COLUMN requests_per_minute INTEGER CHECK (requests_per_minute BETWEEN 1 AND 10000000);
-- Whether the owners have been notified of linkifiers that are not applied; the job that asks runs every hour.
CREATE INDEX audit_log_linkifiers_left_out ON audit_log (realm_id) WHERE event_type = 'linkifiers_left_out';
-- The newest message whose text has not been checked for control characters. A job goes on from there to the oldest, and
-- ends with 0.
ALTER TABLE realms ADD COLUMN messages_to_mend INTEGER NOT NULL DEFAULT 0;
UPDATE realms SET messages_to_mend = coalesce((SELECT max(id) FROM messages), 0) WHERE id <> 0;
