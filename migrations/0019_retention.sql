-- Retention: messages of a place by age.
--
-- The oldest messages of a channel, or (channel_id null) of all direct conversations, are found
-- without walking those that are kept. Ids do not say it: clocks have been set back, and an
-- import brings what is older than its id.
CREATE INDEX messages_by_age ON messages (channel_id, date_sent);
