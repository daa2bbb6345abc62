-- Resolving a topic or reopening it leaves the words of its messages as they are, since the mark is no
-- word. So it need not index them again, which took most of its time.

DROP TRIGGER message_search_before_update;
DROP TRIGGER message_search_after_update;
CREATE TRIGGER message_search_before_update
BEFORE UPDATE OF topic, content, conversation_id, sender_id ON messages
WHEN (iif(substr(new.topic, 1, 2) = '✔ ', substr(new.topic, 3), new.topic),
        new.content, new.conversation_id, new.sender_id)
    IS NOT (iif(substr(old.topic, 1, 2) = '✔ ', substr(old.topic, 3), old.topic),
        old.content, old.conversation_id, old.sender_id)
BEGIN
    INSERT INTO message_search (message_search, rowid, topic, content, scope)
        SELECT 'delete', id, topic, content, scope FROM message_search_texts WHERE id = old.id;
END;
CREATE TRIGGER message_search_after_update
AFTER UPDATE OF topic, content, conversation_id, sender_id ON messages
WHEN (iif(substr(new.topic, 1, 2) = '✔ ', substr(new.topic, 3), new.topic),
        new.content, new.conversation_id, new.sender_id)
    IS NOT (iif(substr(old.topic, 1, 2) = '✔ ', substr(old.topic, 3), old.topic),
        old.content, old.conversation_id, old.sender_id)
BEGIN
    INSERT INTO message_search (rowid, topic, content, scope)
        SELECT id, topic, content, scope FROM message_search_texts WHERE id = new.id;
END;
