-- What services have delivered to each incoming webhook, so that a delivery that is repeated makes one message
-- (docs/adr/0054-repeated-sends.md). The newest 200 of a bot are kept.
CREATE TABLE webhook_deliveries (
    bot_id BIGINT NOT NULL REFERENCES users (id),
    delivery TEXT COLLATE "C" NOT NULL,
    message_id BIGINT NOT NULL,
    PRIMARY KEY (bot_id, delivery)
);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (bot_id, message_id);

CREATE FUNCTION bound_webhook_deliveries() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM webhook_deliveries WHERE bot_id = NEW.bot_id AND message_id <= (SELECT message_id FROM webhook_deliveries
        WHERE bot_id = NEW.bot_id ORDER BY message_id DESC LIMIT 1 OFFSET 200);
    RETURN NULL;
END $$;
CREATE TRIGGER webhook_deliveries_bounded AFTER INSERT ON webhook_deliveries
    FOR EACH ROW EXECUTE FUNCTION bound_webhook_deliveries();
