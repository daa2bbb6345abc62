//! Blobs of the bucket that are uploaded in parts, which may come to different nodes.
//!
//! Each part is an object of its own, whose name says which bytes it has and ends in random characters: no part is
//! ever replaced, so what was acknowledged stays, whatever other nodes do at the same time. The content so far is
//! the longest sequence of parts without a gap. Completing a blob writes one object that lists its parts; the
//! bytes stay where they are, since copying a gigabyte would take longer than a request may.

use std::collections::BTreeMap;
use std::io;

use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use object_store::GetOptions;
use object_store::path::Path;
use serde::{Deserialize, Serialize};

use super::content::Piece;
use super::failure::Operation;
use super::{Bucket, attributes};
use crate::key::BlobKey;
use crate::store::{Appended, BlobError};

/// Parts below this size are combined with the next one, so that an upload of a client that sends few bytes at a
/// time has not more parts than another one.
const SMALL: u64 = 1 << 20;
/// Most parts of an upload that are listed; the largest upload has a quarter of them.
pub const MOST_PARTS: usize = 4096;
/// Most bytes of the list of parts of a blob.
const LONGEST_LIST: u64 = 1 << 20;

/// An object with some bytes of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    offset: u64,
    length: u64,
    pub(super) name: String,
}

impl Part {
    pub(super) fn new(offset: u64, length: u64) -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let random = u64::from_be_bytes(random);
        Ok(Self {
            offset,
            length,
            name: format!("{offset:012}-{length}-{random:016x}"),
        })
    }

    /// Reads the name of an object.
    fn read(name: &str) -> Option<Self> {
        let mut fields = name.split('-');
        Some(Self {
            offset: fields.next()?.parse().ok()?,
            length: fields.next()?.parse().ok()?,
            name: name.to_owned(),
        })
    }

    const fn end(&self) -> u64 {
        self.offset.saturating_add(self.length)
    }
}

/// The longest sequence of parts without a gap, from the beginning. The same parts always give the same one.
fn sequence(mut parts: Vec<Part>) -> Vec<Part> {
    parts.sort_by(|one, other| (one.offset, &one.name).cmp(&(other.offset, &other.name)));
    // By the end of a sequence: its last part.
    let mut ends: BTreeMap<u64, Option<&Part>> = BTreeMap::from([(0, None)]);
    for part in parts.iter().filter(|part| part.length > 0) {
        if ends.contains_key(&part.offset) {
            ends.entry(part.end()).or_insert(Some(part));
        }
    }
    let mut found = Vec::new();
    let mut last = ends.last_key_value().and_then(|(_, part)| *part);
    while let Some(part) = last {
        found.push(part.clone());
        last = ends.get(&part.offset).copied().flatten();
    }
    found.reverse();
    found
}

/// The content of the object of a blob that was uploaded in parts.
#[derive(Debug, Serialize, Deserialize)]
struct List {
    parts: Vec<(String, u64)>,
}

impl Bucket {
    /// The length of a complete or incomplete blob; `None` when no blob has that key.
    pub(super) async fn part_length(&self, key: &BlobKey) -> Result<Option<u64>, BlobError> {
        if let Some(whole) = self.length(key).await? {
            return Ok(Some(whole));
        }
        let parts = self.parts(key).await?;
        let exists = !parts.is_empty();
        let there = sequence(parts).last().map_or(0, Part::end);
        Ok(exists.then_some(there))
    }

    /// Appends to a blob of `offset` bytes.
    pub(super) async fn append(
        &self,
        key: &BlobKey,
        offset: u64,
        content: Bytes,
    ) -> Result<Appended, BlobError> {
        let Some(_lock) = self.inner.append_locks.take(key) else {
            return Ok(Appended::Busy);
        };
        let parts = self.parts(key).await?;
        let is_new = parts.is_empty();
        let last = sequence(parts).pop();
        let there = last.as_ref().map_or(0, Part::end);
        if is_new || there != offset {
            if let Some(whole) = self.length(key).await? {
                return Ok(Appended::Elsewhere(whole));
            }
            if there != offset {
                return Ok(Appended::Elsewhere(there));
            }
        }
        if content.is_empty() && !is_new {
            return Ok(Appended::Length(there));
        }
        let end = there + content.len() as u64;
        let small = last.filter(|part| part.length < SMALL);
        let (start, content) = match &small {
            None => (there, content),
            Some(part) => match self.read_part(key, part).await? {
                Some(before) => (part.offset, joined(&before, &content)),
                // Another node has combined it with the next one.
                None => return Ok(Appended::Busy),
            },
        };
        let part = Part::new(start, content.len() as u64)?;
        let path = self.path_of_part(key, &part.name);
        let kind = attributes("application/octet-stream", None);
        self.put_object(&path, kind, content).await?;
        if let Some(part) = small {
            // It is in the new one as well, and goes with the blob if it cannot be deleted now. No blob lists it: a
            // blob is completed with its last byte, after which nothing is appended, and before which a part
            // this small is the last one.
            let _ = self
                .delete_objects(vec![self.path_of_part(key, &part.name)])
                .await;
        }
        Ok(Appended::Length(end))
    }

