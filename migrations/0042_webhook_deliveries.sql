-- What services have delivered to each incoming webhook, so that a delivery that is repeated makes one message
-- (docs/adr/0054-repeated-sends.md). The newest 200 of a bot are kept.
CREATE TABLE webhook_deliveries (
    bot_id              INTEGER NOT NULL REFERENCES users (id),
    delivery            TEXT    NOT NULL,               -- the service's id of it
    message_id          INTEGER NOT NULL,               -- stays when the message is deleted: a repetition does not bring it back
    PRIMARY KEY (bot_id, delivery)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (bot_id, message_id);

CREATE TRIGGER webhook_deliveries_bounded AFTER INSERT ON webhook_deliveries
BEGIN
    DELETE FROM webhook_deliveries WHERE bot_id = new.bot_id AND message_id <= (SELECT message_id FROM webhook_deliveries
        WHERE bot_id = new.bot_id ORDER BY message_id DESC LIMIT 1 OFFSET 200);
END;
