//! Archives that are too large, or declare wrong sizes: each is refused with a clear error, and
//! nothing is written.

use std::fs::File;
use std::io::{Cursor, Write as _};
use std::path::Path;

use flate2::write::GzEncoder;
use serde_json::{Value, json};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use super::archive::Archive;
use super::bounds::Bounds;
use super::options::{Options, Outcome};
use super::tables::Tables;
use super::testing::translated_within;
use crate::data_dir::DataDir;
use crate::progress::Progress;

/// Files of an archive, by name.
type Contents = Vec<(&'static str, String)>;

/// Two people, two channels, a direct conversation, three messages, two emoji.
fn slack() -> Contents {
    let user = |id: &str, name: &str| {
        json!({"id": id, "name": name, "is_owner": id == "U1", "real_name": format!("Real {name}"),
            "profile": {"email": format!("{name}@x.org")}})
    };
    let channel = |id: &str, name: &str| json!({"id": id, "name": name, "members": ["U1", "U2"]});
    let message = |second: u32, more: Value| {
        let mut message = json!({"type": "message", "user": "U1", "text": "hello",
            "ts": format!("17000001{second:02}.000100")});
        let object = message.as_object_mut().unwrap();
        object.extend(more.as_object().unwrap().clone());
        message
    };
    let file = json!({"files": [{"id": "F1", "name": "a.txt"}]});
    let files = [
        ("users.json", json!([user("U1", "ann"), user("U2", "bob")])),
        (
            "channels.json",
            json!([channel("C1", "general"), channel("C2", "random")]),
        ),
        ("dms.json", json!([{"id": "D1", "members": ["U1", "U2"]}])),
        (
            "general/2023-11-14.json",
            json!([message(1, json!({})), message(2, file)]),
        ),
        ("D1/2023-11-14.json", json!([message(3, json!({}))])),
    ];
    let files = files
        .into_iter()
        .map(|(name, content)| (name, content.to_string()));
    let emoji = ["emoji/one.png", "emoji/two.png"].map(|name| (name, "no picture".to_owned()));
    files.chain(emoji).collect()
}

/// The lines of an export of two people, two channels, and three posts.
fn lines() -> Vec<Value> {
    let line = |kind: &str, object: Value| json!({"type": kind, kind: object});
    let channel = |name: &str| {
        let object = json!({"team": "acme", "name": name, "display_name": name, "type": "O"});
        line("channel", object)
    };
    let user = |name: &str, roles: &str| {
        let teams = json!([{"name": "acme", "channels": [{"name": "one"}, {"name": "two"}]}]);
        let object = json!({"username": name, "email": format!("{name}@x.org"), "roles": roles,
            "teams": teams});
        line("user", object)
    };
    let reply = json!({"user": "bob", "message": "reply", "create_at": 1_700_000_000_001_u64});
    vec![
        json!({"type": "version", "version": 1}),
        line("team", json!({"name": "acme", "display_name": "Acme"})),
        channel("one"),
        channel("two"),
        user("ann", "system_admin"),
        user("bob", "system_user"),
        line("emoji", json!({"name": "parrot", "image": "parrot.png"})),
        line(
            "post",
            json!({"team": "acme", "channel": "one", "user": "ann", "message": "hello",
            "create_at": 1_700_000_000_000_u64, "replies": [reply]}),
        ),
        line(
            "direct_post",
            json!({"channel_members": ["ann", "bob"], "user": "ann",
            "message": "hello", "create_at": 1_700_000_000_002_u64}),
        ),
    ]
}

fn mattermost(lines: &[Value]) -> Contents {
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    vec![
        ("import.jsonl", lines.concat()),
        ("data/parrot.png", "no picture".to_owned()),
    ]
}

fn zipped(files: &[(&str, impl AsRef<[u8]>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_ref()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The result of the import of an archive, or its error: then no file may be left.
fn imported(archive: &[u8], most: u64, bounds: Bounds) -> Result<Outcome, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    std::fs::write(&path, archive).unwrap();
    let data = DataDir::new(folder.path().join("data"));
    let options = Options {
        archive: path,
        owner: None,
        most,
        email_domain: None,
        name: None,
    };
    let outcome = super::import_within(&data, &options, bounds, &Progress::on_stderr());
    assert_eq!(data.database().exists(), outcome.is_ok());
    if outcome.is_err() {
        let left: Vec<_> = folder.path().read_dir().unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
    outcome.map_err(|error| format!("{error:#}"))
}

const GIB: u64 = 1 << 30;

#[track_caller]
fn refused(archive: &[u8], reason: &str) {
    let error = imported(archive, GIB, Bounds::default()).unwrap_err();
    assert!(error.contains(reason), "{error}");
}

/// An archive of a chat is taken with the one bound, and refused with the other.
#[track_caller]
fn bounded(files: &Contents, enough: Bounds, too_small: Bounds, reason: &str) {
    translated_within(files, enough).unwrap();
    let error = imported(&zipped(files), GIB, too_small).unwrap_err();
    assert!(error.contains(reason), "{error}");
}

/// As [`bounded`], of a bound that is a number of things.
macro_rules! bounded_at {
    ($files:expr, $bound:ident, $most:expr, $reason:expr) => {{
        let (most, default) = ($most, Bounds::default());
        let enough = Bounds {
            $bound: most,
            ..default
        };
        let too_small = Bounds {
            $bound: most - 1,
            ..default
        };
        bounded(
            &$files,
            enough,
            too_small,
            &$reason.replace("{}", &(most - 1).to_string()),
        );
    }};
}

#[test]
fn archives_that_are_taken() {
    for files in [slack(), mattermost(&lines())] {
        let outcome = imported(&zipped(&files), GIB, Bounds::default()).unwrap();
        assert_eq!(outcome.imported.rows["zerver_message"], 3);
    }
}

#[test]
fn an_export_of_slack_holds_no_more_than_it_may() {
    bounded_at!(slack(), people, 2, "holds more than {} people");
    bounded_at!(slack(), channels, 2, "holds more than {} channels");
    // Two channels and a direct conversation of two people each.
    bounded_at!(slack(), memberships, 6, "holds more than {} memberships");
    bounded_at!(slack(), emoji, 2, "holds more than {} custom emoji");
    bounded_at!(slack(), messages, 3, "holds more than {} messages");
    bounded_at!(
        slack(),
        receipts,
        2,
        "direct messages of the archive have more than {} receivers"
    );
    let largest = slack()
        .iter()
        .map(|(_, content)| content.len())
        .max()
        .unwrap() as u64;
    bounded_at!(
        slack(),
        element_bytes,
        largest,
        "an element is larger than {} bytes"
    );
}

#[test]
fn conversations_of_an_export_of_slack_are_bounded() {
    let mut files = slack();
    files[2].1 =
        json!([{"id": "D1", "members": ["U1", "U2"]}, {"id": "D2", "members": ["U1"]}]).to_string();
    files.push(("D2/2023-11-14.json", files[4].1.clone()));
    bounded_at!(files, channels, 2, "holds more than {} channels");
    // More conversations than channels.
    files[1].1 = json!([]).to_string();
    bounded_at!(
        files,
        channels,
        2,
        "holds more than {} direct conversations"
    );
    // Members of those without messages.
    files.retain(|(name, _)| !name.contains('/'));
    bounded_at!(files, memberships, 3, "holds more than {} memberships");
}

#[test]
fn an_export_of_mattermost_holds_no_more_than_it_may() {
    let files = || mattermost(&lines());
    bounded_at!(files(), people, 2, "holds more than {} people");
    bounded_at!(files(), channels, 2, "holds more than {} channels");
    bounded_at!(files(), memberships, 6, "holds more than {} memberships");
    bounded_at!(files(), emoji, 1, "holds more than {} custom emoji");
    bounded_at!(files(), messages, 3, "holds more than {} messages");
    bounded_at!(
        files(),
        receipts,
        2,
        "direct messages of the archive have more than {} receivers"
    );
    let longest = lines()
        .iter()
        .map(|line| line.to_string().len() + 1)
        .max()
        .unwrap() as u64;
    bounded_at!(files(), element_bytes, longest, "is larger than {} bytes");
    let mut teams = lines();
    teams.retain(|line| line["type"] != "channel");
    teams.push(json!({"type": "team", "team": {"name": "beta", "display_name": "Beta"}}));
    bounded_at!(mattermost(&teams), channels, 2, "holds more than {} teams");
}

#[test]
fn the_list_of_a_zip_is_bounded() {
    for files in [slack(), mattermost(&lines())] {
        bounded_at!(files, entries, files.len(), "holds more than {} files");
        let longest = files.iter().map(|(name, _)| name.len()).max().unwrap();
        bounded_at!(files, name_bytes, longest, "is longer than {} bytes");
        let bounds = |list_bytes| Bounds {
            list_bytes,
            ..Bounds::default()
        };
        let reason = "list of files is larger than 100 bytes";
        bounded(&files, bounds(1 << 20), bounds(100), reason);
    }
}

#[test]
fn names_and_descriptions_are_bounded_together() {
    for files in [slack(), mattermost(&lines())] {
        bounded_at!(
            files,
            text_bytes,
            smallest_texts(&files),
            "have more than {} bytes"
        );
    }
    // A name is not cut before it is stored: an identifier has to stay unchanged.
    let mut files = slack();
    files[0].1 = json!([{"id": "U".repeat(3000), "name": "x"}]).to_string();
    let bounds = Bounds {
        text_bytes: 3000,
        ..Bounds::default()
    };
    let error = imported(&zipped(&files), GIB, bounds).unwrap_err();
    assert!(error.contains("more than 3000 bytes"), "{error}");
}

/// The least bound of texts with which an archive is taken.
fn smallest_texts(files: &Contents) -> usize {
    let is_taken = |text_bytes: usize| {
        let bounds = Bounds {
            text_bytes,
            ..Bounds::default()
        };
        translated_within(files, bounds).is_ok()
    };
    let (mut too_small, mut enough) = (0, 4096);
    assert!(!is_taken(too_small) && is_taken(enough));
    while enough - too_small > 1 {
        let middle = (too_small + enough) / 2;
        if is_taken(middle) {
            enough = middle;
        } else {
            too_small = middle;
        }
    }
    enough
}

#[test]
fn of_too_many_receipts_those_of_the_newest_messages_stay() {
    let bounds = |receipts| Bounds {
        receipts,
        ..Bounds::default()
    };
    // A direct message of two people; two messages in a channel of two.
    let all = translated_within(&slack(), bounds(6)).unwrap();
    assert_eq!(all.receipts.len(), 6);
    let some = translated_within(&slack(), bounds(5)).unwrap();
    // Its sender has it in any case.
    assert_eq!(some.receipts.len(), 5);
    let is_noted = |notes: &str| notes.contains("too many receivers");
    assert!(!all.notes.keys().any(|note| is_noted(note)));
    assert!(some.notes.keys().any(|note| is_noted(note)));
}

/// An archive of the layout with a realm of this name, and as many uploads.
fn layout(name: &str, uploads: usize, folder: &Path) -> Archive {
    let path = folder.join("x.tar.gz");
    let mut tar = tar::Builder::new(GzEncoder::new(
        File::create_new(&path).unwrap(),
        flate2::Compression::fast(),
    ));
    let realm = json!({"zerver_realm": [{"id": 1, "name": name}]}).to_string();
    let files = [
        ("x/realm.json".to_owned(), realm),
        ("x/attachment.json".to_owned(), "{}".to_owned()),
    ];
    let uploads = (0..uploads).map(|number| (format!("x/uploads/{number}"), String::new()));
    for (path, content) in files.into_iter().chain(uploads) {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o600);
        tar.append_data(&mut header, path, content.as_bytes())
            .unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap();
    Archive::new(
        &path,
        GIB,
        &Bounds {
            files: 4,
            ..Bounds::default()
        },
    )
}

#[test]
fn rows_and_files_of_the_layout_are_bounded() {
    let read = |name: &str, uploads, row_bytes| {
        let folder = tempfile::tempdir().unwrap();
        let archive = layout(name, uploads, folder.path());
        let bounds = Bounds {
            row_bytes,
            ..Bounds::default()
        };
        let tables = Tables::read(&archive, folder.path(), &bounds, &Progress::on_stderr());
        tables
            .map(|tables| tables.all_rows())
            .map_err(|error| format!("{error:#}"))
    };
    let name = "x".repeat(1000);
    assert_eq!(read(&name, 2, 1100), Ok(1));
    let error = read(&name, 2, 900).unwrap_err();
    assert!(error.contains("a row is larger than 900 bytes"), "{error}");
    let error = read("x", 3, 1100).unwrap_err();
    assert!(error.contains("holds more than 4 files"), "{error}");
}

/// The bytes with every `from` replaced by `to`, which must be as long; how many there were must be `times`.
#[track_caller]
fn patched(bytes: &[u8], from: &[u8], to: &[u8], times: usize) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let (mut patched, mut found) = (bytes.to_vec(), 0);
    let mut at = 0;
    while let Some(place) = memchr::memmem::find(&patched[at..], from) {
        at += place;
        patched[at..at + to.len()].copy_from_slice(to);
        at += to.len();
        found += 1;
    }
    assert_eq!(found, times);
    patched
}

/// An export with one more file.
fn with(name: &'static str, content: &str) -> Contents {
    let mut files = slack();
    files.push((name, content.to_owned()));
    files
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for name in ["../evil", "a/../../evil", "a/.."] {
        refused(&zipped(&with(name, "x")), "leads out of the archive");
    }
    for name in ["/etc/evil", "a\\evil", "a\0evil"] {
        refused(&zipped(&with(name, "x")), "no path within the archive");
    }
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("users.json", "/etc/passwd", SimpleFileOptions::default())
        .unwrap();
    let archive = zip.finish().unwrap().into_inner();
    refused(&archive, "users.json is neither a file nor a folder");
}

#[test]
fn a_name_that_is_there_twice_is_refused() {
    let archive = zipped(&with("userz.json", "[]"));
    // In the head of the file, and in the list.
    refused(
        &patched(&archive, b"userz.json", b"users.json", 2),
        "there twice",
    );
    refused(
        &zipped(&with("./users.json", "[]")),
        "users.json is there twice",
    );
}

#[test]
fn a_name_that_is_no_text_is_the_name_of_no_file() {
    let archive = zipped(&with("notes.txt", "x"));
    let archive = patched(&archive, b"notes.txt", b"\xff\xfe/\x80x.txt", 2);
    let outcome = imported(&archive, GIB, Bounds::default()).unwrap();
    assert_eq!(outcome.imported.rows["zerver_message"], 3);
}

#[test]
fn what_is_cut_off_is_refused() {
    for files in [slack(), mattermost(&lines())] {
        let archive = zipped(&files);
        let length = archive.len();
        for part in [
            &archive[..length / 2],
            &archive[..length - 1],
            &archive[..30],
            &archive[..4],
        ] {
            refused(part, "cannot be read");
        }
    }
    let mut files = slack();
    let half = files[0].1.len() / 2;
    files[0].1.truncate(half);
    refused(&zipped(&files), "users.json: EOF");
}

#[test]
fn what_is_not_json_is_refused() {
    let deep = format!("[{}{}]", "[".repeat(100_000), "]".repeat(100_000));
    refused(
        &zipped(&with("random/2023-11-14.json", &deep)),
        "recursion limit",
    );
    let mut files = mattermost(&lines());
    files[0]
        .1
        .push_str(&format!(r#"{{"type": "post", "post": {deep}}}"#));
    refused(&zipped(&files), "line 10: recursion limit");
    let invalid: Vec<(&str, Vec<u8>)> = slack()
        .into_iter()
        .map(|(name, content)| {
            (
                name,
                content.replace("Real ann", "Real \u{1}nn").into_bytes(),
            )
        })
        .collect();
    refused(&zipped(&invalid), "users.json: control character");
    let invalid: Vec<(&str, Vec<u8>)> = slack()
        .into_iter()
        .map(|(name, content)| (name, patched_if_there(content.as_bytes(), b"Real ann")))
        .collect();
    refused(&zipped(&invalid), "users.json: invalid unicode code point");
    // A list that never begins with an element.
    refused(
        &zipped(&with("random/2023-11-14.json", &" ".repeat(17 << 20))),
        "an element is larger than 16777216 bytes",
    );
}

/// The bytes, with invalid UTF-8 in place of `text`.
fn patched_if_there(bytes: &[u8], text: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(at) = memchr::memmem::find(&bytes, text) {
        bytes[at] = 0xff;
    }
    bytes
}

/// An export with an attachment of so many bytes, which says that it has `declared`.
fn with_attachment(real: u32, declared: u32, method: CompressionMethod) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(method);
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in slack() {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.start_file("__uploads/F1/a.txt", options).unwrap();
    zip.write_all(&vec![b'x'; real as usize]).unwrap();
    let archive = zip.finish().unwrap().into_inner();
    if real == declared {
        return archive;
    }
    // In its head and in the list. What is stored as it is says it twice in each.
    let times = if method == CompressionMethod::Stored {
        4
    } else {
        2
    };
    patched(
        &archive,
        &real.to_le_bytes(),
        &declared.to_le_bytes(),
        times,
    )
}

const REAL: u32 = 3_141_593;

#[test]
fn an_attachment_counts_with_what_comes_out_of_it() {
    let deflated = |declared| with_attachment(REAL, declared, CompressionMethod::Deflated);
    let outcome = imported(&deflated(REAL), GIB, Bounds::default()).unwrap();
    assert_eq!(outcome.imported.rows["zerver_attachment"], 1);
    // Small as it is packed.
    let archive = deflated(REAL);
    assert!(archive.len() < 10_000, "{}", archive.len());
    let error = imported(&archive, 1 << 20, Bounds::default()).unwrap_err();
    assert!(error.contains("--max-gib"), "{error}");
    // One that says it is small, and is not.
    refused(&deflated(10), "a.txt: File is larger than its declared");
}

#[test]
fn a_file_with_another_checksum_is_refused() {
    let archive = zipped(&with("__uploads/F1/a.txt", "the content of a file"));
    let stored = {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        for (name, content) in with("__uploads/F1/a.txt", "the content of a file") {
            zip.start_file(name, options).unwrap();
            zip.write_all(content.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    assert!(imported(&archive, GIB, Bounds::default()).is_ok());
    let changed = patched(&stored, b"the content", b"THE CONTENT", 1);
    refused(&changed, "checksum");
}
