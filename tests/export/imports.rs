//! An archive of each type, imported into an empty data directory and read through the API.

use serde_json::{Value, json};
use spindle_tests::{Client, User};

use crate::organization::{Organization, archive, ask, organization, pack};
use crate::support::{
    Folder, contents, delivery_email, fetch, messages, names, objects, serve, snapshot, there,
};

/// Users, groups, channels, messages, flags and settings equal those of the other server.
pub fn sees_the_same(before: &User, after: &User) {
    let fields = [("include_custom_profile_fields", "true")];
    let without = ["avatar_url", "avatar_version"];
    let users = |user: &User| objects(user, "/users", &fields, "members", &without);
    assert_eq!(users(before), users(after));
    let groups = |user: &User| {
        let pairs = [("include_deactivated_groups", "true")];
        objects(
            user,
            "/user_groups",
            &pairs,
            "user_groups",
            &["date_created"],
        )
    };
    assert_eq!(groups(before), groups(after));
    let measured = [
        "stream_weekly_traffic",
        "recipient_id",
        "is_recently_active",
    ];
    for (path, key) in [
        ("/streams", "streams"),
        ("/users/me/subscriptions", "subscriptions"),
    ] {
        let channels = |user: &User| objects(user, path, &[], key, &measured);
        assert_eq!(channels(before), channels(after), "{path}");
    }
    for markdown in ["true", "false"] {
        assert_eq!(messages(before, markdown), messages(after, markdown));
    }
    let (before, after) = (snapshot(before), snapshot(after));
    for name in [
        "alert_words",
        "muted_users",
        "user_topics",
        "user_settings",
        "realm_emoji",
        "realm_name",
        "realm_owner_full_content_access",
        "realm_can_create_public_channel_group",
        "realm_default_streams",
        "realm_user_settings_defaults",
        "unread_msgs",
        "starred_messages",
    ] {
        assert!(
            !before[name].is_null() || name == "realm_user_settings_defaults",
            "{name}"
        );
        assert_eq!(before[name], after[name], "{name}");
    }
}

#[test]
fn a_full_export_is_imported_unchanged() {
    let organization = organization();
    let Organization {
        server,
        owner,
        ann,
        bob,
        file,
        picture,
        ..
    } = &organization;
    let full = archive(server, owner, &ask(owner, "full_without_consent"));
    let (imported, summary) = serve(&pack(&full.files("export")), &[]);
    assert_eq!(summary["notes"], json!({}), "{summary}");
    let people = [owner, ann, bob].map(|user| (user, there(&imported, user)));
    for (before, after) in &people {
        // Old keys are not accepted.
        let old = Client::new(imported.base_url(), Some((&before.email, &before.api_key)));
        old.get("/users/me", &[]).error(401, "UNAUTHORIZED");
        sees_the_same(before, after);
    }
    let [_, ann_there, bob_there] = people.map(|(_, after)| after);
    assert_eq!(fetch(&bob_there, file), (200, b"content of open".to_vec()));
    assert_eq!(fetch(bob, picture), fetch(&ann_there, picture));
    let html = messages(&ann_there, "true").to_string();
    assert!(html.contains("/user_uploads/thumbnail/"), "{html}");
    let thumbnail = format!(
        "{}/840x560.webp",
        picture.replace("uploads/", "uploads/thumbnail/")
    );
    assert_eq!(fetch(&ann_there, &thumbnail).0, 200);
    let emoji = &snapshot(&ann_there)["realm_emoji"];
    let (_, wave) = emoji.as_object().unwrap().iter().next().unwrap();
    assert_eq!(
        fetch(&ann_there, wave["source_url"].as_str().unwrap()).0,
        200
    );
    let face = ann_there.get("/users/me", &[]).ok()["avatar_url"].clone();
    let face = face.as_str().unwrap();
    assert!(face.starts_with("/user_avatars/1/"), "{face}");
    assert_eq!(fetch(&ann_there, face).0, 200);
    // The index, a new message after the old ones, and a password.
    let narrow = json!([{"operator": "search", "operand": "three"}]).to_string();
    let pairs = [
        ("anchor", "newest"),
        ("num_before", "10"),
        ("num_after", "0"),
        ("narrow", &narrow),
    ];
    let found = objects(&ann_there, "/messages", &pairs, "messages", &[]);
    assert_eq!(found.as_array().unwrap().len(), 1);
    let sent = crate::organization::send(&bob_there, &format!("[{}]", ann.id()), "later");
    assert!(
        full.messages()
            .iter()
            .all(|old| old["id"].as_i64() < sent.parse().ok())
    );
    let email = delivery_email(&ann_there);
    let words = [
        "user",
        "set-password",
        "--email",
        &email,
        "--password",
        "a long new one",
    ];
    imported.admin(&words);
    let pairs = [("username", email.as_str()), ("password", "a long new one")];
    imported.anonymous().post("/fetch_api_key", &pairs).ok();
    let checked = imported.admin(&["check"]);
    assert_eq!(checked["sound"], true);
}

#[test]
fn an_imported_public_export_has_no_private_data() {
    let organization = organization();
    let Organization {
        server,
        owner,
        ann,
        bob,
        open,
        closed,
        ..
    } = &organization;
    let public = archive(server, owner, &ask(owner, "public"));
    let (imported, _) = serve(&pack(&public.files("export")), &[]);
    let (owner_there, ann_there) = (there(&imported, owner), there(&imported, ann));
    let all = [("include_all", "true")];
    let channels = names(&owner_there, "/streams", &all, "streams");
    assert!(
        channels.contains(&open.name) && !channels.contains(&closed.name),
        "{channels:?}"
    );
    let read = contents(&ann_there);
    assert!(
        read.len() == 1 && read[0].starts_with("msg open "),
        "{read:?}"
    );
    let kept = snapshot(&ann_there);
    assert_eq!(kept["alert_words"], json!([]));
    assert_eq!(kept["muted_users"], json!([]));
    assert_eq!(kept["user_settings"]["allow_private_data_export"], false);
    // His address is private: he waits for an address and a key.
    let list = imported.admin(&["user", "list"]);
    let row = list
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["user_id"] == bob.user_id);
    let row = row.unwrap();
    assert_eq!(
        (&row["is_active"], &row["is_imported_stub"]),
        (&json!(false), &json!(true))
    );
    assert!(
        row["delivery_email"]
            .as_str()
            .unwrap()
            .starts_with("exported-user-")
    );
}

