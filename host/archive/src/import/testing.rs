//! Archives of chats for tests, and the rows that become of them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;
use spindle_actions::import::IMPORT_TABLES;

use super::bounds::Bounds;
use super::chat::{Channel, Chat, Person, PersonKind};
use super::options::{Options, Origin};
use super::{receipts, tables, translate};
use spindle_system::progress::Progress;

/// A chat with one person, Ann Lee, whose key in the archive is `ann`, and one channel; with the
/// index of the channel.
pub(super) fn small_chat(origin: Origin, ann: &str, channel: &str) -> (Chat, u32) {
    let bounds = Bounds::default();
    let mut chat = Chat::new(origin, Path::new(""), "x.invalid".to_owned(), bounds);
    let person = Person::new(PersonKind::Human, "Ann Lee", ann);
    chat.people.add(ann, person).unwrap();
    let channel = Channel {
        name: channel.to_owned(),
        ..Channel::default()
    };
    let index = chat.channels.add(channel).unwrap();
    (chat, index)
}

/// Rows by table, and what was noted.
#[derive(Debug)]
pub(super) struct Rows {
    tables: BTreeMap<&'static str, Vec<Value>>,
    /// User, message and flags.
    pub(super) receipts: Vec<(i64, i64, i64)>,
    pub(super) notes: BTreeMap<String, u64>,
}

impl Rows {
    /// The rows of a table without the first part of its name.
    #[track_caller]
    pub(super) fn of(&self, table: &str) -> &[Value] {
        let name = format!("zerver_{table}");
        let rows = self.tables.get(name.as_str());
        rows.map(Vec::as_slice).unwrap_or_default()
    }

    /// A column of all rows of a table, as JSON.
    #[track_caller]
    pub(super) fn column(&self, table: &str, column: &str) -> Vec<Value> {
        let rows = self.of(table).iter();
        rows.map(|row| row[column].clone()).collect()
    }

    /// The rows of a table, in a line each: these columns as JSON without quotes.
    pub(super) fn lines(&self, table: &str, columns: &[&str]) -> Vec<String> {
        let column = |row: &Value, name: &str| row[name].to_string().replace('"', "");
        let line = |row| {
            columns
                .iter()
                .map(|name| column(row, name))
                .collect::<Vec<_>>()
        };
        self.of(table)
            .iter()
            .map(|row| line(row).join(" "))
            .collect()
    }

    /// The contents of all messages.
    pub(super) fn contents(&self) -> Vec<String> {
        let column = self.column("message", "content");
        let texts = column.iter().map(|text| text.as_str().unwrap().to_owned());
        texts.collect()
    }
}

/// What a zip with these files becomes.
pub(super) fn translated(files: &[(&str, String)]) -> Result<Rows> {
    translated_within(files, Bounds::default())
}

/// What a zip with these files becomes, if it may hold so much.
pub(super) fn translated_within(files: &[(&str, String)], bounds: Bounds) -> Result<Rows> {
    let folder = tempfile::tempdir()?;
    let archive = folder
        .path()
        .join("Acme Slack export Jan 1 2024 - Feb 1 2024.zip");
    let mut zip = zip::ZipWriter::new(File::create_new(&archive)?);
    for (name, content) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default())?;
        zip.write_all(content.as_bytes())?;
    }
    zip.finish()?;
    let options = Options {
        archive,
        owner: None,
        most: 1 << 30,
        email_domain: None,
        name: None,
        app_keys: spindle_actions::apps::AppKeys::default(),
    };
    let inside = folder.path().join("tables");
    std::fs::create_dir(&inside)?;
    let source = translate::translate(&options, bounds, &inside, &Progress::on_stderr())?;
    let mut rows = Rows {
        tables: BTreeMap::new(),
        receipts: Vec::new(),
        notes: source.notes,
    };
    for table in IMPORT_TABLES {
        for file in source.tables.files(table) {
            if *table == receipts::TABLE {
                receipts::each(&file, |some| {
                    for row in some {
                        let user = row.user_id.unwrap_or_default();
                        rows.receipts
                            .push((user.into(), row.message_id.into(), row.flags));
                    }
                    Ok(())
                })?;
                continue;
            }
            let list = rows.tables.entry(table).or_default();
            tables::each(&file, |row| {
                list.push(Value::Object(row.values()));
                Ok(())
            })?;
        }
    }
    Ok(rows)
}
