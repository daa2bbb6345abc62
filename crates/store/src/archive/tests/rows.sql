-- An organization with a row in every table of an archive, for SQLite and PostgreSQL. Texts have quotes, line breaks and
-- letters beyond ASCII; some times and sizes need more than 32 bits.
INSERT INTO realms (id, string_id, uuid, name, description, date_created, settings, icon_name)
VALUES (1, '', 'u', 'Realm', 'It''s "ours"', 1700000000, '{"a":1.5,"b":[1,{"c":null}],"d":"\u00e9"}', 'icon');
INSERT INTO users (id, realm_id, email, email_folded, delivery_email, delivery_email_folded, full_name, full_name_folded,
    role, is_active, is_bot, bot_type, bot_owner_id, is_imported_stub, date_joined, last_login, timezone, avatar_source,
    settings, avatar_name)
VALUES
    (10, 0, 'greeter@spindle.invalid', 'greeter@spindle.invalid', 'greeter@spindle.invalid', 'greeter@spindle.invalid',
        'Greeter', 'greeter', 400, 1, 1, 1, NULL, 0, 5, NULL, '', 'J', '{}', NULL),
    (11, 1, 'ann@x.org', 'ann@x.org', 'ann@home.org', 'ann@home.org', 'Änn "A"', 'änn "a"', 100, 1, 0, NULL, NULL, 0,
        1700000001, 4300000000, 'Asia/Tokyo', 'U', '{"allow_private_data_export":true,"color_scheme":2}', 'ann-picture'),
    (12, 1, 'bob@x.org', 'bob@x.org', 'bob@home.org', 'bob@home.org', 'Bob', 'bob', 400, 1, 0, NULL, NULL, 0, 1700000002,
        NULL, '', 'J', '{"allow_private_data_export":false,"email_address_visibility":4}', NULL),
    (13, 1, 'cem@x.org', 'cem@x.org', 'cem@home.org', 'cem@home.org', 'Cem', 'cem', 600, 0, 0, NULL, NULL, 0, 1700000003,
        NULL, '', 'U', '{}', 'cem-picture'),
    (14, 1, 'out-bot@x.org', 'out-bot@x.org', 'out-bot@x.org', 'out-bot@x.org', 'Out', 'out', 400, 1, 1, 3, 11, 0,
        1700000004, NULL, '', 'J', '{}', NULL),
    (15, 1, 'old@x.org', 'old@x.org', 'old@x.org', 'old@x.org', 'Old', 'old', 400, 0, 0, NULL, NULL, 1, 1700000005, NULL,
        '', 'J', '{}', NULL);
INSERT INTO user_groups (id, realm_id, name, description, is_system_group, deactivated, creator_id, date_created)
VALUES (21, 1, 'role:members', '', 1, 0, NULL, NULL), (22, 1, 'readers', 'of "books"', 0, 0, 11, 1700000010),
    (23, 1, NULL, '', 0, 0, NULL, NULL), (24, 1, 'gone', '', 0, 1, 12, 1700000011);
INSERT INTO user_group_members (user_id, group_id) VALUES (12, 22), (11, 22), (13, 21);
INSERT INTO user_group_subgroups (supergroup_id, subgroup_id) VALUES (22, 21), (21, 24);
INSERT INTO conversations (id, realm_id, kind, members_key)
VALUES (41, 1, 'channel', NULL), (42, 1, 'channel', NULL), (43, 1, 'channel', NULL), (44, 1, 'direct', '11,12'),
    (45, 1, 'direct', '11,12,13'), (46, 1, 'direct', '12'), (47, 1, 'direct', '12,13');
INSERT INTO conversation_members (user_id, conversation_id)
VALUES (11, 44), (12, 44), (11, 45), (12, 45), (13, 45), (12, 46), (12, 47), (13, 47);
INSERT INTO channel_folders (id, realm_id, name, name_folded, description, position, date_created, creator_id, is_archived)
VALUES (51, 1, 'Folder', 'folder', 'd', 1, 1700000020, 11, 0), (52, 1, 'Old', 'old', '', 2, NULL, NULL, 1);
INSERT INTO channels (id, realm_id, conversation_id, name, name_folded, description, rendered_description, date_created,
    creator_id, invite_only, history_public_to_subscribers, is_web_public, is_archived, message_retention_days,
    folder_id, first_message_id)
VALUES
    (31, 1, 41, 'open', 'open', 'a\b', '<p>a\b</p>', 1700000021, 11, 0, 1, 1, 0, 30, 51, 61),
    (32, 1, 42, 'shared', 'shared', '', '', 1700000022, NULL, 1, 1, 0, 0, NULL, NULL, NULL),
    (33, 1, 43, 'hidden', 'hidden', '', '', 1700000023, 12, 1, 0, 0, 1, NULL, NULL, NULL);
