//! Lists and values of JSON in archives of other products, of which one that is not valid hides no other.
//!
//! Elsewhere JSON is read strictly. This takes linear time, and keeps one element in memory.

use std::io::{BufRead as _, BufReader, Read};

use anyhow::{Result, bail};
use serde_json::Value;

/// The parts of a file that could not be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Unread {
    /// Elements that are not valid JSON.
    pub(super) elements: u64,
    /// Elements whose texts have lost characters that are not valid.
    pub(super) mended: u64,
    /// The file is not a list.
    pub(super) is_other: bool,
    /// The file ends before its list.
    pub(super) is_cut: bool,
}

/// Hands every element of a list, of at most `most` bytes, to `each`.
///
/// # Errors
/// An element is too large; what reading the file or `each` returns.
pub(super) fn each_element(
    content: &mut dyn Read,
    most: u64,
    mut each: impl FnMut(Value) -> Result<()>,
) -> Result<Unread> {
    let mut unread = Unread::default();
    let mut splitter = Splitter::default();
    let mut reader = BufReader::with_capacity(1 << 16, content);
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        for byte in chunk {
            if splitter.take(*byte) {
                splitter.hand_over(&mut unread, &mut each)?;
            } else if splitter.element.len() as u64 > most {
                bail!("an element is larger than {most} bytes");
            }
        }
        let length = chunk.len();
        reader.consume(length);
    }
    // A file that ends within its list has lost an element, if not more.
    unread.is_cut = splitter.place == Position::Inside;
    unread.is_other = matches!(splitter.place, Position::Before | Position::Elsewhere);
    if unread.is_cut {
        splitter.hand_over(&mut unread, &mut each)?;
    }
    Ok(unread)
}

/// Where in a file the reader is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Position {
    #[default]
    Before,
    Inside,
    Behind,
    /// In a file that does not begin with a list.
    Elsewhere,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Object,
    List,
}

/// The brackets of an element that are open.
#[derive(Debug, Default)]
struct Brackets {
    all: Vec<Bracket>,
    objects: usize,
}

impl Brackets {
    fn push(&mut self, bracket: Bracket) {
        self.all.push(bracket);
        self.objects += usize::from(bracket == Bracket::Object);
    }

    /// Closes the innermost bracket of a kind with those within it. Without one, the closing bracket is only an error.
    fn close(&mut self, bracket: Bracket) {
        let is_open = match bracket {
            Bracket::Object => self.objects > 0,
            Bracket::List => self.objects < self.all.len(),
        };
        // Each bracket is removed once, so all of this takes linear time.
        while is_open && let Some(last) = self.all.pop() {
            self.objects -= usize::from(last == Bracket::Object);
            if last == bracket {
                break;
            }
        }
    }
}

/// Finds the elements of a list without parsing them, so that one that is not valid does not hide the next.
#[derive(Debug, Default)]
struct Splitter {
    place: Position,
    element: Vec<u8>,
    open: Brackets,
    is_text: bool,
    is_escaped: bool,
}

impl Splitter {
    /// Takes a byte; whether it ends an element.
    fn take(&mut self, byte: u8) -> bool {
        match self.place {
            Position::Inside => {}
            Position::Before => {
                // A mark of the order of bytes is no content.
                if !byte.is_ascii_whitespace() && !matches!(byte, 0xef | 0xbb | 0xbf) {
                    self.place = if byte == b'[' {
                        Position::Inside
                    } else {
                        Position::Elsewhere
                    };
                }
                return false;
            }
            Position::Behind | Position::Elsewhere => return false,
        }
        if self.is_text {
            self.is_text = self.is_escaped || byte != b'"';
            self.is_escaped = byte == b'\\' && !self.is_escaped;
        } else if self.open.all.is_empty() && matches!(byte, b',' | b']') {
            if byte == b']' {
                self.place = Position::Behind;
            }
            return true;
        } else {
            match byte {
                b'"' => self.is_text = true,
                b'{' => self.open.push(Bracket::Object),
                b'[' => self.open.push(Bracket::List),
                b'}' => self.open.close(Bracket::Object),
                b']' => self.open.close(Bracket::List),
                _ => {}
            }
        }
        if !(self.element.is_empty() && byte.is_ascii_whitespace()) {
            self.element.push(byte);
        }
        false
    }

    /// Passes the element on, if there is one.
    fn hand_over(
        &mut self,
        unread: &mut Unread,
        each: &mut impl FnMut(Value) -> Result<()>,
    ) -> Result<()> {
        self.open = Brackets::default();
        let element = std::mem::take(&mut self.element);
        if element.is_empty() {
            return Ok(());
        }
        match parse(&element, &mut unread.mended) {
            Some(value) => each(value)?,
            None => unread.elements += 1,
        }
        // Keeps what was allocated.
        self.element = element;
        self.element.clear();
        Ok(())
    }
}

/// A value of a foreign archive; `None` if it is not JSON. Counts it in `mended` if characters in it had to be
/// replaced.
pub(super) fn parse(json: &[u8], mended: &mut u64) -> Option<Value> {
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    if let Ok(value) = serde_json::from_slice(json) {
        return Some(value);
    }
    let value = serde_json::from_str(&mend(json)).ok()?;
    *mended += 1;
    Some(value)
}

