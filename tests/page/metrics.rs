//! Metrics: documents, dashboard and alerts use exactly the exported names and labels.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;
use spindle_tests::certificates::Authority;
use spindle_tests::server::{DATABASE_URL, binary, repository};
use spindle_tests::{Client, Options, Server, free_port, unix_now};

/// Names of exported metrics, each with its kind and the names of its labels.
type Exported = BTreeMap<String, (String, BTreeSet<String>)>;

/// An unused port; few tests need a known one.
fn free_address() -> String {
    format!("127.0.0.1:{}", free_port())
}

fn text(address: &str, path: &str) -> String {
    let reply = Client::new(&format!("http://{address}"), None).fetch(path, &[]);
    assert_eq!(reply.status, 200, "{path}");
    String::from_utf8(reply.bytes).expect("text")
}

fn exported(address: &str) -> Exported {
    let text = text(address, "/metrics");
    let mut found = Exported::new();
    for line in text.lines() {
        if let Some(line) = line.strip_prefix("# TYPE ") {
            let (name, kind) = line.split_once(' ').expect("name and kind");
            found.entry(name.to_owned()).or_default().0 = kind.to_owned();
        }
    }
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, labels)) = line.split_once('{') else {
            continue;
        };
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|end| {
            name.strip_suffix(end)
                .filter(|base| found.contains_key(*base))
        });
        let metric = found.get_mut(base.unwrap_or(name)).expect("announced");
        let (labels, _) = labels.rsplit_once('}').expect("an end");
        for label in labels.split("\",") {
            let (label, _) = label.split_once('=').expect("a value");
            if label != "le" {
                metric.1.insert(label.to_owned());
            }
        }
    }
    for name in found.keys() {
        assert!(
            text.contains(&format!("# HELP {name} ")),
            "{name} is not explained"
        );
    }
    found
}

/// A row of the tables of docs/TELEMETRY.md.
struct Documented {
    name: String,
    labels: BTreeSet<String>,
    /// Who exports it: `host`, `both` (also the service next to Spin), `PostgreSQL` (the host, where its database is
    /// there).
    by: String,
}

/// Metrics that a server has whose database is a file, and not one whose database is on PostgreSQL.
fn is_of_file(name: &str) -> bool {
    name.starts_with("spindle_sqlite_")
        || [
            "spindle_database_wal_bytes",
            "spindle_backup_last_success_seconds",
        ]
        .contains(&name)
}

fn documented() -> Vec<Documented> {
    let text = std::fs::read_to_string(repository().join("docs/TELEMETRY.md")).expect("docs");
    let rows = text.lines().filter(|line| line.starts_with("| `spindle_"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        // The possible values of a label follow it in brackets.
        let outside = cells[1].split('(').map(|part| match part.split_once(')') {
            Some((_, after)) => after,
            None => part,
        });
        let outside: String = outside.collect();
        let known = outside.split('`').skip(1).step_by(2).map(str::to_owned);
        Documented {
            name: cells[0].trim_matches('`').to_owned(),
            labels: known.collect(),
            by: cells[3].to_owned(),
        }
    })
    .collect()
}

/// Asserts that exactly the documented metrics are exported, with their labels.
#[track_caller]
fn matches(exported: &Exported, documented: &[&Documented]) {
    let names: BTreeSet<&String> = documented.iter().map(|row| &row.name).collect();
    assert_eq!(names, exported.keys().collect());
    for row in documented {
        assert_eq!(exported[&row.name].1, row.labels, "labels of {}", row.name);
    }
}

/// Expressions of the dashboard and of the alerts.
fn queries() -> Vec<String> {
    let read = |path: &str| std::fs::read_to_string(repository().join(path)).expect(path);
    let dashboard: Value =
        serde_json::from_str(&read("deploy/grafana/spindle.json")).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets = panels
        .iter()
        .filter_map(|panel| panel["targets"].as_array())
        .flatten();
    let mut queries: Vec<String> = targets
        .map(|target| target["expr"].as_str().expect("a query").to_owned())
        .collect();
    assert!(queries.len() > 30);
    let alerts = read("deploy/prometheus/spindle-alerts.yml");
    let rules = alerts
        .lines()
        .filter_map(|line| line.trim().strip_prefix("expr: "));
    let before = queries.len();
    queries.extend(rules.map(str::to_owned));
    assert_eq!(queries.len() - before, alerts.matches("- alert: ").count());
    queries
}

fn is_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}

