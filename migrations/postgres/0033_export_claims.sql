-- Of the servers that share a database, one builds an export: until this time (UNIX seconds) no other one takes it
-- (docs/adr/0058-archives-on-postgresql.md).
ALTER TABLE realm_exports ADD COLUMN claimed_by TEXT COLLATE "C";
ALTER TABLE realm_exports ADD COLUMN claimed_until BIGINT NOT NULL DEFAULT 0;
