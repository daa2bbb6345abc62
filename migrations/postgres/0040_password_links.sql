-- Links with which a person sets a new password: until when (UNIX seconds), and who made it; NULL: the operator. A link
-- without this time only signs in.
ALTER TABLE sign_in_links ADD COLUMN sets_password_until BIGINT;
ALTER TABLE sign_in_links ADD COLUMN made_by BIGINT REFERENCES users (id);
