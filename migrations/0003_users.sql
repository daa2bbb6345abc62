-- People: custom profile fields and their values.

CREATE TABLE profile_fields (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    realm_id            INTEGER NOT NULL REFERENCES realms (id),
    name                TEXT    NOT NULL,
    hint                TEXT    NOT NULL DEFAULT '',
    type                INTEGER NOT NULL CHECK (type BETWEEN 1 AND 8),
    field_data          TEXT    NOT NULL DEFAULT '',    -- JSON, or empty where the type needs none
    position            INTEGER NOT NULL,               -- "order" of the wire
    required            INTEGER NOT NULL DEFAULT 0 CHECK (required IN (0, 1)),
    editable_by_user    INTEGER NOT NULL DEFAULT 1 CHECK (editable_by_user IN (0, 1)),
    in_summary          INTEGER NOT NULL DEFAULT 0 CHECK (in_summary IN (0, 1)),
    matches_users       INTEGER NOT NULL DEFAULT 0 CHECK (matches_users IN (0, 1)),
    CHECK (field_data = '' OR json_valid(field_data))
) STRICT;
CREATE UNIQUE INDEX profile_fields_by_name ON profile_fields (realm_id, name);

-- A value is always text; the list of a field of type 6 is JSON text.
CREATE TABLE profile_values (
    user_id             INTEGER NOT NULL REFERENCES users (id),
    field_id            INTEGER NOT NULL REFERENCES profile_fields (id) ON DELETE CASCADE,
    value               TEXT    NOT NULL,
    rendered_value      TEXT,                           -- HTML; null where the type is not rendered
    PRIMARY KEY (user_id, field_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_values_by_field ON profile_values (field_id);

-- Guests who may not see everybody are looked for whenever something about a person changes.
CREATE INDEX users_by_role ON users (realm_id, role, is_active);