/// Metrics of a query, each with the labels in its braces.
fn asked(query: &str) -> Vec<(String, Vec<String>)> {
    let mut asked = Vec::new();
    for (start, _) in query.match_indices("spindle_") {
        let rest = &query[start..];
        let end = rest.find(|sign| !is_word(sign)).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        let braces = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let labels = braces.map_or(String::new(), |(inside, _)| inside.to_owned());
        let labels = labels.split(',').filter(|part| !part.is_empty());
        let labels = labels.map(|part| part.chars().take_while(|sign| is_word(*sign)).collect());
        asked.push((name.to_owned(), labels.collect()));
    }
    asked
}

/// Labels by which a query groups.
fn divided_by(query: &str) -> Vec<String> {
    let parts = query.split("by (").skip(1);
    parts
        .filter_map(|part| part.split_once(')'))
        .flat_map(|(labels, _)| labels.split(',').map(|label| label.trim().to_owned()))
        .filter(|label| label != "le")
        .collect()
}

/// The value of one line of the text, by its name with labels.
fn value(address: &str, name: &str) -> f64 {
    let text = text(address, "/metrics");
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let line = line.unwrap_or_else(|| panic!("{name} in {text}"));
    line.trim().parse().expect("a number")
}

/// Metrics of a server that terminates TLS; `None` if no certificate can be made.
fn exported_with_tls() -> Option<Exported> {
    let folder = tempfile::tempdir().expect("folder");
    let made = Authority::new(folder.path())?.sign("used", "localhost");
    let address = free_address();
    let file = |path: &std::path::Path| path.to_str().expect("UTF-8").to_owned();
    let mut extra = vec!["--ops-listen".to_owned(), address.clone()];
    extra.extend(["--tls-cert".to_owned(), file(&made.certificate)]);
    extra.extend(["--tls-key".to_owned(), file(&made.key)]);
    let _server = Server::spawn(Options {
        extra,
        ..Options::default()
    });
    let name = "spindle_tls_certificate_end_seconds";
    let left = value(&address, &format!("{name} ")) - unix_now() as f64;
    let days = 86_400.0;
    assert!((1.9 * days..2.1 * days).contains(&left), "{left}");
    let mut exported = exported(&address);
    exported.retain(|known, _| known == name);
    Some(exported)
}

/// Metrics of a server whose database is on PostgreSQL; `None` if none can be started.
fn exported_on_postgres() -> Option<Exported> {
    let postgres = spindle_test_postgres::shared()?;
    let database = postgres.database();
    let address = free_address();
    let server = Server::spawn(Options {
        extra: vec!["--ops-listen".to_owned(), address.clone()],
        environment: vec![(DATABASE_URL.to_owned(), database.url())],
        ..Options::default()
    });
    server.owner().get("/users/me", &[]).ok();
    let of = |name: &str| value(&address, name);
    let open = of("spindle_postgres_connections{state=\"used\"}")
        + of("spindle_postgres_connections{state=\"idle\"}");
    assert!(open >= 1.0 && open <= of("spindle_postgres_connections_limit "));
    assert!(of("spindle_postgres_wait_seconds_count ") >= 1.0);
    assert_eq!(of("spindle_postgres_waiting_requests "), 0.0);
    let failures = "spindle_postgres_failures_total{reason=\"unreachable\"}";
    assert_eq!(of(failures), 0.0);
    assert_eq!(of("spindle_accounts{kind=\"people\"}"), 1.0);
    assert!(of("spindle_database_bytes ") > 1e6);
    Some(exported(&address))
}

#[test]
fn metrics_cover_operations_users_backups_and_memory() {
    let address = free_address();
    let server = Server::spawn(Options {
        extra: vec!["--ops-listen".to_owned(), address.clone()],
        ..Options::default()
    });
    let user = server.user("member");
    server.bot();
    user.post("/users/me/status", &[("status_text", "counted")])
        .ok();
    let nothing = server.anonymous().fetch("/api/v1/nothing", &[]);
    assert_eq!(nothing.status, 404);
    let of = |name: &str| value(&address, name);
    let calls = "spindle_operation_requests_total{operation=\"update-status\",status=";
    assert_eq!(of(&format!("{calls}\"2xx\"}}")), 1.0);
    assert_eq!(of(&format!("{calls}\"5xx\"}}")), 0.0);
    let unnamed = "spindle_operation_requests_total{operation=\"\",status=\"4xx\"}";
    assert_eq!(of(unnamed), 1.0);
    assert_eq!(of("spindle_accounts{kind=\"people\"}"), 2.0);
    assert_eq!(of("spindle_accounts{kind=\"bots\"}"), 1.0);
    assert!(of("spindle_messages_total ") >= 0.0);
    let (all, made) = (
        of("spindle_process_resident_bytes "),
        of("spindle_process_anonymous_bytes "),
    );
    assert!(made > 1e6 && made < all, "{made} of {all}");
    assert!(of("spindle_process_open_files_limit ") > of("spindle_process_open_files "));

    let last = "spindle_backup_last_success_seconds ";
    assert_eq!(of(last), 0.0, "there was none");
    let folder = tempfile::tempdir().expect("folder");
    let began = unix_now();
    let destination = folder.path().join("backup");
    server.admin(&["backup", destination.to_str().expect("UTF-8")]);
    assert!(of(last) >= began as f64);
}

