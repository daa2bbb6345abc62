//! The lines of an export, each an object with its type.

use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;

use super::super::chat::Chat;
use super::super::foreign::parse;
use super::super::json::{each_line, text};
use super::super::unzip::Unzip;

/// A line, of which only the type is read.
#[derive(Deserialize)]
struct Typed {
    r#type: String,
}

/// A line of the kind that is wanted.
pub(super) struct Line {
    pub(super) kind: String,
    /// None for other lines.
    pub(super) object: Option<Value>,
    pub(super) bytes: u64,
}

/// Hands every line to `visit`, those of a wanted type with their objects; notes which of these are not valid.
pub(super) fn each(
    zip: &mut Unzip,
    chat: &mut Chat,
    place: usize,
    is_wanted: fn(&str) -> bool,
    mut visit: impl FnMut(&mut Chat, u64, &Line) -> Result<()>,
) -> Result<()> {
    let most = chat.bounds.element_bytes;
    zip.read(place, |content| {
        each_line(content, most, |number, bytes| {
            let mut line = Line {
                kind: kind(bytes),
                object: None,
                bytes: bytes.len() as u64,
            };
            if is_wanted(&line.kind) {
                let mut mended = 0;
                let value = parse(bytes, &mut mended);
                let note = "texts of lines lost characters that are not valid";
                chat.notes.add(note, mended);
                match value {
                    Some(mut value) => {
                        line.object = Some(
                            value
                                .get_mut(&line.kind)
                                .map(Value::take)
                                .unwrap_or_default(),
                        );
                    }
                    None => {
                        let note = "lines that are not valid JSON were left out";
                        chat.notes.add(note, 1);
                    }
                }
            }
            visit(chat, number, &line)
        })
    })
}

/// The type of a line; empty where it has none.
fn kind(line: &[u8]) -> String {
    if let Ok(typed) = serde_json::from_slice::<Typed>(line) {
        return typed.r#type;
    }
    let value = parse(line, &mut 0).unwrap_or_default();
    text(&value, "type").to_owned()
}

pub(super) fn is_post(kind: &str) -> bool {
    matches!(kind, "post" | "direct_post")
}

pub(super) fn is_no_post(kind: &str) -> bool {
    !is_post(kind)
}
