//! Files of the archive that messages refer to.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use serde_json::{Value, json};

use super::text::{line, link};

/// Longest name in an address, in bytes.
const LONGEST_NAME: usize = 100;

/// A file that is to be stored.
#[derive(Debug)]
struct Stored {
    /// Its index in the archive.
    place: usize,
    name: String,
    path: String,
    owner: i64,
    created: i64,
    content_type: Option<String>,
    /// Messages that refer to it.
    messages: Vec<u64>,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Files {
    list: Vec<Stored>,
    by_place: HashMap<usize, u32>,
}

impl Files {
    /// Takes a file of the archive; its number, and a link to it.
    pub(crate) fn add(
        &mut self,
        place: usize,
        name: &str,
        owner: i64,
        created: i64,
        content_type: Option<&str>,
    ) -> Result<(u32, String)> {
        let index = match self.by_place.get(&place) {
            Some(index) => *index,
            None => {
                let index = u32::try_from(self.list.len())?;
                let name = line(name, 255);
                self.list.push(Stored {
                    place,
                    path: format!("1/imported-{place}/{}", in_address(&name)),
                    name,
                    owner,
                    created,
                    content_type: content_type.map(|it| line(it, 255)),
                    messages: Vec::new(),
                });
                self.by_place.insert(place, index);
                index
            }
        };
        let url = match self.list.get(index as usize) {
            Some(file) => format!("/user_uploads/{}", file.path),
            None => String::new(),
        };
        Ok((index, link(name, &url)))
    }

    /// Notes that a message refers to a file.
    pub(super) fn named(&mut self, index: u32, message: u64) {
        if let Some(file) = self.list.get_mut(index as usize) {
            file.messages.push(message);
        }
    }

    /// The rows of files that messages refer to, and where each is stored: its place in the archive, and
    /// its path in the layout.
    pub(super) fn rows(
        &self,
        paths: &mut BTreeMap<usize, Vec<String>>,
        mut each: impl FnMut(&'static str, &Value) -> Result<()>,
    ) -> Result<()> {
        for (id, file) in (1_u64..).zip(&self.list) {
            if file.messages.is_empty() {
                continue;
            }
            let row = json!({
                "id": id,
                "path_id": file.path,
                "file_name": file.name,
                "owner": file.owner,
                "create_time": file.created,
                "content_type": file.content_type,
                "messages": file.messages,
            });
            each("zerver_attachment", &row)?;
            let path = format!("uploads/{}", file.path);
            paths.entry(file.place).or_default().push(path);
        }
        Ok(())
    }
}

/// A name that can stand in an address; the end is kept, since it says what a file is.
fn in_address(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|character| match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' | '-' => character,
            _ => '-',
        })
        .collect();
    let excess = plain.len().saturating_sub(LONGEST_NAME);
    let plain = plain
        .get(excess..)
        .unwrap_or_default()
        .trim_matches(['.', '-']);
    if plain.is_empty() || plain == "thumbnail" {
        return "file".to_owned();
    }
    plain.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_stored_once_if_a_message_names_it() {
        let mut files = Files::default();
        let (one, text) = files.add(7, "Q1 [a].pdf", 1, 5, None).unwrap();
        assert_eq!(text, "[Q1 (a).pdf](/user_uploads/1/imported-7/Q1--a-.pdf)");
        assert_eq!(files.add(7, "other", 2, 6, None).unwrap().0, one);
        files.add(8, "../..", 1, 5, None).unwrap();
        files.named(one, 40);
        files.named(one, 41);
        let (mut paths, mut rows) = (BTreeMap::new(), Vec::new());
        files
            .rows(&mut paths, |_, row| {
                rows.push(row.clone());
                Ok(())
            })
            .unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["messages"], json!([40, 41]));
        assert_eq!(paths[&7], ["uploads/1/imported-7/Q1--a-.pdf"]);
        assert_eq!(in_address("thumbnail"), "file");
        assert_eq!(in_address("..-x"), "x");
    }
}
