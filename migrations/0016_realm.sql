-- Domains, playgrounds, and how often addresses change.

-- Domains that the addresses of people may have, where the organization restricts them.
CREATE TABLE realm_domains (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    domain              TEXT    NOT NULL,               -- lower case
    allow_subdomains    INTEGER NOT NULL CHECK (allow_subdomains IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX realm_domains_by_name ON realm_domains (realm_id, domain);

-- Places outside that open the code of a message; url_template (RFC 6570) has the variable code.
CREATE TABLE realm_playgrounds (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    name                TEXT    NOT NULL,
    pygments_language   TEXT    NOT NULL,
    url_template        TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX realm_playgrounds_by_name ON realm_playgrounds (realm_id, pygments_language, name);

-- The limit on changes of an address counts them where they are written down anyway.
CREATE INDEX audit_log_address_changes ON audit_log (modified_user_id, time)
    WHERE event_type = 'user_email_changed';
