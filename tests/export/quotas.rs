//! Objects above the quotas of docs/LIMITS.md: an import accepts them, except linkifiers and alert words, and
//! afterwards nothing can be added.

use spindle_tests::{Server, User};

use crate::organization::{archive, ask, organization, pack};
use crate::support::{serve, there};

/// Objects above the quota.
const MORE: i64 = 10;
/// Alert words of other accounts.
const OTHERS: i64 = 1;

/// A table, its quota, and the SQL that creates rows of `n` for the account `?1`.
const TABLES: &[(&str, i64, &str)] = &[
    (
        "alert_words",
        1000,
        "INSERT INTO alert_words SELECT ?1, 'w' || i, 'w' || i, i FROM n",
    ),
    (
        "saved_snippets",
        1000,
        "INSERT INTO saved_snippets (user_id, title, content, date_created)
         SELECT ?1, 't', 'c', 1 FROM n",
    ),
    (
        "navigation_views",
        200,
        "INSERT INTO navigation_views SELECT ?1, 'view' || i, 0, 'n' || i FROM n",
    ),
    (
        "linkifiers",
        500,
        "INSERT INTO linkifiers (realm_id, position, pattern, url_template)
         SELECT 1, i, 'above' || i, 'https://x.example' FROM n",
    ),
    (
        "realm_playgrounds",
        200,
        "INSERT INTO realm_playgrounds (realm_id, name, pygments_language, url_template)
         SELECT 1, 'p' || i, 'Rust', 'https://x.example/{code}' FROM n",
    ),
    (
        "realm_domains",
        1000,
        "INSERT INTO realm_domains (realm_id, domain, allow_subdomains)
         SELECT 1, 'd' || i || '.example', 0 FROM n",
    ),
    (
        "channel_folders",
        500,
        "INSERT INTO channel_folders (realm_id, name, name_folded, position, date_created,
             creator_id) SELECT 1, 'f' || i, 'f' || i, i, 1, ?1 FROM n",
    ),
    (
        "profile_fields",
        100,
        "INSERT INTO profile_fields (realm_id, name, type, position)
         SELECT 1, 'f' || i, 1, i FROM n",
    ),
];

fn count(server: &Server, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    let database = server.database();
    database.query_row(&sql, [], |row| row.get(0)).unwrap()
}

fn add_one(user: &User, table: &str) -> Option<spindle_tests::Reply> {
    Some(match table {
        "alert_words" => user.post("/users/me/alert_words", &[("alert_words", "[\"new\"]")]),
        "saved_snippets" => user.post("/saved_snippets", &[("title", "t"), ("content", "c")]),
        "navigation_views" => user.post(
            "/navigation_views",
            &[("fragment", "one"), ("is_pinned", "true"), ("name", "more")],
        ),
        _ => return None,
    })
}

#[test]
fn an_import_accepts_objects_above_the_quotas() {
    let organization = organization();
    let (server, owner) = (&organization.server, &organization.owner);
    let ann = &organization.ann;
    for (_, limit, sql) in TABLES {
        let rows = limit + MORE;
        let sql = sql.replace("?1", &ann.id());
        let sql = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) {sql}"
        );
        let done = server.database().execute_batch(&sql);
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    let good = archive(server, owner, &ask(owner, "full_without_consent"));
    let (imported, _) = serve(&pack(&good.files("export")), &[]);
    let ann = there(&imported, ann);
    for (table, limit, _) in TABLES {
        let there = count(&imported, table);
        match *table {
            // Every message is searched for them.
            "alert_words" => assert_eq!(there, limit + OTHERS, "{table}"),
            "linkifiers" => assert_eq!(there, *limit, "{table}"),
            _ => assert!(there >= limit + MORE, "{table}: {there}"),
        }
        if let Some(reply) = add_one(&ann, table) {
            reply.bad_request();
            assert_eq!(count(&imported, table), there, "{table}");
        }
    }
}