    /// Completes a blob.
    pub(super) async fn join(
        &self,
        key: &BlobKey,
        content_type: &str,
    ) -> Result<Option<Appended>, BlobError> {
        let Some(_lock) = self.inner.append_locks.take(key) else {
            return Ok(Some(Appended::Busy));
        };
        if let Some(whole) = self.length(key).await? {
            return Ok(Some(Appended::Length(whole)));
        }
        let parts = self.parts(key).await?;
        if parts.is_empty() {
            return Ok(None);
        }
        let sequence = sequence(parts);
        let length = sequence.last().map_or(0, Part::end);
        let parts = sequence.into_iter().map(|part| (part.name, part.length));
        let list = List {
            parts: parts.collect(),
        };
        let list = serde_json::to_vec(&list).map_err(io::Error::other)?;
        let attributes = attributes(content_type, Some(length));
        self.put_object(&self.path_of(key), attributes, list.into())
            .await?;
        Ok(Some(Appended::Length(length)))
    }

    /// Deletes the parts of a blob, or of an upload that was given up; returns whether there were any.
    pub(super) async fn delete_parts(&self, key: &BlobKey) -> Result<bool, BlobError> {
        let parts = self.parts(key).await?;
        let paths: Vec<_> = parts
            .iter()
            .map(|part| self.path_of_part(key, &part.name))
            .collect();
        let there_were = !paths.is_empty();
        self.delete_objects(paths).await?;
        Ok(there_were)
    }

    /// The parts that an object of a blob lists.
    pub(super) async fn pieces(
        &self,
        key: &BlobKey,
        list: object_store::GetResult,
    ) -> Result<Vec<Piece>, BlobError> {
        let damaged = || BlobError::Damaged(key.as_str().to_owned());
        if list.meta.size > LONGEST_LIST {
            return Err(damaged());
        }
        let list = self.judge(Operation::Read, list.bytes().await)?;
        let list: List = serde_json::from_slice(&list).map_err(|_| damaged())?;
        let piece = |(name, length): (String, u64)| Piece {
            path: self.path_of_part(key, &name),
            length,
            etag: None,
        };
        Ok(list.parts.into_iter().map(piece).collect())
    }

    /// All parts that are stored.
    pub(super) async fn parts(&self, key: &BlobKey) -> Result<Vec<Part>, BlobError> {
        let folder = self.folder_of_parts(key);
        let mut listed = self.store().list(Some(&folder));
        let mut parts = Vec::new();
        while let Some(next) = listed.next().await {
            let found = self.judge(Operation::List, next)?;
            let part = found.location.filename().and_then(Part::read);
            // Keys of other blobs may continue this one.
            let is_ours = |part: &Part| {
                part.length == found.size && self.path_of_part(key, &part.name) == found.location
            };
            parts.extend(part.filter(is_ours));
            if parts.len() > MOST_PARTS {
                return Err(io::Error::other("an upload has too many parts").into());
            }
        }
        self.inner.condition.works(Operation::List);
        Ok(parts)
    }

    async fn read_part(&self, key: &BlobKey, part: &Part) -> Result<Option<Bytes>, BlobError> {
        let path = self.path_of_part(key, &part.name);
        let Some(found) = self.get(&path, GetOptions::default()).await? else {
            return Ok(None);
        };
        self.judge(Operation::Read, found.bytes().await).map(Some)
    }

    fn folder_of_parts(&self, key: &BlobKey) -> Path {
        self.path(&format!("parts/{}", key.as_str()))
    }

    pub(super) fn path_of_part(&self, key: &BlobKey, name: &str) -> Path {
        self.path(&format!("parts/{}/{name}", key.as_str()))
    }
}

fn joined(before: &Bytes, content: &Bytes) -> Bytes {
    let mut both = BytesMut::with_capacity(before.len() + content.len());
    both.extend_from_slice(before);
    both.extend_from_slice(content);
    both.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(offset: u64, length: u64, random: &str) -> Part {
        Part::read(&format!("{offset:012}-{length}-{random}")).unwrap()
    }

    #[test]
    fn the_content_is_the_longest_sequence_without_a_gap() {
        let ends = |parts: &[Part]| {
            let found = sequence(parts.to_vec());
            found
                .iter()
                .map(|part| (part.offset, part.end()))
                .collect::<Vec<_>>()
        };
        assert!(ends(&[]).is_empty());
        assert!(ends(&[part(0, 0, "a")]).is_empty());
        assert_eq!(ends(&[part(4, 4, "a"), part(0, 4, "b")]), [(0, 4), (4, 8)]);
        // A part that is missing, and one that came twice in different lengths.
        assert_eq!(ends(&[part(0, 4, "a"), part(8, 4, "b")]), [(0, 4)]);
        let twice = [part(0, 4, "a"), part(0, 8, "b"), part(4, 12, "c")];
        assert_eq!(ends(&twice), [(0, 4), (4, 16)]);
        let longer = [part(0, 4, "a"), part(0, 8, "b"), part(4, 3, "c")];
        assert_eq!(ends(&longer), [(0, 8)]);
    }

    #[test]
    fn the_same_parts_give_the_same_sequence() {
        let (one, other) = (part(0, 4, "a"), part(0, 4, "b"));
        let found = sequence(vec![other.clone(), one.clone()]);
        assert_eq!(found, sequence(vec![one.clone(), other]));
        assert_eq!(found, [one]);
    }

    #[test]
    fn names_say_which_bytes_a_part_has() {
        let new = Part::new(7, 9).unwrap();
        assert_eq!(Part::read(&new.name), Some(new.clone()));
        assert_eq!((new.offset, new.end()), (7, 16));
        assert_ne!(Part::new(7, 9).unwrap().name, new.name);
        for name in ["", "x", "1", "1-x", "-1-2"] {
            assert_eq!(Part::read(name), None, "{name}");
        }
    }
}
