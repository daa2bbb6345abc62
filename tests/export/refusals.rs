//! Archives that are refused because they are damaged, have unsafe paths or are too large, and targets that are in use.
//! Nothing is left behind.

use std::process::Output;

use spindle_tests::server::DATABASE_URL;

use crate::organization::{Archive, archive, ask, organization, pack};
use crate::support::{Folder, fetch, summary, there};

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

    refused(b"no archive", &[], "neither a zip nor a tar");
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
    // No digest begins with that, so the import stores nothing of its own there.
    let left = folder.data().join("blobs/zz");
    std::fs::create_dir_all(&left).unwrap();
    std::fs::write(folder.data().join("spindle.toml"), "").unwrap();
    summary(&folder.import(&bytes, &[]));
    assert!(!folder.data().join("importing").exists());
    assert!(!left.exists());
    assert!(folder.is_settled());

    // A second import is refused, from another directory too.
    let errors = text(&folder.import(&bytes, &[]));
    assert!(errors.contains("is not empty"), "{errors}");
    if folder.url().is_some() {
        std::fs::rename(folder.data(), folder.data().with_extension("first")).unwrap();
        let errors = text(&folder.import(&bytes, &[]));
        assert!(errors.contains("has an organization"), "{errors}");
        assert!(!folder.data().exists());
    }
}

/// An import onto PostgreSQL that was killed when the organization had become complete: its files stay, whatever is done next.
#[test]
fn files_of_a_complete_organization_are_kept() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let organization = organization();
    let (server, owner) = (&organization.server, &organization.owner);
    let good = archive(server, owner, &ask(owner, "full_without_consent"));
    let bytes = pack(&good.files("export"));
    let folder = Folder::with(Some(postgres.database()));
    summary(&folder.import(&bytes, &[]));
    // As the import has left it until then; nothing shows the password.
    let importing = folder.data().join("importing");
    std::fs::create_dir(&importing).unwrap();
    let note = folder.url().unwrap();
    let note = note.replace(&format!(":{}@", spindle_test_postgres::PASSWORD), "@");
    std::fs::write(importing.join("database"), note).unwrap();

    let other = postgres.database();
    let mut import = folder.admin(&["import"]);
    import.env(DATABASE_URL, other.url());
    let path = folder.data().with_extension("tar.gz");
    std::fs::write(&path, &bytes).unwrap();
    let errors = text(&import.arg(&path).output().unwrap());
    assert!(errors.contains("an import into postgres://"), "{errors}");
    assert!(
        !errors.contains(spindle_test_postgres::PASSWORD),
        "{errors}"
    );
    let mut into_a_file = folder.admin(&["import"]);
    into_a_file.env_remove(DATABASE_URL);
    let errors = text(&into_a_file.arg(&path).output().unwrap());
    assert!(errors.contains("was interrupted here"), "{errors}");
    let errors = text(&folder.import(&bytes, &[]));
    assert!(errors.contains("has an organization"), "{errors}");
    // A node on another database does not start on these files; the node on theirs does.
    let errors = text(&folder.starting(Some(&other.url())).output().unwrap());
    assert!(errors.contains("was not finished"), "{errors}");
    let imported = folder.serve();
    assert!(!imported.directory().unwrap().join("importing").exists());
    let bob = there(&imported, &organization.bob);
    let content = b"content of open".to_vec();
    assert_eq!(fetch(&bob, &organization.file), (200, content));
}

/// What another move has left in a database is not an import's to remove; what an import has left is no hindrance to the next.
#[test]
fn a_part_of_an_organization_is_replaced_if_an_import_has_left_it() {
    let Some(postgres) = spindle_test_postgres::shared() else {
        return;
    };
    let organization = organization();
    let (server, owner) = (&organization.server, &organization.owner);
    let bytes = pack(&archive(server, owner, &ask(owner, "public")).files("export"));
    let folder = Folder::with(Some(postgres.database()));
    summary(&folder.import(&bytes, &[]));
    let database = folder.database().unwrap();
    // As of a copy that has just begun, and has removed nothing yet.
    let begin = |realm: &str| {
        let notes = format!(
            "CREATE TABLE organization_move (name TEXT PRIMARY KEY, value TEXT NOT NULL); \
             INSERT INTO organization_move (name, value) VALUES ('realm', '{realm}'), ('state', 'x')"
        );
        database.psql(&notes);
    };
    std::fs::remove_dir_all(folder.data()).unwrap();
    begin("a uuid");
    let errors = text(&folder.import(&bytes, &[]));
    assert!(errors.contains("part of another organization"), "{errors}");
    assert!(!folder.data().exists());
    database.psql("DROP TABLE organization_move");
    begin("an import");
    summary(&folder.import(&bytes, &[]));
    assert!(folder.is_settled());
    let checked = folder.admin(&["check"]).output().unwrap();
    assert!(checked.status.success(), "{checked:?}");
}
