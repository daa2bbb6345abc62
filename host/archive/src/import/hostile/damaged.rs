//! Archives that are damaged, cut off, or declare wrong names and sizes.

use super::*;

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
}

#[test]
fn what_is_not_json_is_left_out() {
    let deep = format!("[{}{}]", "[".repeat(100_000), "]".repeat(100_000));
    let (control, encoding) = ("Real \u{1}nn", b"Real ann");
    let replaced = slack()
        .into_iter()
        .map(|(name, content)| (name, content.replace("Real ann", control).into_bytes()));
    let patched = slack()
        .into_iter()
        .map(|(name, content)| (name, patched_if_there(content.as_bytes(), encoding)));
    let archives = [
        // One level more than the parser takes; a list that never begins with an element.
        zipped(&with("random/2023-11-14.json", &deep)),
        zipped(&with("random/2023-11-14.json", &" ".repeat(17 << 20))),
        zipped(&replaced.collect::<Vec<_>>()),
        zipped(&patched.collect::<Vec<_>>()),
    ];
    for archive in archives {
        let outcome = imported(&archive, GIB, Bounds::default()).unwrap();
        assert_eq!(outcome.imported.rows["zerver_message"], 3);
        let notes = outcome.imported.notes;
        // Three are about files that are no pictures, or not there.
        assert_eq!(notes.len(), 4, "{notes:?}");
    }
    let mut files = mattermost(&lines());
    let post = format!(r#"{{"type": "post", "post": {deep}}}"#);
    files[0].1.push_str(&post);
    let outcome = imported(&zipped(&files), GIB, Bounds::default()).unwrap();
    let note = "lines that are not valid JSON were left out";
    assert_eq!(outcome.imported.notes[note], 1);
}

/// The bytes, with invalid UTF-8 in place of `text`.
fn patched_if_there(bytes: &[u8], text: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(at) = memchr::memmem::find(&bytes, text) {
        bytes[at] = 0xff;
    }
    bytes
}

/// An export with an attachment of `real` bytes, whose header claims `declared`.
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
    // In its header and in the list. An entry stored without compression has it twice in each.
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
    // Small in compressed form.
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
