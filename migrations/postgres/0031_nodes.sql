-- What every node knows of every queue, so that any node can serve it (docs/adr/0055-queues-on-any-node.md).
ALTER TABLE event_queues ADD COLUMN accept_version BIGINT NOT NULL DEFAULT 1;

-- When the row got its place in the log, by the clock of the database (UNIX seconds).
ALTER TABLE event_log ADD COLUMN placed BIGINT NOT NULL DEFAULT CAST(extract(epoch FROM now()) AS BIGINT);

-- Numbers that all nodes share: running_ms is the time for which at least one node was running.
CREATE TABLE queue_service (
    name TEXT COLLATE "C" PRIMARY KEY,
    value BIGINT NOT NULL
);

-- Where the client of a queue stands: everything up to acked_id is acknowledged, and the events that follow
-- begin in log row next_seq after its first skip events. active_ms is running_ms at the last poll.
CREATE TABLE queue_positions (
    queue_id TEXT COLLATE "C" PRIMARY KEY REFERENCES event_queues (id) ON DELETE CASCADE,
    acked_id BIGINT NOT NULL,
    next_seq BIGINT NOT NULL,
    skip BIGINT NOT NULL,
    active_ms BIGINT NOT NULL,
    ended BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE FUNCTION begin_queue() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO queue_positions (queue_id, acked_id, next_seq, skip, active_ms)
    SELECT NEW.id, -1, NEW.base_seq + 1, 0, coalesce((SELECT value FROM queue_service WHERE name = 'running_ms'), 0);
    RETURN NULL;
END $$;
CREATE TRIGGER begin_queue AFTER INSERT ON event_queues FOR EACH ROW EXECUTE FUNCTION begin_queue();

INSERT INTO queue_positions (queue_id, acked_id, next_seq, skip, active_ms)
SELECT id, -1, base_seq + 1, 0, 0 FROM event_queues;

-- A node learns from the log that a queue was deleted, whatever deleted it.
CREATE FUNCTION announce_deleted_queues() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_outbox (realm_id, time, type, body, audience)
    SELECT realm_id, CAST(extract(epoch FROM now()) AS BIGINT), 'queues_deleted',
        CAST(json_build_object('queues', json_agg(id)) AS TEXT), '{}'
    FROM deleted GROUP BY realm_id;
    RETURN NULL;
END $$;
CREATE TRIGGER announce_deleted_queues AFTER DELETE ON event_queues REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION announce_deleted_queues();

-- Secrets that all nodes must know, such as that of signed addresses of files.
CREATE TABLE shared_secrets (
    name TEXT COLLATE "C" PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

-- The key-value stores of components: small values that may be lost without harm.
CREATE TABLE key_values (
    store TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    value BYTEA NOT NULL,
    PRIMARY KEY (store, key)
);

-- Locked by changes that run again because of another one, so that they do so one after the other
-- (docs/adr/0049-changes-that-run-again.md). It has no rows.
CREATE TABLE changes_run_again ();

-- Locks the rows that a message to a channel depends on, always in this order: the channel, then the sender
-- (docs/adr/0053-locks-for-senders.md). The first message of a channel changes its row.
CREATE FUNCTION hold_sender(realm BIGINT, sender BIGINT, channel BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM channels WHERE id = channel AND realm_id = realm AND first_message_id IS NULL FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM 1 FROM channels WHERE id = channel AND realm_id = realm FOR SHARE;
    END IF;
    PERFORM 1 FROM users WHERE id = sender FOR SHARE;
    RETURN channel;
END $$;
