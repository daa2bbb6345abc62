-- The organization: linkifiers and settings.

-- Patterns that become links. position: in this order they apply, and so they are listed.
CREATE TABLE linkifiers (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    position            INTEGER NOT NULL,
    pattern             TEXT    NOT NULL,
    url_template        TEXT    NOT NULL,
    example_input       TEXT,
    reverse_template    TEXT,
    alternative_url_templates TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(alternative_url_templates))
) STRICT;
CREATE UNIQUE INDEX linkifiers_by_pattern ON linkifiers (realm_id, pattern);
CREATE INDEX linkifiers_by_position ON linkifiers (realm_id, position, id);

-- Changes with every change of the list and never comes back, so that compiled patterns can
-- be kept between requests; empty: there has never been a linkifier.
ALTER TABLE realms ADD COLUMN linkifiers_version TEXT NOT NULL DEFAULT '';
