//! The database rights of components in `spin.toml`, compared with the statements in their files.
//!
//! SQLite itself reports what each statement reads and writes. A missing right would cause a
//! refusal that no test provokes; a right that no statement needs is an error too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use spindle_tests::server::repository;
use toml::{Table, Value};

use crate::linked::statements;
use crate::manifest;

const VERBS: [&str; 4] = ["select", "insert", "update", "delete"];
/// Tables on which updates are granted by column, because their columns decide over identities.
const UPDATED_BY_COLUMN: [&str; 2] = ["users", "realms"];
/// A right that a statement needs: a verb, a table, a column (empty for whole rows).
type Needs = BTreeSet<(&'static str, String, String)>;
/// Entries of the manifest by their verb.
type Grants = BTreeMap<&'static str, Vec<String>>;

/// A database with all migrations, which records what statements access.
struct Database {
    connection: Connection,
    asked: Arc<Mutex<Needs>>,
    /// Columns by table.
    columns: BTreeMap<String, BTreeSet<String>>,
}

impl Database {
    fn new() -> Database {
        let connection = Connection::open_in_memory().unwrap();
        let mut files: Vec<PathBuf> = std::fs::read_dir(repository().join("migrations"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "sql"))
            .collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let applied = connection.execute_batch(&text);
            applied.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
        let names = |sql: &str| -> BTreeSet<(String, String)> {
            let mut statement = connection.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
            rows.unwrap().map(Result::unwrap).collect()
        };
        let mut columns: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let all = "SELECT t.name, c.name FROM pragma_table_list t, pragma_table_xinfo(t.name) c \
            WHERE t.type <> 'shadow'";
        for (table, column) in names(all) {
            columns.entry(table).or_default().insert(column);
        }
        let triggers = names("SELECT name, '' FROM sqlite_schema WHERE type = 'trigger'");
        let asked = Arc::new(Mutex::new(Needs::new()));
        let (noted, known) = (Arc::clone(&asked), columns.clone());
        let note = move |context: AuthContext<'_>| {
            let in_trigger = |name: &str| triggers.contains(&(name.to_owned(), String::new()));
            let is_caused = context.accessor.is_some_and(in_trigger);
            let need = match context.action {
                AuthAction::Read {
                    table_name: table,
                    column_name: column,
                } => Some(("select", table, column)),
                // Writes of a trigger belong to the statement that fires it.
                _ if is_caused => None,
                AuthAction::Insert { table_name: table } => Some(("insert", table, "")),
                AuthAction::Update {
                    table_name: table,
                    column_name: column,
                } => Some(("update", table, column)),
                AuthAction::Delete { table_name: table } => Some(("delete", table, "")),
                _ => None,
            };
            if let Some((verb, table, column)) = need
                && known.contains_key(table)
            {
                let need = (verb, table.to_owned(), column.to_owned());
                noted.lock().unwrap().insert(need);
            }
            Authorization::Allow
        };
        connection.authorizer(Some(note)).unwrap();
        Database {
            connection,
            asked,
            columns,
        }
    }

    fn understands(&self, sql: &str) -> bool {
        self.connection.prepare(sql).is_ok()
    }

    fn needs(&self, component: &[u8]) -> Result<Needs, String> {
        let statements = statements(component, &mut |text| self.understands(text))?;
        self.asked.lock().unwrap().clear();
        for statement in &statements {
            assert!(self.understands(statement), "{statement}");
        }
        Ok(std::mem::take(&mut self.asked.lock().unwrap()))
    }
}

/// Columns that are granted by name only.
struct Protected(BTreeMap<String, BTreeSet<String>>);

impl Protected {
    fn read(manifest: &Table, database: &Database) -> Protected {
        let mut protected = BTreeMap::new();
        for entry in list(
            &manifest["application"]["tool"]["spindle"]["sql"],
            "protected",
        ) {
            let (table, columns) = match entry.split_once('(') {
                None => (entry.as_str(), database.columns[&entry].clone()),
                Some((table, columns)) => {
                    let columns = columns.trim_end_matches(')').split(", ").map(str::to_owned);
                    (table, columns.collect())
                }
            };
            let missing: Vec<_> = columns.difference(&database.columns[table]).collect();
            assert!(missing.is_empty(), "{table} has no columns {missing:?}");
            protected.insert(table.to_owned(), columns);
        }
        Protected(protected)
    }

    fn has(&self, table: &str, column: &str) -> bool {
        let columns = self.0.get(table);
        columns.is_some_and(|columns| columns.contains(column))
    }

    fn is_named(&self, (verb, table, column): &(&str, String, String)) -> bool {
        self.has(table, column)
            || (*verb == "update" && UPDATED_BY_COLUMN.contains(&table.as_str()))
    }

