-- What texts take in snapshots and lists, in bytes of JSON: quotas are sums of it. The database writes that JSON, so it
-- counts it as well, and rows of earlier versions need no step of their own.
ALTER TABLE saved_snippets ADD COLUMN json_bytes INTEGER AS (
    length(CAST(json_quote(title) AS BLOB)) + length(CAST(json_quote(content) AS BLOB)));
ALTER TABLE drafts ADD COLUMN json_bytes INTEGER AS (
    length(CAST(recipients AS BLOB)) + length(CAST(json_quote(topic) AS BLOB)) + length(CAST(json_quote(content) AS BLOB)));
ALTER TABLE scheduled_messages ADD COLUMN json_bytes INTEGER AS (
    length(CAST(coalesce(recipients, '') AS BLOB)) + length(CAST(json_quote(topic) AS BLOB)) + length(CAST(json_quote(content) AS BLOB))
    + length(CAST(json_quote(rendered_content) AS BLOB)));
ALTER TABLE reminders ADD COLUMN json_bytes INTEGER AS (
    length(CAST(json_quote(content) AS BLOB)) + length(CAST(json_quote(rendered_content) AS BLOB)));

-- Twice: a snapshot has two lists with them.
ALTER TABLE channels ADD COLUMN json_bytes INTEGER AS (
    2 * (length(CAST(json_quote(name) AS BLOB)) + length(CAST(json_quote(description) AS BLOB))
        + length(CAST(json_quote(rendered_description) AS BLOB))));
CREATE INDEX channels_by_size ON channels (realm_id, json_bytes);
CREATE INDEX channels_by_creator ON channels (creator_id, json_bytes) WHERE creator_id IS NOT NULL;

ALTER TABLE user_groups ADD COLUMN json_bytes INTEGER AS (
    length(CAST(json_quote(coalesce(name, '')) AS BLOB)) + length(CAST(json_quote(description) AS BLOB)));
CREATE INDEX user_groups_by_size ON user_groups (realm_id, json_bytes) WHERE name IS NOT NULL;
CREATE INDEX user_groups_by_creator ON user_groups (creator_id, json_bytes) WHERE creator_id IS NOT NULL;

ALTER TABLE channel_folders ADD COLUMN json_bytes INTEGER AS (
    length(CAST(json_quote(name) AS BLOB)) + length(CAST(json_quote(description) AS BLOB))
    + length(CAST(json_quote(rendered_description) AS BLOB)));
ALTER TABLE linkifiers ADD COLUMN json_bytes INTEGER AS (
    length(CAST(json_quote(pattern) AS BLOB)) + length(CAST(json_quote(url_template) AS BLOB))
    + length(CAST(json_quote(coalesce(example_input, '')) AS BLOB)) + length(CAST(json_quote(coalesce(reverse_template, '')) AS BLOB))
    + length(CAST(alternative_url_templates AS BLOB)));
ALTER TABLE realm_playgrounds ADD COLUMN json_bytes INTEGER AS (
    length(CAST(json_quote(name) AS BLOB)) + length(CAST(json_quote(pygments_language) AS BLOB))
    + length(CAST(json_quote(url_template) AS BLOB)));

-- field_data is a text in the JSON, not a part of it.
ALTER TABLE profile_fields ADD COLUMN json_bytes INTEGER AS (
    length(CAST(json_quote(name) AS BLOB)) + length(CAST(json_quote(hint) AS BLOB)) + length(CAST(json_quote(field_data) AS BLOB)));
-- With the names of the members around a value.
ALTER TABLE profile_values ADD COLUMN json_bytes INTEGER AS (
    40 + length(CAST(json_quote(value) AS BLOB)) + length(CAST(json_quote(coalesce(rendered_value, '')) AS BLOB)));
CREATE INDEX profile_values_by_size ON profile_values (json_bytes);

-- Shares of one person in what the organization may have.
CREATE INDEX realm_emoji_by_author ON realm_emoji (author_id) WHERE author_id IS NOT NULL;
