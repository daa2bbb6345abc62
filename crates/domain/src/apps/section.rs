//! Finds the manifest in the bytes of a component.
//!
//! In Rust the linker writes the custom section into a core module, which lies in the component; for other languages the
//! component itself gets one. Runs on files that people upload, so it must not trust any length in them.

/// The name of the custom section with the manifest.
pub const NAME: &str = "spindle-app";

const CORE_MODULE: [u8; 8] = [0, b'a', b's', b'm', 1, 0, 0, 0];
const COMPONENT: [u8; 8] = [0, b'a', b's', b'm', 0x0d, 0, 1, 0];
/// Bytes before the first section.
pub(super) const HEADER: usize = COMPONENT.len();
/// Of sections of a component.
pub(super) const CUSTOM: u8 = 0;
const MODULE: u8 = 1;
const NESTED: u8 = 4;
/// Components within components.
const DEPTH: usize = 4;

/// Whether bytes begin as a component does, as opposed to a core module or another file.
#[must_use]
pub fn is_component(bytes: &[u8]) -> bool {
    bytes.starts_with(&COMPONENT)
}

/// The first custom section with the manifest: of a component, or of a module or component in it.
#[must_use]
pub fn find(bytes: &[u8]) -> Option<&[u8]> {
    within(bytes, DEPTH)
}

fn within(bytes: &[u8], depth: usize) -> Option<&[u8]> {
    let (header, mut rest) = bytes.split_first_chunk::<8>()?;
    let is_component = *header == COMPONENT;
    if !is_component && *header != CORE_MODULE {
        return None;
    }
    while let Some((id, after)) = rest.split_first() {
        let (section, next) = sized(after)?;
        rest = next;
        let found = match *id {
            CUSTOM => named(section, NAME),
            MODULE | NESTED if is_component => depth
                .checked_sub(1)
                .and_then(|depth| within(section, depth)),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The content of a custom section if it has the name.
fn named<'a>(section: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let (name, content) = sized(section)?;
    (name == wanted.as_bytes()).then_some(content)
}

/// A component without the custom sections of this name at its top level. `None` means that the bytes are no component,
/// or end within a section.
#[must_use]
pub fn without(bytes: &[u8], name: &str) -> Option<Vec<u8>> {
    let mut rest = bytes.strip_prefix(&COMPONENT)?;
    let mut kept = COMPONENT.to_vec();
    while let Some((id, after)) = rest.split_first() {
        let (section, next) = sized(after)?;
        let whole = rest.get(..rest.len() - next.len())?;
        if *id != CUSTOM || named(section, name).is_none() {
            kept.extend(whole);
        }
        rest = next;
    }
    Some(kept)
}

/// Splits bytes that begin with their length from those that follow.
fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut length = 0_u32;
    for (index, byte) in bytes.iter().enumerate().take(5) {
        let part = u32::from(byte & 0x7f);
        length |= part.checked_shl(7 * u32::try_from(index).ok()?)?;
        if byte & 0x80 == 0 {
            let rest = bytes.get(index + 1..)?;
            return rest.split_at_checked(usize::try_from(length).ok()?);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::with_manifest;

    fn section(id: u8, content: &[u8]) -> Vec<u8> {
        let mut all = vec![id];
        all.extend(two_bytes(content.len()));
        all.extend(content);
        all
    }

    /// In two bytes, as linkers leave room.
    fn two_bytes(length: usize) -> [u8; 2] {
        [(length & 0x7f) as u8 | 0x80, (length >> 7) as u8]
    }

    fn custom(name: &str, content: &[u8]) -> Vec<u8> {
        let mut all = two_bytes(name.len()).to_vec();
        all.extend(name.as_bytes());
        all.extend(content);
        section(CUSTOM, &all)
    }

    fn file(header: [u8; 8], sections: &[Vec<u8>]) -> Vec<u8> {
        [header.to_vec(), sections.concat()].concat()
    }

    #[test]
    fn the_section_is_found_at_every_place() {
        let manifest = custom(NAME, b"{}");
        let module = file(CORE_MODULE, &[custom("name", b"x"), manifest.clone()]);
        assert_eq!(find(&module), Some(&b"{}"[..]));
        let component = file(COMPONENT, &[section(7, b"types"), section(MODULE, &module)]);
        assert_eq!(find(&component), Some(&b"{}"[..]));
        let outer = file(COMPONENT, &[section(NESTED, &component)]);
        assert_eq!(find(&outer), Some(&b"{}"[..]));
        assert!(is_component(&component) && !is_component(&module));
        // A section of a module has the ids of other sections.
        let other = file(CORE_MODULE, &[section(MODULE, &module)]);
        assert_eq!(find(&other), None);
    }

    #[test]
    fn a_manifest_is_put_and_replaced() {
        let types = section(7, b"types");
        let other = custom("name", b"x");
        let module = file(CORE_MODULE, &[custom(NAME, b"of the module")]);
        let parts = [types, other, section(MODULE, &module)];
        let bare = file(COMPONENT, &parts);
        let first = with_manifest(&bare, b"{}").unwrap();
        assert_eq!(find(&first), Some(&b"{}"[..]));
        assert!(first.ends_with(&parts.concat()));
        for size in [0, 1, 127, 128, 20_000] {
            let manifest = vec![b' '; size];
            let next = with_manifest(&first, &manifest).unwrap();
            assert_eq!(find(&next), Some(&manifest[..]));
            assert!(next.ends_with(&parts.concat()));
            assert_eq!(with_manifest(&next, b"{}"), Some(first.clone()));
        }
    }

    #[test]
    fn a_manifest_is_put_into_whole_components_only() {
        assert_eq!(with_manifest(b"", b"{}"), None);
        assert_eq!(with_manifest(&file(CORE_MODULE, &[]), b"{}"), None);
        assert!(with_manifest(&COMPONENT, b"{}").is_some());
        let whole = file(COMPONENT, &[section(7, b"types")]);
        for end in 9..whole.len() {
            assert_eq!(with_manifest(&whole[..end], b"{}"), None, "{end}");
        }
    }

    #[test]
    fn bytes_that_are_not_a_component_have_none() {
        assert_eq!(find(b""), None);
        assert_eq!(find(b"PK\x03\x04 and more"), None);
        let manifest = custom(NAME, b"{}");
        let whole = file(
            COMPONENT,
            &[section(MODULE, &file(CORE_MODULE, &[manifest]))],
        );
        for end in 0..whole.len() {
            assert_eq!(find(&whole[..end]), None, "{end}");
        }
        let endless = file(COMPONENT, &[vec![0, 0xff, 0xff, 0xff, 0xff, 0xff, 0]]);
        assert_eq!(find(&endless), None);
        let long = file(COMPONENT, &[vec![0, 0xff, 0xff, 0xff, 0xff, 0x0f]]);
        assert_eq!(find(&long), None);
    }

    #[test]
    fn nesting_is_bounded() {
        let mut bytes = file(COMPONENT, &[custom(NAME, b"{}")]);
        for _ in 0..DEPTH {
            bytes = file(COMPONENT, &[section(NESTED, &bytes)]);
        }
        assert_eq!(find(&bytes), Some(&b"{}"[..]));
        bytes = file(COMPONENT, &[section(NESTED, &bytes)]);
        assert_eq!(find(&bytes), None);
    }
}
