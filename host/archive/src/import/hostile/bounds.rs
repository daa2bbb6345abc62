//! Archives that hold more than an import takes.

use super::*;

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
    let lists = slack();
    let lists = lists
        .iter()
        .filter_map(|(_, content)| serde_json::from_str::<Vec<Value>>(content).ok());
    let lengths = lists
        .flatten()
        .map(|element| element.to_string().len() as u64);
    let largest = lengths.max().unwrap();
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
