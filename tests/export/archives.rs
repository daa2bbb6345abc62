//! The content of an archive of each type, and that it is built even after a kill.

use std::time::Duration;

use serde_json::json;
use spindle_tests::fixture::{self, ChannelKind};
use spindle_tests::{PATIENCE, until_within};

use crate::organization::{Archive, Organization, archive, ask, organization, secrets};

#[test]
fn each_type_of_export_has_its_content_and_no_secrets() {
    let organization = organization();
    let Organization {
        server,
        owner,
        ann,
        bob,
        closed,
        left,
        ..
    } = &organization;
    let secrets = secrets(&organization);
    let of = |export_type: &str| {
        let archive = archive(server, owner, &ask(owner, export_type));
        archive.check_references();
        for secret in &secrets {
            assert!(!archive.has(secret), "{export_type}: {secret}");
        }
        for key in ["api_key", "password", "email_token"] {
            assert!(!archive.has(&format!("\"{key}\":")), "{export_type}: {key}");
        }
        for file in ["stats.json", "migration_status.json", "analytics.json"] {
            assert!(archive.json(file).is_object(), "{file}");
        }
        for folder in ["uploads", "avatars", "emoji", "realm_icons"] {
            assert!(archive.json(&format!("{folder}/records.json")).is_array());
        }
        assert_eq!(archive.json("emoji/records.json")[0]["name"], "wave2");
        assert_eq!(archive.column("zerver_reaction", "emoji_name"), ["wave2"]);
        let messages = archive.messages().len();
        assert_eq!(
            archive.json("stats.json")["messages-000001.json"]["zerver_message"],
            messages
        );
        archive
    };
    let bobs = |archive: &Archive, table: &str| {
        let realm = archive.json("realm.json");
        let rows = realm[table].as_array().unwrap();
        rows.iter().find(|row| row["id"] == bob.user_id).cloned()
    };

    let public = of("public");
    let files: String = public.contents().concat();
    assert!(
        files.starts_with("msg open ") && public.contents().len() == 1,
        "{files}"
    );
    for private in [
        "msg closed",
        "msg shared",
        "msg ann and bob",
        "word-of-ann",
        "content of closed",
    ] {
        assert!(!public.has(private), "{private}");
    }
    assert!(public.has("content of open"));
    assert!(public.column("zerver_huddle", "id").is_empty());
    assert!(!public.has(&closed.name) && !public.has(&left.name));
    assert!(!public.0.contains_key("consented_user_ids.json"));
    let hidden = bobs(&public, "zerver_userprofile_mirrordummy").expect("bob hides his address");
    let address = hidden["delivery_email"].as_str().unwrap();
    assert!(address.starts_with("exported-user-"), "{address}");
    assert_eq!(hidden["color_scheme"], 1);

    let consented = of("full_with_consent");
    let contents = consented.contents();
    assert!(contents[0].starts_with("msg open "));
    assert_eq!(
        contents[1..],
        ["msg shared", "msg ann and bob", "msg of three"]
    );
    assert!(consented.has("word-of-ann") && !consented.has("word-of-bob"));
    assert!(!consented.has("msg closed") && !consented.has("content of closed"));
    assert!(!consented.has("msg bob and owner") && !consented.has(&closed.name));
    assert!(!consented.has("msg left") && !consented.has(&left.name));
    assert_eq!(
        consented.json("consented_user_ids.json"),
        json!([ann.user_id, organization.bot])
    );
    let dummy = bobs(&consented, "zerver_userprofile_mirrordummy").expect("bob does not agree");
    assert_eq!(
        (&dummy["is_active"], &dummy["color_scheme"]),
        (&json!(false), &json!(1))
    );
    assert_eq!(consented.column("zerver_huddle", "id").len(), 1);
    let received = consented.json("messages-000001.json");
    let received = received["zerver_usermessage"].as_array().unwrap();
    assert!(
        received
            .iter()
            .all(|row| row["user_profile"] == ann.user_id)
    );

    let full = of("full_without_consent");
    let contents = full.contents();
    assert_eq!(contents.len(), 7, "{contents:?}");
    assert!(full.has("word-of-ann") && full.has("word-of-bob"));
    assert!(full.has("content of open") && full.has("content of closed"));
    assert!(
        full.column("zerver_userprofile_mirrordummy", "id")
            .is_empty()
    );
    let whole = bobs(&full, "zerver_userprofile").expect("bob");
    assert_eq!(
        (&whole["is_active"], &whole["color_scheme"]),
        (&json!(true), &json!(2))
    );
    assert!(
        !whole["delivery_email"]
            .as_str()
            .unwrap()
            .starts_with("exported-user-")
    );
}

#[test]
fn an_interrupted_export_is_built_after_a_restart() {
    let Organization {
        mut server, owner, ..
    } = organization();
    let channel = fixture::channel(&server, ChannelKind::Public, &[&owner]);
    server
        .database()
        .execute(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
             INSERT INTO messages (realm_id, sender_id, conversation_id, channel_id, content,
                 rendered_content, date_sent, client)
             SELECT 1, ?1, ?2, ?3, 'many ' || hex(randomblob(200)), '<p>x</p>', 1, 'test' FROM n",
            [owner.user_id, channel.recipient_id, channel.stream_id],
        )
        .unwrap();
    let id = ask(&owner, "full_without_consent");
    let incoming = server.directory().unwrap().join("blobs/incoming");
    let written = || -> u64 {
        let files = std::fs::read_dir(&incoming).into_iter().flatten().flatten();
        files
            .filter_map(|file| Some(file.metadata().ok()?.len()))
            .sum()
    };
    for more in [1, 300_000] {
        let before = written();
        server.advance(5);
        until_within(
            PATIENCE,
            Duration::from_millis(1),
            "it is being built",
            || (written() >= before + more).then_some(()),
        );
        server.kill();
        server.restart();
        let body = owner.get("/export/realm", &[]).ok();
        assert_eq!(body["exports"][0]["pending"], true);
    }
    let found = archive(&server, &owner, &id);
    found.check_references();
    assert!(found.messages().len() >= 40_000);
    // Files of the killed attempts are removed.
    assert_eq!(std::fs::read_dir(&incoming).unwrap().count(), 0);
}
