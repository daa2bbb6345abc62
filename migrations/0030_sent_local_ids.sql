-- What each queue's client has sent with a local_id, so that a send that is repeated makes one message
-- (docs/adr/0054-repeated-sends.md). The newest 200 of a queue are kept while it lives.
CREATE TABLE sent_local_ids (
    queue_id            TEXT    NOT NULL REFERENCES event_queues (id) ON DELETE CASCADE,
    local_id            TEXT    NOT NULL,
    digest              TEXT    NOT NULL,               -- of the destination and the content
    message_id          INTEGER NOT NULL,               -- stays when the message is deleted: a repetition does not bring it back
    PRIMARY KEY (queue_id, local_id, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX sent_local_ids_by_age ON sent_local_ids (queue_id, message_id);

CREATE TRIGGER sent_local_ids_bounded AFTER INSERT ON sent_local_ids
BEGIN
    DELETE FROM sent_local_ids WHERE queue_id = new.queue_id AND message_id <= (SELECT message_id FROM sent_local_ids
        WHERE queue_id = new.queue_id ORDER BY message_id DESC LIMIT 1 OFFSET 200);
END;
