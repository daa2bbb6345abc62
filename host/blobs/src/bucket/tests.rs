//! A bucket in memory, and two nodes on it.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use object_store::memory::InMemory;

use super::parts::MOST_PARTS;
use super::upload::{LARGEST_OBJECT, PART, Upload};
use super::{Bucket, attributes};
use crate::store::{Appended, Blob, BlobError, Place};
use crate::{BlobKey, NewBlob};

fn nodes() -> [Bucket; 2] {
    let store = Arc::new(InMemory::new());
    [(), ()].map(|()| Bucket::in_memory(&store))
}

fn key(text: &str) -> BlobKey {
    BlobKey::parse(text).unwrap()
}

async fn find(node: &Bucket, key: &BlobKey, is_wanted: bool) -> Blob {
    Place::get(node, key, is_wanted).await.unwrap().unwrap()
}

async fn range(blob: Blob, first: u64, count: u64) -> Bytes {
    let body = blob.content.body(first, count).await.unwrap();
    body.collect().await.unwrap().to_bytes()
}

/// Bytes without a short period.
fn content(size: usize) -> Bytes {
    let numbers = (0_u32..).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes());
    numbers.take(size).collect::<Vec<_>>().into()
}

#[tokio::test]
async fn put_get_replace_delete() {
    let [one, two] = nodes();
    let key = key("avatars/1/x.png");
    assert!(Place::get(&one, &key, true).await.unwrap().is_none());
    for size in [0, 5, PART, 2 * PART + 7] {
        let sent = content(size);
        one.put(&key, "image/png", sent.clone()).await.unwrap();
        for is_wanted in [true, false] {
            let blob = find(&two, &key, is_wanted).await;
            assert_eq!(
                (blob.content_type.as_str(), blob.length),
                ("image/png", size as u64)
            );
            assert!(!blob.etag.is_empty() && !blob.etag.contains('"'));
            assert_eq!(range(blob, 0, size as u64).await, sent);
        }
        let blob = find(&two, &key, false).await;
        let first = size.saturating_sub(3);
        assert_eq!(
            range(blob, first as u64, (size - first) as u64).await,
            sent.slice(first..)
        );
    }
    assert!(Place::delete(&two, &key).await.unwrap());
    assert!(!Place::delete(&two, &key).await.unwrap());
    assert!(Place::get(&one, &key, false).await.unwrap().is_none());
}

#[tokio::test]
async fn parts_of_two_nodes_become_a_blob() {
    let [one, two] = nodes();
    let key = key("uploads/1/x");
    assert_eq!(one.part_length(&key).await.unwrap(), None);
    assert_eq!(one.join(&key, "text/plain").await.unwrap(), None);
    // Small parts are combined, large ones are not.
    let sent = content((5 << 20) + 100);
    let (mut done, mut nodes) = (0, [&one, &two].into_iter().cycle());
    for size in [3, 500, 2 << 20, 2 << 20, 10, sent.len()] {
        let node = nodes.next().unwrap();
        let end = sent.len().min(done + size);
        let wrong = node.append(&key, done as u64 + 1, Bytes::from_static(b"x"));
        assert_eq!(wrong.await.unwrap(), Appended::Elsewhere(done as u64));
        let appended = node.append(&key, done as u64, sent.slice(done..end)).await;
        done = end;
        assert_eq!(appended.unwrap(), Appended::Length(done as u64));
        assert_eq!(one.part_length(&key).await.unwrap(), Some(done as u64));
    }
    assert!(Place::get(&one, &key, true).await.unwrap().is_none());
    for node in [&two, &one] {
        let joined = node.join(&key, "text/plain").await.unwrap();
        assert_eq!(joined, Some(Appended::Length(done as u64)));
    }
    let more = one.append(&key, 3, Bytes::from_static(b"more")).await;
    assert_eq!(more.unwrap(), Appended::Elsewhere(done as u64));
    for is_wanted in [true, false] {
        let blob = find(&one, &key, is_wanted).await;
        assert_eq!(
            (blob.content_type.as_str(), blob.length),
            ("text/plain", done as u64)
        );
        assert_eq!(range(blob, 0, done as u64).await, sent);
        let blob = find(&two, &key, is_wanted).await;
        assert_eq!(
            range(blob, 400, 3 << 20).await,
            sent.slice(400..400 + (3 << 20))
        );
    }
    assert!(Place::delete(&one, &key).await.unwrap());
    assert_eq!(two.part_length(&key).await.unwrap(), None);
    assert!(!two.delete_parts(&key).await.unwrap());
}

