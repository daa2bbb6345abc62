//! Adds custom sections to a component, such as a manifest or a signature.
//!
//! A section comes last, so that it can be cut off again; a manifest comes first, since a module in the component may have
//! another one.

use super::section;

/// The component with a custom section of this name at its end, in place of those that it has at its top level. `None`
/// means that the bytes are no component, end within a section, or get too long.
#[must_use]
pub fn with_section(bytes: &[u8], name: &str, content: &[u8]) -> Option<Vec<u8>> {
    let mut all = section::without(bytes, name)?;
    all.extend(custom(name, content)?);
    Some(all)
}

/// The component with a manifest at its beginning, in place of the one that it has at its top level. `None` as for
/// [`with_section`].
#[must_use]
pub fn with_manifest(component: &[u8], manifest: &[u8]) -> Option<Vec<u8>> {
    let others = section::without(component, section::NAME)?;
    let (header, sections) = others.split_at_checked(section::HEADER)?;
    Some([header, &custom(section::NAME, manifest)?, sections].concat())
}

/// A custom section: its id and its length, then its name with a length, and the content.
fn custom(name: &str, content: &[u8]) -> Option<Vec<u8>> {
    let mut inner = length(name.len())?;
    inner.extend(name.as_bytes());
    inner.extend(content);
    let mut all = vec![section::CUSTOM];
    all.extend(length(inner.len())?);
    all.extend(inner);
    Some(all)
}

/// A number in the shortest form of LEB128.
fn length(length: usize) -> Option<Vec<u8>> {
    let mut rest = u32::try_from(length).ok()?;
    let mut bytes = Vec::new();
    loop {
        let [part, ..] = rest.to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            bytes.push(part & 0x7f);
            return Some(bytes);
        }
        bytes.push(part | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn a_section_is_added_and_replaced() {
        let one = with_section(EMPTY, section::NAME, b"{}").unwrap();
        assert_eq!(section::find(&one), Some(&b"{}"[..]));
        let two = with_section(&one, "other", b"x").unwrap();
        assert!(two.starts_with(&one));
        let long = "y".repeat(20_000);
        let three = with_section(&two, section::NAME, long.as_bytes()).unwrap();
        assert_eq!(section::find(&three), Some(long.as_bytes()));
        let again = with_section(&three, section::NAME, b"{}").unwrap();
        let other = with_section(EMPTY, "other", b"x").unwrap();
        assert_eq!(again, with_section(&other, section::NAME, b"{}").unwrap());
    }

    #[test]
    fn only_whole_components_get_sections() {
        let one = with_section(EMPTY, "name", b"content").unwrap();
        for end in (0..one.len()).filter(|end| *end != EMPTY.len()) {
            assert_eq!(with_section(&one[..end], "a", b""), None, "{end}");
        }
        assert_eq!(with_section(b"\0asm\x01\0\0\0", "a", b""), None);
    }

    #[test]
    fn lengths_have_their_shortest_form() {
        assert_eq!(length(0).unwrap(), [0]);
        assert_eq!(length(127).unwrap(), [0x7f]);
        assert_eq!(length(128).unwrap(), [0x80, 1]);
        assert_eq!(length(20_000).unwrap(), [0xa0, 0x9c, 1]);
    }
}
