-- A new organization shows nothing to visitors without an account until an administrator switches
-- enable_spectator_access on. Where it was on because nobody had said anything, it stays on: links
-- to web-public channels go on working.
UPDATE realms SET settings = json_set(settings, '$.enable_spectator_access', json('true'))
WHERE settings ->> '$.enable_spectator_access' IS NULL;
