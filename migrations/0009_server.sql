-- The server's own state: when it last started, which clients see as server_generation.
ALTER TABLE realms ADD COLUMN server_generation INTEGER NOT NULL DEFAULT 0;