#[test]
fn documented_metrics_dashboard_and_alerts_match_the_exported_ones() {
    let address = free_address();
    let server = Server::spawn(Options {
        rate_limit_user: 100_000,
        extra: vec!["--ops-listen".to_owned(), address.clone()],
        ..Options::default()
    });
    let user = server.user("member");
    user.post("/users/me/status", &[("status_text", "counted")])
        .ok();
    let mut exported = exported(&address);
    let documented = documented();
    let of_file: Vec<&Documented> = documented
        .iter()
        .filter(|row| row.by != "PostgreSQL")
        .collect();
    matches(&exported, &of_file);
    let (Some(with_tls), Some(on_postgres)) = (exported_with_tls(), exported_on_postgres()) else {
        return;
    };
    let on_server: Vec<&Documented> = documented
        .iter()
        .filter(|row| !is_of_file(&row.name))
        .collect();
    matches(&on_postgres, &on_server);
    exported.extend(with_tls);
    exported.extend(on_postgres);
    for query in queries() {
        let asked = asked(&query);
        assert!(!asked.is_empty() || query.starts_with("up{"), "{query}");
        for (name, labels) in asked {
            let base = ["_bucket", "_sum", "_count"]
                .iter()
                .find_map(|end| name.strip_suffix(end));
            let (kind, known) = exported
                .get(&name)
                .filter(|(kind, _)| kind != "histogram")
                .or_else(|| exported.get(base?).filter(|(kind, _)| kind == "histogram"))
                .unwrap_or_else(|| panic!("{name} is not exported: {query}"));
            let is_rate = query.contains(&format!("rate({name}"))
                || query.contains(&format!("increase({name}"));
            assert_eq!(is_rate, kind != "gauge", "{name} is a {kind}: {query}");
            for label in labels.iter().chain(&divided_by(&query)) {
                assert!(
                    ["job", "instance"].contains(&label.as_str()) || known.contains(label),
                    "{name} has no label {label}: {query}"
                );
            }
        }
    }
    let ready = text(&address, "/health/ready");
    assert!(ready.contains("\"ready\""), "{ready}");
}

/// The service next to Spin has an address for metrics too, and figures of its own.
#[test]
fn the_event_service_exports_its_part() {
    let folder = tempfile::tempdir().expect("folder");
    let ops = free_address();
    let mut service = Command::new(binary())
        .arg("events")
        .arg("--database")
        .arg(folder.path().join("spindle.db"))
        .args([
            "--listen",
            "127.0.0.1:0",
            "--token",
            "secret",
            "--ops-listen",
            &ops,
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("spindle events starts");
    let mut lines = BufReader::new(service.stdout.take().expect("output")).lines();
    let line = lines.next().expect("a line").expect("text");
    let (_, address) = line.split_once("http://").expect("its address");
    let exported = exported(&ops);
    let known = documented();
    let both = known
        .iter()
        .filter(|row| row.by == "both")
        .map(|row| &row.name);
    assert_eq!(exported.keys().collect::<BTreeSet<_>>(), both.collect());
    let client = Client::new(&format!("http://{address}"), None);
    assert_eq!(client.fetch("/internal/figures", &[]).status, 404);
    let token = [("x-spindle-internal", "secret")];
    let shown = client.fetch("/internal/figures?ignored_parameters=%5B%22x%22%5D", &token);
    assert_eq!(shown.status, 200);
    assert_eq!(shown.body["scope"], "event_service");
    assert_eq!(shown.body["requests"], serde_json::json!([]));
    assert_eq!(
        shown.body["ignored_parameters_unsupported"],
        serde_json::json!(["x"])
    );
    assert!(text(&ops, "/health/ready").contains("\"ready\""));
    service.kill().expect("kill");
    service.wait().expect("wait");
}
