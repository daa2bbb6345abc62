-- The full-text index of messages, and indexes of the narrows that would else walk a history.
--
-- message_search keeps words only (contentless): the text is in messages. Triggers keep it
-- true, so whoever writes a message need not know of it. What a text is cut into words by, and
-- how a search is written for it, is in crates/actions/src/messages/search.

CREATE VIRTUAL TABLE message_search USING fts5 (
    topic, content,
    -- Tokens c<conversation id>, s<sender id> and, in direct messages, dm: searches within a
    -- conversation or of one person meet them here instead of looking at every message found.
    scope,
    content = '', columnsize = 0,
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);

-- The texts as they are indexed. Scripts that are written without spaces (or, Korean, with
-- particles joined to the words) are cut into single characters; a search for a word of theirs
-- is one for its characters in a row. Long texts are first cut into pieces, because reaching
-- the n-th character of a text takes n steps.
CREATE VIEW message_search_texts AS
SELECT m.id,
    CASE WHEN m.topic GLOB '*[฀-໿က-႟ក-៿⺀-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𿿽]*' THEN (
        WITH RECURSIVE characters (character, rest) AS (
            SELECT substr(m.topic, 1, 1), substr(m.topic, 2)
            UNION ALL
            SELECT substr(rest, 1, 1), substr(rest, 2) FROM characters WHERE rest <> '')
        SELECT group_concat(CASE
            WHEN character GLOB '[฀-໿က-႟ក-៿⺀-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𿿽]' THEN ' ' || character || ' '
            ELSE character END, '') FROM characters)
    ELSE m.topic END AS topic,
    CASE WHEN m.content GLOB '*[฀-໿က-႟ក-៿⺀-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𿿽]*' THEN (
        WITH RECURSIVE pieces (piece, rest) AS (
            SELECT substr(m.content, 1, 100), substr(m.content, 101)
            UNION ALL
            SELECT substr(rest, 1, 100), substr(rest, 101) FROM pieces WHERE rest <> '')
        SELECT group_concat((
            WITH RECURSIVE characters (character, rest) AS (
                SELECT substr(piece, 1, 1), substr(piece, 2)
                UNION ALL
                SELECT substr(rest, 1, 1), substr(rest, 2) FROM characters WHERE rest <> '')
            SELECT group_concat(CASE
                WHEN character GLOB '[฀-໿က-႟ក-៿⺀-ㇿ㐀-䶿一-鿿가-힣豈-﫿ｦ-ﾟ𠀀-𿿽]' THEN ' ' || character || ' '
                ELSE character END, '') FROM characters), '') FROM pieces)
    ELSE m.content END AS content,
    'c' || m.conversation_id || ' s' || m.sender_id || iif(m.channel_id IS NULL, ' dm', '') AS scope
FROM messages m;

INSERT INTO message_search (rowid, topic, content, scope)
    SELECT id, topic, content, scope FROM message_search_texts;

-- A text leaves the index as it came into it, read before the row changes; nothing of it stays
-- behind (secure-delete), for words of a deleted message are still words of that message.
INSERT INTO message_search (message_search, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER message_search_insert AFTER INSERT ON messages BEGIN
    INSERT INTO message_search (rowid, topic, content, scope)
        SELECT id, topic, content, scope FROM message_search_texts WHERE id = new.id;
END;
CREATE TRIGGER message_search_before_update
BEFORE UPDATE OF topic, content, conversation_id, sender_id ON messages
WHEN (new.topic, new.content, new.conversation_id, new.sender_id)
    IS NOT (old.topic, old.content, old.conversation_id, old.sender_id)
BEGIN
    INSERT INTO message_search (message_search, rowid, topic, content, scope)
        SELECT 'delete', id, topic, content, scope FROM message_search_texts WHERE id = old.id;
END;
CREATE TRIGGER message_search_after_update
AFTER UPDATE OF topic, content, conversation_id, sender_id ON messages
WHEN (new.topic, new.content, new.conversation_id, new.sender_id)
    IS NOT (old.topic, old.content, old.conversation_id, old.sender_id)
BEGIN
    INSERT INTO message_search (rowid, topic, content, scope)
        SELECT id, topic, content, scope FROM message_search_texts WHERE id = new.id;
END;
CREATE TRIGGER message_search_delete BEFORE DELETE ON messages BEGIN
    INSERT INTO message_search (message_search, rowid, topic, content, scope)
        SELECT 'delete', id, topic, content, scope FROM message_search_texts WHERE id = old.id;
END;

-- Rare among many, so that a narrow to them does not walk what is not.
CREATE INDEX messages_with_image ON messages (id) WHERE properties & 2 <> 0;
CREATE INDEX messages_with_attachment ON messages (id) WHERE properties & 4 <> 0;
CREATE INDEX messages_resolved ON messages (id) WHERE substr(topic, 1, 2) = '✔ ';
CREATE INDEX user_messages_alerted ON user_messages (user_id, message_id) WHERE flags & 512 <> 0;