    /// The shortest entries that cover these rights.
    fn grants(&self, needs: &Needs) -> Grants {
        let mut grants = Grants::new();
        for verb in VERBS {
            let needs = || needs.iter().filter(|need| need.0 == verb);
            let tables: BTreeSet<&String> = needs().map(|(_, table, _)| table).collect();
            let entries = grants.entry(verb).or_default();
            for table in tables {
                let (named, whole): (Vec<_>, Vec<_>) = needs()
                    .filter(|need| need.1 == *table)
                    .partition(|need| self.is_named(need));
                let names: Vec<&str> = named.iter().map(|need| need.2.as_str()).collect();
                // The existence of rows may be read where any column may be read.
                if names.is_empty() || whole.iter().any(|need| !need.2.is_empty()) {
                    entries.push(table.clone());
                }
                if !names.is_empty() {
                    entries.push(format!("{table}({})", names.join(", ")));
                }
            }
        }
        grants
    }
}

/// Whether the entries that cover `common` cover `need` too.
fn is_covered(
    protected: &Protected,
    common: &Needs,
    need: &(&'static str, String, String),
) -> bool {
    let mut alike = common
        .iter()
        .filter(|(verb, table, _)| *verb == need.0 && *table == need.1);
    if protected.is_named(need) {
        return common.contains(need);
    }
    alike.any(|other| need.2.is_empty() || !protected.is_named(other))
}

fn list(table: &Value, key: &str) -> Vec<String> {
    let items = table.get(key).and_then(Value::as_array);
    let items = items.map_or(&[][..], Vec::as_slice);
    items
        .iter()
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

/// The components that open the database, with the rights that they need beyond the common ones.
fn proposal(manifest: &Table, database: &Database) -> (Grants, BTreeMap<String, Grants>) {
    let protected = Protected::read(manifest, database);
    // The folder of components of the development build.
    let built =
        std::env::var_os("SPINDLE_MANIFEST").map_or(repository().join("spin.toml"), Into::into);
    let built: Table = std::fs::read_to_string(built).unwrap().parse().unwrap();
    let mut needs: BTreeMap<String, Needs> = BTreeMap::new();
    for (name, component) in built["component"].as_table().unwrap() {
        if list(component, "sqlite_databases").is_empty() {
            continue;
        }
        let source = repository().join(component["source"].as_str().unwrap());
        let file =
            std::fs::read(&source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        let found = database.needs(&file);
        let found = found.unwrap_or_else(|problem| panic!("{name}: {problem}"));
        needs.insert(name.clone(), found);
    }
    let all: BTreeSet<_> = needs.values().flatten().cloned().collect();
    let is_common =
        |need: &(&'static str, String, String)| needs.values().all(|needs| needs.contains(need));
    let common: Needs = all.into_iter().filter(is_common).collect();
    let own = needs.iter().map(|(name, needs)| {
        let needs: Needs = needs
            .iter()
            .filter(|need| !is_covered(&protected, &common, need))
            .cloned()
            .collect();
        (name.clone(), protected.grants(&needs))
    });
    (protected.grants(&common), own.collect())
}

#[test]
fn components_may_do_what_their_statements_do() {
    let manifest = manifest();
    let (common, own) = proposal(&manifest, &Database::new());
    if std::env::var_os("SPINDLE_WRITE").is_some() {
        write(&common, &own);
        return;
    }
    let mut differences = String::new();
    let mut compare = |name: &str, given: Option<&Value>, needed: &Grants| {
        let nothing = Value::Table(Table::new());
        let given = given.unwrap_or(&nothing);
        for verb in VERBS {
            let given: BTreeSet<String> = list(given, verb).into_iter().collect();
            let needed: BTreeSet<String> = needed[verb].iter().cloned().collect();
            let missing: Vec<_> = needed.difference(&given).collect();
            let idle: Vec<_> = given.difference(&needed).collect();
            if !missing.is_empty() || !idle.is_empty() {
                differences +=
                    &format!("{name}, {verb}: missing {missing:?}, not needed {idle:?}\n");
            }
        }
    };
    let sql = |table: &Value| -> Option<Value> {
        Some(table.get("tool")?.get("spindle")?.get("sql")?.clone())
    };
    compare(
        "every component",
        sql(&manifest["application"]).as_ref(),
        &common,
    );
    for (name, needed) in &own {
        compare(name, sql(&manifest["component"][name]).as_ref(), needed);
    }
    assert!(
        differences.is_empty(),
        "{differences}write them anew: SPINDLE_WRITE=1 cargo xtask test components_may_do"
    );
}

/// The few components that need it, by name: adding one is a decision.
#[test]
fn few_components_may_access_keys_and_passwords() {
    let manifest = manifest();
    let holders = |verb: &str, wanted: &dyn Fn(&str) -> bool| -> Vec<String> {
        let components = manifest["component"].as_table().unwrap();
        let holds = |component: &Value| {
            let sql = component
                .get("tool")
                .and_then(|tool| tool.get("spindle")?.get("sql"));
            sql.is_some_and(|sql| list(sql, verb).iter().any(|entry| wanted(entry)))
        };
        let holders = components.iter().filter(|(_, component)| holds(component));
        holders.map(|(name, _)| name.clone()).collect()
    };
    let keys = |entry: &str| entry.split('(').next() == Some("api_keys");
    let passwords = |entry: &str| entry.starts_with("users(") && entry.contains("password_hash");
    assert_eq!(holders("insert", &keys), ["apps", "identity", "users"]);
    assert_eq!(holders("update", &keys), ["identity"]);
    assert_eq!(holders("delete", &keys), ["apps", "identity", "users"]);
    let sessions = |entry: &str| entry.split('(').next() == Some("sessions");
    let links = |entry: &str| entry.split('(').next() == Some("sign_in_links");
    assert_eq!(holders("insert", &sessions), ["identity", "users"]);
    assert_eq!(holders("update", &sessions), ["identity"]);
    assert_eq!(
        holders("delete", &sessions),
        ["apps", "identity", "organization", "personal", "users"]
    );
    // Those with which an administrator lets a person set a password, and those with which an app signs in.
    assert_eq!(holders("insert", &links), ["identity", "users"]);
    assert_eq!(holders("update", &links), [""; 0]);
    assert_eq!(
        holders("select", &|entry| links(entry) && entry.contains("hash")),
        ["identity", "users"]
    );
    assert_eq!(holders("select", &passwords), ["identity", "personal"]);
    assert_eq!(
        holders("update", &passwords),
        ["identity", "personal", "users"]
    );
    assert_eq!(
        holders("insert", &|entry| entry == "users"),
        ["apps", "users"]
    );
    let roles = |entry: &str| entry.starts_with("users(") && entry.contains("role");
    assert_eq!(holders("update", &roles), ["apps", "users"]);
    let common = &manifest["application"]["tool"]["spindle"]["sql"];
    for verb in VERBS {
        let entries = list(common, verb);
        let mut entries = entries
            .iter()
            .filter(|entry| keys(entry) || passwords(entry));
        let expected = match verb {
            "select" => {
                Some("api_keys(ends, hash, id, last_used, proves_second_factor, scope, user_id)")
            }
            "update" => Some("api_keys(last_used)"),
            _ => None,
        };
        assert_eq!(entries.next().map(String::as_str), expected, "{verb}");
        let entries = list(common, verb);
        let entries: Vec<&str> = entries
            .iter()
            .map(String::as_str)
            .filter(|entry| sessions(entry) || links(entry))
            .collect();
        let expected: &[&str] = match verb {
            "select" => &["sessions(hash, id, last_used, proves_second_factor, user_id)"],
            "update" => &["sessions(last_used)"],
            _ => &[],
        };
        assert_eq!(entries, expected, "{verb}");
    }
}

/// Writes the entries into `spin.toml`, at their old place or before the variables.
fn write(common: &Grants, own: &BTreeMap<String, Grants>) {
    let path = repository().join("spin.toml");
    let mut text = std::fs::read_to_string(&path).unwrap();
    for (name, grants) in own {
        let header = format!("[component.{name}.tool.spindle.sql]\n");
        let next = format!("[component.{name}.variables]\n");
        let begin = text
            .find(&header)
            .unwrap_or_else(|| text.find(&next).unwrap());
        let end = text.find(&next).unwrap();
        text.replace_range(begin..end, &format!("{header}{}\n", shown(grants)));
    }
    let header = "[application.tool.spindle.sql]\n";
    let begin = text.find(header).unwrap();
    let begin = begin + text[begin..].find("\nselect = ").unwrap() + 1;
    let end = begin + text[begin..].find("\n\n").unwrap() + 1;
    text.replace_range(begin..end, &shown(common));
    std::fs::write(path, text).unwrap();
}

/// As TOML, in readable lines.
fn shown(grants: &Grants) -> String {
    const WIDTH: usize = 100;
    let mut text = String::new();
    for verb in VERBS {
        let entries: Vec<String> = grants[verb]
            .iter()
            .map(|entry| format!("\"{entry}\""))
            .collect();
        let line = format!("{verb} = [{}]\n", entries.join(", "));
        if line.len() <= WIDTH {
            if !entries.is_empty() {
                text += &line;
            }
            continue;
        }
        text += &format!("{verb} = [\n");
        let mut line = String::from("   ");
        for entry in entries {
            if line.len() + entry.len() + 2 > WIDTH {
                text += &line;
                text += "\n";
                line = String::from("   ");
            }
            line += &format!(" {entry},");
        }
        text += &format!("{line}\n]\n");
    }
    text
}
