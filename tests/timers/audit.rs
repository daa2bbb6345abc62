//! The audit log for the operator: a job makes its chain, commands read, check and shorten it.

use serde_json::Value;
use spindle_tests::{Options, Server, until_the_next_second};

const JOB: &str = "chain-audit-log";

fn list(server: &Server, words: &[&str]) -> Vec<Value> {
    let found = server.admin(&[&["audit"], words].concat());
    found.as_array().expect("entries").clone()
}

fn verify(server: &Server) -> (bool, Value) {
    let output = server.admin_output(&["audit", "--verify"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    (output.status.success(), value[0].clone())
}

#[test]
fn the_operator_reads_checks_and_shortens_it() {
    let server = Server::spawn(Options::default());
    let (owner, user) = (server.user("owner"), server.user("member"));
    owner
        .patch(
            &format!("/users/{}", user.user_id),
            &[("full_name", "Changed Name")],
        )
        .ok();
    server.advance_past_run(61, JOB);
    let all = list(&server, &[]);
    let ids: Vec<i64> = all.iter().filter_map(|one| one["id"].as_i64()).collect();
    assert!(ids.is_sorted() && ids.len() > 3, "{ids:?}");
    let of_user = list(&server, &["--user", &user.email, "--since", "1h"]);
    let kinds: Vec<&str> = of_user
        .iter()
        .filter_map(|one| one["event_type"].as_str())
        .collect();
    assert_eq!(kinds, ["user_created", "user_full_name_changed"]);
    assert_eq!(of_user[0]["acting"], "operator");
    assert_eq!(of_user[1]["acting_user_id"], owner.user_id);
    assert_eq!(of_user[1]["data"]["new"], "Changed Name");
    let kind = ["--kind", "user_full_name_changed", "--user", &user.email];
    assert_eq!(list(&server, &kind).len(), 1);
    assert!(list(&server, &["--until", "2020-01-01T00:00:00Z"]).is_empty());
    for wrong in [
        ["--kind", "no_such_kind"],
        ["--since", "yesterday"],
        ["--user", "nobody@example.com"],
    ] {
        let output = server.admin_output(&[&["audit"][..], &wrong].concat());
        assert!(!output.status.success(), "{wrong:?}");
    }
    let text = server.admin_text(&["audit", "--user", &user.email], "human");
    assert!(text.contains("user_full_name_changed"), "{text}");
    let table = server.admin_text(&["audit", "--user", &user.email], "csv");
    assert!(table.starts_with("id,time,acting,"), "{table}");

    let (holds, value) = verify(&server);
    assert!(holds, "{value}");
    assert_eq!(value["broken_position"], Value::Null);
    let last = all.iter().filter_map(|one| one["position"].as_i64()).max();
    assert_eq!(value["position"].as_i64(), last);
    // A row that was changed, and one that is missing.
    let database = server.database();
    let change =
        "UPDATE audit_log SET data = '{\"old\":\"x\"}' WHERE event_type = 'user_full_name_changed'";
    assert_eq!(database.execute(change, ()), Ok(1));
    let (holds, value) = verify(&server);
    let position = of_user[1]["position"].as_i64();
    assert!(
        !holds && value["broken_position"].as_i64() == position,
        "{value}"
    );
    assert_eq!(
        database.execute("DELETE FROM audit_log WHERE position = 2", ()),
        Ok(1)
    );
    let (holds, value) = verify(&server);
    assert!(!holds && value["broken_position"] == 2, "{value}");

    // What is removed by the command leaves a sound beginning.
    until_the_next_second();
    let removed = server.admin(&["audit", "prune", "--before", "0d"]);
    assert!(removed["removed"].as_i64() > Some(2), "{removed}");
    server.advance_past_run(61, JOB);
    let (holds, value) = verify(&server);
    assert!(holds, "{value}");
    assert_eq!(list(&server, &["--kind", "audit_pruned"]).len(), 1);
    let none = server.admin(&["audit", "prune", "--before", "2020-01-01T00:00:00Z"]);
    assert_eq!(none["removed"], 0);
}
