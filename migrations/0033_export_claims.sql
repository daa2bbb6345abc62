-- Of the servers that share a database, one builds an export: until this time (UNIX seconds) no other one takes it
-- (docs/adr/0058-archives-on-postgresql.md).
ALTER TABLE realm_exports ADD COLUMN claimed_by TEXT;
ALTER TABLE realm_exports ADD COLUMN claimed_until INTEGER NOT NULL DEFAULT 0;
