-- What texts take in snapshots and lists, in bytes of JSON: quotas are sums of it. The database writes that JSON, so it
-- counts it as well, and rows of earlier versions need no step of their own.

-- A text as JSON, with its quotes; none takes nothing.
CREATE FUNCTION json_bytes(value TEXT) RETURNS BIGINT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(CAST(octet_length(CAST(to_json(value) AS TEXT)) AS BIGINT), 0) $$;

ALTER TABLE saved_snippets ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    json_bytes(title) + json_bytes(content)) STORED;
ALTER TABLE drafts ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    octet_length(recipients) + json_bytes(topic) + json_bytes(content)) STORED;
ALTER TABLE scheduled_messages ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    octet_length(coalesce(recipients, '')) + json_bytes(topic) + json_bytes(content)
    + json_bytes(rendered_content)) STORED;
ALTER TABLE reminders ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    json_bytes(content) + json_bytes(rendered_content)) STORED;

-- Twice: a snapshot has two lists with them.
ALTER TABLE channels ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    2 * (json_bytes(name) + json_bytes(description) + json_bytes(rendered_description))) STORED;
CREATE INDEX channels_by_creator ON channels (creator_id) WHERE creator_id IS NOT NULL;

ALTER TABLE user_groups ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    json_bytes(coalesce(name, '')) + json_bytes(description)) STORED;
CREATE INDEX user_groups_by_creator ON user_groups (creator_id) WHERE creator_id IS NOT NULL;

ALTER TABLE channel_folders ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    json_bytes(name) + json_bytes(description) + json_bytes(rendered_description)) STORED;
ALTER TABLE linkifiers ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    json_bytes(pattern) + json_bytes(url_template) + json_bytes(coalesce(example_input, ''))
    + json_bytes(coalesce(reverse_template, '')) + octet_length(alternative_url_templates)) STORED;
ALTER TABLE realm_playgrounds ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    json_bytes(name) + json_bytes(pygments_language) + json_bytes(url_template)) STORED;

-- field_data is a text in the JSON, not a part of it.
ALTER TABLE profile_fields ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    json_bytes(name) + json_bytes(hint) + json_bytes(field_data)) STORED;
-- With the names of the members around a value.
ALTER TABLE profile_values ADD COLUMN json_bytes BIGINT GENERATED ALWAYS AS (
    40 + json_bytes(value) + json_bytes(coalesce(rendered_value, ''))) STORED;

-- Shares of one person in what the organization may have.
CREATE INDEX realm_emoji_by_author ON realm_emoji (author_id) WHERE author_id IS NOT NULL;
