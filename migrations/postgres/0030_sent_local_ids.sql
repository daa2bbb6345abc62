-- What each queue's client has sent with a local_id, so that a send that is repeated makes one message
-- (docs/adr/0054-repeated-sends.md). The newest 200 of a queue are kept while it lives.
CREATE TABLE sent_local_ids (
    queue_id TEXT COLLATE "C" NOT NULL REFERENCES event_queues (id) ON DELETE CASCADE,
    local_id TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    message_id BIGINT NOT NULL,
    PRIMARY KEY (queue_id, local_id, digest)
);
CREATE INDEX sent_local_ids_by_age ON sent_local_ids (queue_id, message_id);

CREATE FUNCTION bound_sent_local_ids() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM sent_local_ids WHERE queue_id = NEW.queue_id AND message_id <= (SELECT message_id FROM sent_local_ids
        WHERE queue_id = NEW.queue_id ORDER BY message_id DESC LIMIT 1 OFFSET 200);
    RETURN NULL;
END $$;
CREATE TRIGGER sent_local_ids_bounded AFTER INSERT ON sent_local_ids
    FOR EACH ROW EXECUTE FUNCTION bound_sent_local_ids();
