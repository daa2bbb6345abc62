-- What a statement calls is planned with it, not at each execution. The planner does not inline an IMMUTABLE function that
-- calls a STABLE one, and never the final function of an aggregate; PL/pgSQL keeps its plan for the whole connection.
ALTER FUNCTION iso_date(BIGINT) STABLE;
ALTER FUNCTION json_quote(TEXT) STABLE;
CREATE OR REPLACE FUNCTION json_list(items ANYCOMPATIBLEARRAY) RETURNS JSON
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$ BEGIN RETURN array_to_json(items); END $$;