/// JSON with U+FFFD in place of bytes that are not UTF-8 and of lone surrogates, and with control characters and unknown
/// escapes in texts as JSON writes them.
fn mend(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json);
    let mut mended = String::with_capacity(text.len());
    let (mut rest, mut is_text) = (text.as_ref(), false);
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        match character {
            '"' => {
                is_text = !is_text;
                mended.push('"');
            }
            '\\' if is_text => length = escape(rest, &mut mended),
            '\n' if is_text => mended.push_str("\\n"),
            '\t' if is_text => mended.push_str("\\t"),
            control if is_text && control.is_ascii_control() => mended.push(' '),
            other => mended.push(other),
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    mended
}

/// Writes the escape at the beginning of a text; how long it is.
fn escape(text: &str, mended: &mut String) -> usize {
    let unit = |text: &str| {
        let digits = text.strip_prefix("\\u")?.get(..4)?;
        let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hexadecimal.then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let length = match unit(text) {
        Some(0xd800..=0xdbff) => {
            let low = text.get(6..).and_then(unit);
            match low {
                Some(0xdc00..=0xdfff) => 12,
                _ => {
                    mended.push('\u{fffd}');
                    return 6;
                }
            }
        }
        Some(0xdc00..=0xdfff) => {
            mended.push('\u{fffd}');
            return 6;
        }
        Some(_) => 6,
        None => match text.as_bytes().get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            // The backslash is meant.
            _ => {
                mended.push_str("\\\\");
                return 1;
            }
        },
    };
    mended.push_str(text.get(..length).unwrap_or_default());
    length
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The elements of a list, and what could not be read.
    fn elements(list: impl AsRef<[u8]>) -> (Vec<Value>, Unread) {
        let mut found = Vec::new();
        let unread = each_element(&mut list.as_ref(), 1 << 20, |element| {
            found.push(element);
            Ok(())
        });
        (found, unread.unwrap())
    }

    fn unread(elements: u64, mended: u64) -> Unread {
        Unread {
            elements,
            mended,
            ..Unread::default()
        }
    }

    #[test]
    fn elements_come_one_by_one_within_bounds() {
        assert_eq!(
            elements("\u{feff} [1, {\"a\": [\"]\\\"\"]} , \"x,y\"]\n").0,
            [json!(1), json!({"a": ["]\""]}), json!("x,y")]
        );
        assert_eq!(elements("[]"), (vec![], Unread::default()));
        let stopped = each_element(&mut "[1, 2]".as_bytes(), 9, |_| bail!("stopped by a test"));
        assert_eq!(stopped.unwrap_err().to_string(), "stopped by a test");
        let large = format!("[\"{}\"]", "x".repeat(1 << 20));
        let error = each_element(&mut large.as_bytes(), 1 << 20, |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "an element is larger than 1048576 bytes");
        // The bound applies to an element, not to the list.
        let many = format!("[{}1]", format!("\"{}\",", "x".repeat(1 << 17)).repeat(20));
        assert_eq!(elements(many).0.len(), 21);
    }

    #[test]
    fn an_element_that_is_not_valid_hides_no_other() {
        let good = json!({"good": 1});
        for (odd, left_out) in [
            ("{\"a\": [1}", 1),
            ("{\"a\": 1]}", 1),
            ("{\"a\": 1e999}", 1),
            ("nothing", 1),
            ("{\"a\" \"b\"}", 1),
            ("}", 1),
            ("", 0),
        ] {
            let list = format!("[{odd}, {{\"good\": 1}}]");
            let expected = (vec![good.clone()], unread(left_out, 0));
            assert_eq!(elements(&list), expected, "{odd}");
        }
        let deep = format!("[{}{}, {good}]", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(elements(deep), (vec![good.clone()], unread(1, 0)));
        // An element that is never closed ends with the file.
        let (found, unread) = elements("[{]");
        assert_eq!((found, unread.elements, unread.is_cut), (vec![], 1, true));
        // Brackets that do not match take no more time than others.
        let brackets = format!("[{}{}", "{".repeat(400_000), "]".repeat(400_000));
        assert!(elements(brackets).1.is_cut);
    }

    #[test]
    fn a_file_that_is_cut_or_no_list_says_so() {
        let good = json!({"good": 1});
        let (found, unread) = elements("[{\"good\": 1}, {\"bad\": \"x");
        assert_eq!(
            (found, unread.elements, unread.is_cut),
            (vec![good], 1, true)
        );
        for other in ["null", "{\"a\": [1]}", "", "x[1]"] {
            let (found, unread) = elements(other);
            assert!(found.is_empty() && unread.is_other, "{other}");
        }
    }

    #[test]
    fn characters_that_are_not_valid_are_replaced() {
        for (odd, text) in [
            (r#"cut \ud83d"#, "cut \u{fffd}"),
            (r#"\ud83d\ud83d\ude00"#, "\u{fffd}\u{1f600}"),
            (r#"\udc00x"#, "\u{fffd}x"),
            (r#"\ud83dx\n"#, "\u{fffd}x\n"),
            ("a\nb\tc\u{1}d", "a\nb\tc d"),
            (r#"C:\data \\ \" \u00e"#, "C:\\data \\ \" \\u00e"),
        ] {
            let list = format!("[\"{odd}\", 1]");
            assert_eq!(
                elements(&list),
                (vec![json!(text), json!(1)], unread(0, 1)),
                "{odd}"
            );
        }
        assert_eq!(
            elements(b"[\"a\xffb\"]"),
            (vec![json!("a\u{fffd}b")], unread(0, 1))
        );
        // Valid pairs and texts are left alone.
        assert_eq!(
            elements(r#"["\ud83d\ude00"]"#),
            (vec![json!("\u{1f600}")], Unread::default())
        );
        let long = format!("[\"{}\"]", "\\ud83d".repeat(150_000));
        assert_eq!(elements(long).1, unread(0, 1));
    }
}
