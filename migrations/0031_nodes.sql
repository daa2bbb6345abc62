-- A queue is served by programs with the rules that it was registered with (docs/adr/0055-queues-on-any-node.md).
ALTER TABLE event_queues ADD COLUMN accept_version INTEGER NOT NULL DEFAULT 1;
