-- The words of the full-text index in their order, for a search whose last word may go on. It is a
-- view of the index: nothing is stored or built.

CREATE VIRTUAL TABLE message_search_words USING fts5vocab(message_search, instance);
