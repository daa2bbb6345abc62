-- When a status ends by itself, in UNIX seconds; NULL: never. A user without a status has none.
ALTER TABLE user_statuses ADD COLUMN scheduled_end_time INTEGER;
CREATE INDEX user_statuses_by_end ON user_statuses (scheduled_end_time) WHERE scheduled_end_time IS NOT NULL;
