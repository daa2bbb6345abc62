-- Events that the snapshot of a queue holds although they follow its position: PostgreSQL puts events into the log after
-- they were committed (docs/adr/0051-the-order-of-the-log.md). A list of ids; always empty on SQLite.
ALTER TABLE event_queues ADD COLUMN base_unordered TEXT COLLATE "C" NOT NULL DEFAULT '[]' CHECK (json_valid(base_unordered));
