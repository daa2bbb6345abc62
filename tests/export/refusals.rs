//! Archives that are refused: damaged ones, those with unsafe paths, those that are too large; and
//! targets that are in use. Nothing is left behind.

use std::process::Output;

use crate::organization::{Archive, archive, ask, organization, pack};
use crate::support::{Folder, summary};

fn text(output: &Output) -> String {
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that an archive is refused for this reason, and leaves nothing behind.
#[track_caller]
fn refused(bytes: &[u8], flags: &[&str], reason: &str) {
    let folder = Folder::new();
    let errors = text(&folder.import(bytes, flags));
    assert!(errors.contains(reason), "{reason}: {errors}");
    assert!(!folder.data().exists(), "{reason}");
}

fn with(good: &Archive, path: &str, content: &str) -> Vec<u8> {
    let mut files = good.files("export");
    files.retain(|(existing, _)| existing != path);
    files.push((path.to_owned(), content.as_bytes().to_vec()));
    pack(&files)
}

fn without(good: &Archive, path: &str) -> Vec<u8> {
    let mut files = good.files("export");
    files.retain(|(existing, _)| existing != path);
    pack(&files)
}

/// An archive whose last entry is a link.
fn with_link(good: &Archive, kind: tar::EntryType) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(gzip);
    for (path, content) in good.files("export") {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        tar.append_data(&mut header, path, content.as_slice())
            .unwrap();
    }
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(0);
    tar.append_link(&mut header, "export/uploads/link", "/etc/passwd")
        .unwrap();
    tar.into_inner().unwrap().finish().unwrap()
}

#[test]
fn an_invalid_archive_is_refused_and_changes_nothing() {
    let organization = organization();
    let (server, owner) = (&organization.server, &organization.owner);
    let good = archive(server, owner, &ask(owner, "full_without_consent"));
    let bytes = pack(&good.files("export"));

    refused(b"no archive", &[], "cannot be read");
    refused(&bytes[..bytes.len() / 2], &[], "cannot be read");
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    for byte in &mut damaged[middle..middle + 64] {
        *byte ^= 0x5a;
    }
    refused(&damaged, &[], "cannot be read");
    let mut wrong_sum = bytes.clone();
    let end = wrong_sum.len() - 6;
    wrong_sum[end] ^= 1;
    refused(&wrong_sum, &[], "cannot be read");
    refused(&bytes, &["--max-gib", "0"], "unpacks to more");

    for path in [
        "../evil",
        "/tmp/evil",
        "export/../../evil",
        "export/uploads/../../x",
        "other/x",
    ] {
        refused(&with(&good, path, "x"), &[], "cannot be read");
    }
    for kind in [tar::EntryType::Symlink, tar::EntryType::Link] {
        refused(&with_link(&good, kind), &[], "neither a file nor a folder");
    }
    let mut twice = good.files("export");
    twice.push(twice[0].clone());
    refused(&pack(&twice), &[], "is there twice");

    refused(&without(&good, "export/realm.json"), &[], "no realm.json");
    refused(
        &without(&good, "export/attachment.json"),
        &[],
        "no attachment.json",
    );
    let gap = with(
        &good,
        "export/messages-000003.json",
        "{\"zerver_message\": []}",
    );
    refused(&gap, &[], "messages-000002.json is missing");
    for (content, reason) in [
        ("{\"zerver_realm\": [", "realm.json"),
        ("{\"zerver_realm\": {}}", "realm.json"),
        ("{\"zerver_realm\": []}", "no organization"),
        (
            "{\"zerver_realm\": [{\"id\": 1, \"name\": 5}]}",
            "the column name is not text",
        ),
    ] {
        refused(&with(&good, "export/realm.json", content), &[], reason);
    }
    let climbing =
        "{\"zerver_attachment\": [{\"id\": 1, \"path_id\": \"1/../../x\", \"owner\": 1}]}";
    refused(
        &with(&good, "export/attachment.json", climbing),
        &[],
        "makes no sense",
    );
    refused(&bytes, &["--owner", "no address"], "no address");
}

#[test]
fn an_import_does_not_touch_directories_in_use() {
    let organization = organization();
    let (server, owner) = (&organization.server, &organization.owner);
    let good = archive(server, owner, &ask(owner, "public"));
    let bytes = pack(&good.files("export"));

    // The directory of a running server.
    let folder = Folder::new();
    let path = folder.data().with_extension("tar.gz");
    std::fs::write(&path, &bytes).unwrap();
    let words = ["import", path.to_str().unwrap()];
    let errors = text(&server.admin_output(&words));
    assert!(errors.contains("stop it first"), "{errors}");
    owner.get("/users/me", &[]).ok();

    // Files of another program.
    std::fs::create_dir(folder.data()).unwrap();
    std::fs::write(folder.data().join("notes.txt"), "mine").unwrap();
    let errors = text(&folder.import(&bytes, &[]));
    assert!(errors.contains("is not empty"), "{errors}");
    assert_eq!(std::fs::read_dir(folder.data()).unwrap().count(), 1);

    // Files of a killed import and a configuration file are accepted.
    std::fs::remove_file(folder.data().join("notes.txt")).unwrap();
    std::fs::create_dir_all(folder.data().join("importing/tables")).unwrap();
    std::fs::create_dir_all(folder.data().join("blobs/ab")).unwrap();
    std::fs::write(folder.data().join("spindle.toml"), "").unwrap();
    summary(&folder.import(&bytes, &[]));
    assert!(!folder.data().join("importing").exists());
    assert!(!folder.data().join("blobs/ab").exists());
    assert!(folder.is_settled());

    // A second import is refused, from another directory too.
    let errors = text(&folder.import(&bytes, &[]));
    assert!(errors.contains("is not empty"), "{errors}");
    if folder.url().is_some() {
        std::fs::remove_dir_all(folder.data()).unwrap();
        let errors = text(&folder.import(&bytes, &[]));
        assert!(errors.contains("has an organization"), "{errors}");
        assert!(!folder.data().exists());
    }
}
