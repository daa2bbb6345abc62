-- Who shares the quotas of the inviter with an account that joined by their invitation; NULL: nobody, or no longer. A job
-- ends this a month after the account joined.
ALTER TABLE users ADD COLUMN sponsor_id BIGINT REFERENCES users (id);
CREATE INDEX users_by_sponsor ON users (sponsor_id, date_joined) WHERE sponsor_id IS NOT NULL;
