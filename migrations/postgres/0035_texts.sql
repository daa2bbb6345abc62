-- Whether texts that were stored before names and descriptions had their forms have been mended
-- (docs/protocol/limits.md#printable). The next start does it.
ALTER TABLE realms ADD COLUMN texts_mended BIGINT NOT NULL DEFAULT 0;
