//! The functions that statements call return the same on both databases, and PostgreSQL inlines its own.

use crate::dialect::{Texts, texts};
use crate::testing::{TestDatabase, with_postgres};
use crate::users::iso_date;

/// Expressions of every function that PostgreSQL has from its first migration or under another name.
const EXPRESSIONS: &[Texts] = &[
    texts!("SELECT iif(1 = 1, 'a', 'b') || iif(0, 'a', 'b') || iif(2, 'a', 'b')"),
    texts!("SELECT iif(1 = 2, 1, NULL)"),
    texts!("SELECT max(2, 3)"),
    texts!("SELECT max(2, NULL)"),
    texts!("SELECT min(2, 3)"),
    texts!("SELECT min(NULL, 3)"),
    texts!("SELECT json_group_array(value ORDER BY key) FROM json_ids('[3,1,9007199254740993]')"),
    texts!("SELECT json_group_array(key) FROM json_ids('[7,8]')"),
    texts!("SELECT json_group_array(value) FROM json_ids('[3]') WHERE value > 3"),
    texts!("SELECT json_group_array(json_array(value, NULL, 'x')) FROM json_ids('[3]')"),
    texts!(
        "SELECT json_group_array(value ORDER BY value) FROM json_texts('[\"b\",\"\u{e9}\",\"a\"]')"
    ),
    texts!("SELECT value FROM json_texts('[[1,\"x\"]]')"),
    texts!("SELECT json_group_object(key, value) FROM json_members('{\"b\":\"2\",\"a\":\"1\"}')"),
    texts!("SELECT group_concat(value, '-' ORDER BY value DESC) FROM json_texts('[\"a\",\"b\"]')"),
    texts!("SELECT '[1,\"x\"]' ->> 1"),
    texts!("SELECT '[1,\"x\"]' ->> 2"),
    texts!("SELECT '{\"a\":\"x\"}' ->> 'a'"),
    texts!("SELECT '{\"a\":true}' -> 'a' = 'true'"),
    texts!("SELECT '{\"a\":true}' -> 'b'"),
    texts!("SELECT json_set('{\"a\":1}', '$.' || json_quote('b c'), json('[2]'))"),
    texts!("SELECT json_set('{\"a\":1}', '$.\"a\"', json('null'))"),
    texts!("SELECT json_quote('a\"b\u{e9}\\\\')"),
    texts!("SELECT json_patch('{}', json_object('a', NULL, 'b', 1))"),
    texts!("SELECT json_patch(json_object('a', NULL, 'b', 1), json_object('b', 2))"),
    texts!("SELECT json_array_length('[1,2]')"),
    texts!("SELECT rtrim(json_object('a', 1, 'b', json('{}'), 'c', ''), '}') || ',\"d\":2}'"),
    texts!(concat!("SELECT ", iso_date!("1700000000"))),
    texts!("SELECT length(random_name())"),
    texts!("SELECT char(233) || 'x'"),
    texts!("SELECT substr('h\u{e9}llo', 2, 2) || length('\u{e9}') || octet_length('\u{e9}')"),
    texts!("SELECT 6 & 3 = 2 AND ~1 & 3 = 2 AND 4 | 1 = 5"),
];

/// A value as both print it; blanks in JSON do not count.
fn comparable(text: Option<&str>) -> String {
    let Some(text) = text else {
        return "NULL".to_owned();
    };
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(json) if json.is_object() || json.is_array() => json.to_string(),
        _ => text.to_owned(),
    }
}

/// Calls of the functions of the schema that are written in SQL, with columns, which the planner cannot compute.
const CALLS: [&str; 20] = [
    "public.iif(r.id, r.id, r.id)",
    "public.iif(r.id = 1, r.id, r.id)",
    "public.iso_date(r.id)",
    "public.json(r.settings)",
    "public.json_array_length(r.settings)",
    "public.json_element(r.settings, 1)",
    "public.json_member(r.settings, r.name)",
    "public.json_member_as_json(r.settings, r.name)",
    "public.json_patch(CAST(r.settings AS JSON), CAST(r.settings AS JSON))",
    "public.json_quote(r.name)",
    "public.json_set(r.settings, r.name, CAST(r.settings AS JSON))",
    "public.json_type(r.settings)",
    "public.json_valid(r.settings)",
    "public.max(r.id, r.id)",
    "public.min(r.id, r.id)",
    "public.random_name()",
    "public.rtrim(CAST(r.settings AS JSON), r.name)",
    "(SELECT sum(key) FROM public.json_ids(r.settings))",
    "(SELECT max(key) FROM public.json_members(r.settings))",
    "(SELECT sum(key) FROM public.json_texts(r.settings))",
];

/// Functions that only generated columns call. They require an immutable function, and one that is declared immutable
/// although it calls `to_json`, which is not, is never inlined. Writing a row costs more than such a call.
const OF_COLUMNS: [&str; 1] = ["json_bytes"];

/// A function that is not inlined is parsed and planned again in each execution of a statement.
#[test]
fn the_planner_inlines_functions() {
    with_postgres(|client| {
        let written = "SELECT DISTINCT p.proname::text FROM pg_proc p \
             JOIN pg_language l ON l.oid = p.prolang \
             WHERE l.lanname = 'sql' AND p.pronamespace = 'public'::regnamespace";
        let functions = client.query(written, &[]).unwrap();
        // So that plans name the functions of the schema with it, and those of PostgreSQL without.
        client
            .batch_execute("SET search_path = pg_catalog")
            .unwrap();
        for function in functions {
            let name: String = function.get(0);
            if OF_COLUMNS.contains(&name.as_str()) {
                continue;
            }
            let call = format!("public.{name}(");
            let calls: Vec<_> = CALLS.iter().filter(|one| one.contains(&call)).collect();
            assert!(!calls.is_empty(), "no call of {call}");
            for one in calls {
                let explain =
                    format!("EXPLAIN (VERBOSE, COSTS OFF) SELECT {one} FROM public.realms r");
                let plan = client.query(&explain, &[]).unwrap();
                let plan: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
                let plan = plan.join("\n");
                assert!(!plan.contains(&call), "{one}: {plan}");
            }
        }
    });
}

#[test]
fn functions_return_the_same() {
    with_postgres(|client| {
        let sqlite = TestDatabase::with_realm().open_another();
        for texts in EXPRESSIONS {
            let sql = format!("SELECT CAST(({}) AS TEXT)", texts.sqlite);
            let expected: Option<String> = sqlite.query_row(&sql, [], |row| row.get(0)).unwrap();
            let sql = format!(
                "SELECT CASE CAST(v AS TEXT) WHEN 'true' THEN '1' WHEN 'false' THEN '0' \
                 ELSE CAST(v AS TEXT) END FROM ({}) AS q (v)",
                texts.postgres
            );
            let row = client
                .query_one(&sql, &[])
                .unwrap_or_else(|error| panic!("{sql}: {error:?}"));
            let found: Option<String> = row.get(0);
            assert_eq!(
                comparable(found.as_deref()),
                comparable(expected.as_deref()),
                "{}",
                texts.sqlite
            );
        }
    });
}
