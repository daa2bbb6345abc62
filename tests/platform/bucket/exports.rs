//! A data export whose archive is built into the bucket, from files that are in it.

use serde_json::Value;
use spindle_s3::{Mood, S3};
use spindle_tests::{Client, until};

use super::{say, server, url};

const EXPORTS: &str = "/export/realm";

fn record(owner: &Client) -> Value {
    let found = owner.get(EXPORTS, &[]).ok();
    found["exports"][0].clone()
}

#[test]
fn an_export_is_built_into_the_bucket_and_waits_for_it() {
    let s3 = S3::start();
    let server = server(&s3, &[]);
    let owner = server.owner();
    let file = url(owner.upload("/user_uploads", "a.txt", b"tea leaves"));
    say(&owner, &format!("[a.txt]({file})")).ok();
    s3.set(Mood::Refuses(503_u16.try_into().expect("a status")));
    let id = owner.post(EXPORTS, &[]).ok()["id"].clone();
    for _ in 0..3 {
        server.advance_past_run(10, "build-exports");
    }
    let waiting = record(&owner);
    assert_eq!((&waiting["id"], &waiting["pending"]), (&id, &true.into()));
    s3.set(Mood::Works);
    let built = until("the export is built", || {
        server.advance(10);
        Some(record(&owner)).filter(|record| record["pending"] == false)
    });
    let address = built["export_url"].as_str().expect("an address");
    let path = &address[address.find("/user_avatars/exports/").expect("a path")..];
    let archive = server.anonymous().fetch(path, &[]);
    assert_eq!(archive.status, 200, "{archive:?}");
    assert_eq!(archive.header("content-type"), Some("application/gzip"));
    assert!(archive.bytes.starts_with(&[0x1f, 0x8b]));
    let archives = || {
        let keys = s3.keys();
        keys.iter().filter(|key| key.contains("exports/")).count()
    };
    assert_eq!(archives(), 1, "{:?}", s3.keys());
    owner.delete(&format!("{EXPORTS}/{id}"), &[]).ok();
    until("the archive is removed", || {
        server.advance(700);
        (archives() == 0).then_some(())
    });
}