#[tokio::test]
async fn nothing_that_a_node_has_acknowledged_is_taken_away_by_another() {
    let [one, two] = nodes();
    let key = key("uploads/1/x");
    let sent = content(100);
    // Both have looked before either of them writes: as if each had appended to the same beginning.
    one.append(&key, 0, sent.slice(..10)).await.unwrap();
    let beginning = one.parts(&key).await.unwrap();
    one.append(&key, 10, sent.slice(10..100)).await.unwrap();
    let part = beginning.first().unwrap();
    let path = one.path_of_part(&key, &part.name);
    let kind = attributes("application/octet-stream", None);
    one.put_object(&path, kind, sent.slice(..10)).await.unwrap();
    // A shorter part of the other node does not hide the longer one.
    let shorter = super::parts::Part::new(10, 20).unwrap();
    let path = two.path_of_part(&key, &shorter.name);
    let kind = attributes("application/octet-stream", None);
    two.put_object(&path, kind, sent.slice(10..30))
        .await
        .unwrap();
    assert_eq!(two.part_length(&key).await.unwrap(), Some(100));
    two.join(&key, "text/plain").await.unwrap();
    let blob = find(&one, &key, true).await;
    assert_eq!(range(blob, 0, 100).await, sent);
}

#[tokio::test]
async fn an_empty_upload_and_one_that_was_given_up() {
    let [one, two] = nodes();
    let empty = key("uploads/1/empty");
    let appended = one.append(&empty, 0, Bytes::new()).await.unwrap();
    assert_eq!(appended, Appended::Length(0));
    assert_eq!(two.part_length(&empty).await.unwrap(), Some(0));
    let joined = two.join(&empty, "text/plain").await.unwrap();
    assert_eq!(joined, Some(Appended::Length(0)));
    let blob = find(&one, &empty, true).await;
    assert_eq!((blob.length, range(blob, 0, 0).await.len()), (0, 0));
    let given_up = key("uploads/1/given-up");
    one.append(&given_up, 0, content(9)).await.unwrap();
    assert!(Place::delete(&two, &given_up).await.unwrap());
    assert_eq!(one.part_length(&given_up).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_is_written_and_read_by_threads_that_block() {
    let [one, two] = nodes();
    let key = key("exports/1/x");
    let sent = content(2 * PART + 9);
    let write = |node: Bucket, bytes: Bytes| {
        let key = key.clone();
        tokio::task::spawn_blocking(move || {
            let begun = crate::store::wait(node.begin(&key, "application/gzip"));
            let mut blob = NewBlob::new(begun.unwrap().unwrap());
            for piece in bytes.chunks(1 << 20) {
                blob.write_all(piece).unwrap();
            }
            blob
        })
    };
    // It exists once it is finished.
    drop(write(one.clone(), sent.clone()).await.unwrap());
    assert!(Place::get(&two, &key, true).await.unwrap().is_none());
    let blob = write(one, sent.clone()).await.unwrap();
    assert_eq!(blob.length(), sent.len() as u64);
    let finished = tokio::task::spawn_blocking(move || blob.finish());
    finished.await.unwrap().unwrap();
    let blob = find(&two, &key, true).await;
    let read = tokio::task::spawn_blocking(move || {
        let mut read = Vec::new();
        blob.into_reader().read_to_end(&mut read).unwrap();
        read
    });
    assert_eq!(read.await.unwrap(), sent);
}

#[tokio::test]
async fn a_file_that_is_too_large_and_an_upload_of_too_many_parts_are_refused() {
    let [one, _] = nodes();
    let key = key("exports/1/x");
    let path = one.path_of(&key);
    let mut upload = Upload::new(&one, path, attributes("application/gzip", None));
    upload.pretend(LARGEST_OBJECT - 1);
    upload.send(Bytes::from_static(b"x")).await.unwrap();
    let refused = upload.send(Bytes::from_static(b"x")).await;
    assert!(matches!(refused, Err(BlobError::Io(_))));
    for number in 0..=MOST_PARTS as u64 {
        let part = super::parts::Part::new(number, 1).unwrap();
        let path = one.path_of_part(&key, &part.name);
        let kind = attributes("application/octet-stream", None);
        one.put_object(&path, kind, Bytes::from_static(b"x"))
            .await
            .unwrap();
    }
    assert!(matches!(one.part_length(&key).await, Err(BlobError::Io(_))));
}

#[tokio::test]
async fn a_bucket_is_proven_and_nothing_stays() {
    let [one, _] = nodes();
    one.prove().await.unwrap();
    assert_eq!(one.check(), Ok(()));
    let listed = one.store().list_with_delimiter(None).await.unwrap();
    assert!(listed.objects.is_empty() && listed.common_prefixes.is_empty());
}