INSERT INTO group_settings (realm_id, owner_type, owner_id, name, group_id)
VALUES (1, 'realm', 1, 'can_create_groups', 21), (1, 'realm', 1, 'can_add_custom_emoji_group', 23),
    (1, 'channel', 31, 'can_send_message_group', 22), (1, 'user_group', 22, 'can_join_group', 21);
INSERT INTO default_channels (channel_id) VALUES (31), (32);
INSERT INTO subscriptions (user_id, channel_id, active, color, is_muted, pin_to_top, desktop_notifications,
    email_notifications, push_notifications, audible_notifications, wildcard_mentions_notify)
VALUES (11, 31, 1, '#76ce90', 1, 1, 1, 0, NULL, 1, 0), (12, 31, 1, '#fae589', 1, 0, 0, NULL, NULL, NULL, NULL),
    (11, 32, 1, '#a6c7e5', 0, 0, NULL, NULL, NULL, NULL, NULL), (12, 33, 1, '#e79ab5', 0, 1, NULL, NULL, 1, NULL, NULL),
    (11, 33, 1, '#e79ab5', 0, 0, NULL, NULL, NULL, NULL, NULL), (13, 33, 0, '#e79ab5', 0, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO messages (id, realm_id, sender_id, conversation_id, channel_id, topic, topic_folded, content, rendered_content,
    date_sent, client, last_edit_time, edit_history, properties)
VALUES
    (61, 1, 11, 41, 31, 'Tea', 'tea', 'It''s "tea" \ 茶
and a line', '<p>tea</p>', 4300000000, 'website', NULL, NULL, 7),
    (62, 1, 12, 41, 31, 'Tea', 'tea', 'moved', '<p>moved</p>', 1700000032, 'ZulipMobile', 1700000039,
        '[{"prev_stream":33,"prev_topic":"secret","timestamp":1700000039,"user_id":12}]', 0),
    (63, 1, 12, 42, 32, '', '', 'edited', '<p>edited</p>', 1700000033, 'website', 1700000040,
        '[{"prev_content":"x","user_id":12},{"prev_topic":"known","prev_stream":31}]', 1),
    (64, 1, 12, 43, 33, 'h', 'h', 'received', '<p>received</p>', 1700000034, 'internal', NULL, NULL, 2),
    (65, 1, 12, 43, 33, 'h', 'h', 'missed', '<p>missed</p>', 1700000035, 'website', NULL, NULL, 4),
    (66, 1, 11, 44, NULL, '', '', 'to bob', '<p>to bob</p>', 1700000036, 'website', NULL, NULL, 0),
    (67, 1, 13, 45, NULL, '', '', 'to both', '<p>to both</p>', 1700000037, 'website', NULL, NULL, 0),
    (68, 1, 12, 46, NULL, '', '', 'a note', '<p>a note</p>', 1700000038, 'website', NULL, NULL, 0),
    (69, 1, 13, 47, NULL, '', '', 'to bob too', '<p>to bob too</p>', 1700000038, 'API', NULL, NULL, 0);
INSERT INTO user_messages (user_id, message_id, flags)
VALUES (12, 61, 1), (11, 61, 3), (11, 62, 8), (12, 63, 1), (11, 64, 512), (12, 64, 0), (12, 65, 0), (11, 66, 2049),
    (12, 66, 2048), (13, 67, 2049), (11, 67, 2048), (12, 68, 2049), (12, 69, 2048);
INSERT INTO profile_fields (id, realm_id, name, hint, type, field_data, position, required, editable_by_user, in_summary,
    matches_users)
VALUES (71, 1, 'Phone', 'a number', 1, '', 1, 1, 0, 1, 0), (72, 1, 'Color', '', 3, '{"0":{"text":"red","order":"1"}}', 2, 0,
    1, 0, 1);
INSERT INTO profile_values (user_id, field_id, value, rendered_value)
VALUES (12, 72, '0', NULL), (11, 71, '+49 1', '<p>+49 1</p>'), (11, 72, '0', NULL);
INSERT INTO linkifiers (id, realm_id, position, pattern, url_template, example_input, reverse_template,
    alternative_url_templates)
VALUES (73, 1, 2, '#(?P<id>[0-9]+)', 'https://bugs.example/{id}', '#1', '#{id}', '["https://b.example/{id}"]'),
    (74, 1, 1, 'x', 'https://x.example', NULL, NULL, '[]');
INSERT INTO realm_domains (id, realm_id, domain, allow_subdomains) VALUES (75, 1, 'x.org', 1), (76, 1, 'y.org', 0);
INSERT INTO realm_playgrounds (id, realm_id, name, pygments_language, url_template)
VALUES (77, 1, 'Play', 'Rust', 'https://play.example/{code}');
INSERT INTO realm_emoji (id, realm_id, name, author_id, file_name, still_file_name, deactivated, date_created)
VALUES (78, 1, 'wave', 11, 'b.gif', 'b.png', 0, 1700000050), (79, 1, 'old', NULL, 'a.png', NULL, 1, 1700000051);
INSERT INTO reactions (id, message_id, user_id, reaction_type, emoji_code, emoji_name)
VALUES (81, 61, 12, 'realm_emoji', '78', 'wave'), (82, 64, 11, 'unicode_emoji', '1f44d', '+1'),
    (83, 68, 12, 'unicode_emoji', '1f44d', '+1');
INSERT INTO audit_log (id, realm_id, time, acting_user_id, modified_user_id, event_type, data)
VALUES (91, 1, 1700000060, 11, 12, 'user_role_changed', '{"old":400,"new":[1,"x",null,true]}'),
    (92, 1, 1700000061, NULL, NULL, 'realm_created', '{}');
INSERT INTO user_topics (user_id, channel_id, topic_folded, topic, visibility_policy, last_updated)
VALUES (12, 31, 'tea', 'Tea', 1, 1700000070), (11, 31, 'tea', 'Tea', 3, 1700000071), (11, 32, 'Z', 'Z', 2, 1700000072),
    (11, 32, 'a', 'a', 2, 1700000073);
INSERT INTO muted_users (user_id, muted_user_id, created) VALUES (12, 11, 1700000074), (11, 13, 1700000075);
INSERT INTO alert_words (user_id, word_folded, word, position)
VALUES (11, 'tea', 'Tea', 2), (11, 'milk', 'milk', 1), (12, 'x', 'x', 1);
INSERT INTO user_statuses (user_id, status_text, emoji_name, emoji_code, reaction_type, updated, scheduled_end_time)
VALUES (11, 'away', 'car', '1f697', 'unicode_emoji', 1700000076, 4300000000), (12, '', 'wave', '78', 'realm_emoji',
    1700000077, NULL);
INSERT INTO presences (user_id, active_timestamp, idle_timestamp, update_id)
VALUES (11, 1700000078, 1700000079, 2), (12, 0, 1700000080, 1), (13, 0, 0, 3);
INSERT INTO saved_snippets (id, user_id, title, content, date_created)
VALUES (84, 12, 'b', 'c', 1700000081), (85, 11, 'title', '"content"', 1700000082);
INSERT INTO navigation_views (user_id, fragment, is_pinned, name)
VALUES (11, 'narrow/b', 1, 'B'), (11, 'Narrow', 0, NULL), (12, 'narrow/a', 0, 'A');
INSERT INTO scheduled_messages (id, realm_id, user_id, channel_id, recipients, topic, content, rendered_content, deliver_at,
    read_by_sender, client, realm_url, failure)
VALUES (101, 1, 11, 31, NULL, 'Tea', 'later', '<p>later</p>', 4300000000, 0, 'API', 'https://x.example', NULL),
    (102, 1, 11, NULL, '[12]', '', 'to bob', '<p>to bob</p>', 4300000001, 1, 'website', 'https://x.example', NULL),
    (103, 1, 11, NULL, '[13,12]', '', 'to both', '<p>to both</p>', 4300000002, 1, 'desk', 'https://x.example', 'no right'),
    (104, 1, 12, 33, NULL, 'h', 'later', '<p>later</p>', 4300000003, 0, 'website', 'https://x.example', NULL);
INSERT INTO bots (user_id, default_sending_channel_id, default_events_register_channel_id, default_all_public_streams,
    services)
VALUES (14, 31, NULL, 1,
    '[{"base_url":"https://bots.example/hook","interface":2,"service_name":"out","token":"secret-token-of-a-bot"}]');
INSERT INTO bot_storage (user_id, key, value) VALUES (14, 'b', '{"x":1}'), (14, 'B', 'text'), (14, 'a', '');
INSERT INTO attachments (id, realm_id, owner_id, path_id, blob_key, name, content_type, size, create_time)
VALUES (111, 1, 11, '1/bb/x/one.txt', 'uploads/1', 'one.txt', 'text/plain', 4300000000, 1700000090),
    (112, 1, 12, '1/aa/y/two.txt', 'uploads/2', 'two.txt', 'text/plain', 7, 1700000091),
    (113, 1, 12, '1/cc/z/unused.txt', 'uploads/3', 'unused.txt', 'text/plain', 0, 1700000092);
INSERT INTO attachment_messages (attachment_id, message_id) VALUES (111, 62), (111, 61), (112, 65), (112, 63);