#[test]
fn an_imported_export_has_the_private_data_of_consenting_users() {
    let organization = organization();
    let Organization {
        server,
        owner,
        ann,
        bob,
        shared,
        closed,
        left,
        ..
    } = &organization;
    let consented = archive(server, owner, &ask(owner, "full_with_consent"));
    let folder = Folder::new();
    let refused = folder.import(&pack(&consented.files("export")), &[]);
    let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && errors.contains("--owner"),
        "{errors}"
    );
    assert!(!folder.data().exists());
    // The owner has not consented, and is a placeholder that is made an owner again.
    let (imported, _) = serve(
        &pack(&consented.files("export")),
        &["--owner", &delivery_email(owner)],
    );
    let (owner_there, ann_there) = (there(&imported, owner), there(&imported, ann));
    let read = contents(&ann_there);
    assert!(read[0].starts_with("msg open "), "{read:?}");
    assert_eq!(read[1..], ["msg shared", "msg ann and bob", "msg of three"]);
    let kept = snapshot(&ann_there);
    assert_eq!(kept["alert_words"], json!(["word-of-ann"]));
    assert_eq!(kept["muted_users"][0]["id"], bob.user_id);
    let all = [("include_all", "true")];
    let channels = names(&ann_there, "/streams", &all, "streams");
    assert!(channels.contains(&shared.name), "{channels:?}");
    for gone in [closed, left] {
        let everything = names(&owner_there, "/streams", &all, "streams");
        assert!(!everything.contains(&gone.name));
        let rows = imported.database().query_row(
            "SELECT count(*) FROM channels WHERE name = ?1",
            [&gone.name],
            |row| row.get::<_, i64>(0),
        );
        assert_eq!(rows.unwrap(), 0);
    }
    let words = "SELECT count(*) FROM alert_words WHERE word = 'word-of-bob'";
    let count = imported
        .database()
        .query_row(words, [], |row| row.get::<_, i64>(0));
    assert_eq!(count.unwrap(), 0);
    assert!(
        contents(&owner_there)
            .iter()
            .all(|text| !text.contains("bob and owner"))
    );
}

#[test]
fn an_archive_of_another_server_is_imported() {
    let organization = organization();
    let Organization {
        server,
        owner,
        bob,
        file,
        ..
    } = &organization;
    let full = archive(server, owner, &ask(owner, "full_without_consent"));
    let path = file.strip_prefix("/user_uploads/").unwrap();
    let (random, name) = path.strip_prefix("1/").unwrap().split_once('/').unwrap();
    let foreign = format!("2/7c/{random}/{name}");
    let mut files = Vec::new();
    for (inner, content) in full.files("archive-of-2") {
        let mut inner = inner.replace(&format!("uploads/{path}"), &format!("uploads/{foreign}"));
        inner = inner.replace("emoji/1/emoji/", "emoji/2/emoji/");
        let content = if inner.ends_with(".json") {
            let text = String::from_utf8(content).unwrap();
            text.replace(path, &foreign).into_bytes()
        } else {
            content
        };
        files.push((inner, content));
    }
    let edit = |name: &str, change: &dyn Fn(&mut Value)| {
        let found = files
            .iter()
            .position(|(path, _)| path.ends_with(name))
            .unwrap();
        let mut value: Value = serde_json::from_slice(&files[found].1).unwrap();
        change(&mut value);
        (found, serde_json::to_vec(&value).unwrap())
    };
    let (found, realm) = edit("/realm.json", &|realm| {
        realm["zerver_future"] = json!([{"id": 1}, {"id": 2}]);
        realm["zerver_stream"][0]["future_column"] = json!([1, {"a": "b"}]);
        for table in [
            "usergroup",
            "namedusergroup",
            "usergroupmembership",
            "groupgroupmembership",
        ] {
            realm
                .as_object_mut()
                .unwrap()
                .remove(&format!("zerver_{table}"));
        }
    });
    files[found].1 = realm;
    // Tables come last, which the format allows.
    files.reverse();
    let (imported, summary) = serve(&pack(&files), &[]);
    let notes = summary["notes"].as_object().unwrap();
    assert_eq!(notes["table zerver_future is not known here (2 rows)"], 1);
    assert_eq!(
        notes["column zerver_stream.future_column is not known here"],
        1
    );
    let bob_there = there(&imported, bob);
    let moved = format!("/user_uploads/2/7c-{random}/{name}");
    assert_eq!(
        fetch(&bob_there, &moved),
        (200, b"content of open".to_vec())
    );
    assert!(messages(&bob_there, "false").to_string().contains(&moved));
    assert!(messages(&bob_there, "true").to_string().contains(&moved));
    // Permissions are those of a new organization.
    let channel = [("type", "channel"), ("topic", "t"), ("content", "x")];
    let channels = names(&bob_there, "/users/me/subscriptions", &[], "subscriptions");
    let to = format!("\"{}\"", channels[0]);
    let pairs = [channel[0], channel[1], channel[2], ("to", &to)];
    bob_there.post("/messages", &pairs).ok();
}
