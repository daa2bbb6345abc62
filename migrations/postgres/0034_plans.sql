-- What a statement calls is planned with it, not at each execution. The planner does not inline an IMMUTABLE function that
-- calls a STABLE one, and never the final function of an aggregate; PL/pgSQL keeps its plan for the whole connection.
ALTER FUNCTION iso_date(BIGINT) STABLE;
ALTER FUNCTION json_quote(TEXT) STABLE;
CREATE OR REPLACE FUNCTION json_list(items ANYCOMPATIBLEARRAY) RETURNS JSON
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$ BEGIN RETURN array_to_json(items); END $$;

-- How many messages are unread, starred, mentions, with alert words, direct: the planner cannot see it in flags.
CREATE STATISTICS user_messages_read ON (flags & 1) FROM user_messages;
CREATE STATISTICS user_messages_stars ON (flags & 2) FROM user_messages;
CREATE STATISTICS user_messages_mentions ON (flags & 120) FROM user_messages;
CREATE STATISTICS user_messages_alerts ON (flags & 512) FROM user_messages;
CREATE STATISTICS user_messages_direct ON (flags & 2048) FROM user_messages;
