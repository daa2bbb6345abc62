-- The audit log as a chain: a job gives each entry a position and a digest, which covers the entry and the digest of the
-- position before. Neither has a value until then.
ALTER TABLE audit_log ADD COLUMN position INTEGER;
ALTER TABLE audit_log ADD COLUMN digest TEXT;
CREATE UNIQUE INDEX audit_log_chain ON audit_log (position) WHERE position IS NOT NULL;
CREATE INDEX audit_log_unchained ON audit_log (id) WHERE position IS NULL;
-- Entries that clients without an account cause are counted before another one is written.
CREATE INDEX audit_log_refused_sign_ins ON audit_log (time) WHERE event_type = 'user_sign_in_refused';
