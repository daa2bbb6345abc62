//! Emphasis in texts of Slack: which characters mark it, and how Markdown writes it.

/// How far away the end of an emphasis may be.
const LONGEST_EMPHASIS: usize = 2_000;

/// A part of a text.
#[derive(Debug)]
pub(super) enum Atom {
    Character(char),
    /// A finished part, which is not converted again.
    Whole {
        content: String,
        plain: String,
        /// Means nothing with emphasis around it: mentions, links to channels, bare addresses.
        is_fragile: bool,
    },
}

/// The text of these atoms, with emphasis as Markdown, or without any.
pub(super) fn styled(atoms: &[Atom], is_marked: bool) -> String {
    let mut out = String::new();
    let mut index = 0;
    while let Some(atom) = atoms.get(index) {
        match atom {
            Atom::Whole { content, plain, .. } => {
                out.push_str(if is_marked { content } else { plain })
            }
            Atom::Character(character) => {
                if let Some(end) = emphasis(atoms, index, *character) {
                    let inner = atoms.get(index + 1..end).unwrap_or_default();
                    let is_fragile = inner.iter().any(|atom| {
                        matches!(
                            atom,
                            Atom::Whole {
                                is_fragile: true,
                                ..
                            }
                        )
                    });
                    let marker = match character {
                        _ if is_fragile || !is_marked => "",
                        '*' => "**",
                        '_' => "*",
                        _ => "~~",
                    };
                    out.push_str(marker);
                    out.push_str(&styled(inner, is_marked));
                    out.push_str(marker);
                    index = end + 1;
                    continue;
                }
                out.push(*character);
            }
        }
        index += 1;
    }
    out
}

/// Where the emphasis ends that begins at `begin`, if one does.
fn emphasis(atoms: &[Atom], begin: usize, marker: char) -> Option<usize> {
    if !matches!(marker, '*' | '_' | '~') {
        return None;
    }
    let at = |index: usize| match atoms.get(index) {
        Some(Atom::Character(character)) => Some(*character),
        // Counts as a letter.
        Some(Atom::Whole { .. }) => Some('x'),
        None => None,
    };
    let is_word = |index: usize| matches!(atoms.get(index), Some(Atom::Character(character)) if character.is_alphanumeric());
    let is_inner_edge = |character: char| !character.is_whitespace() && character != marker;
    let is_free = begin.checked_sub(1).is_none_or(|before| !is_word(before));
    if !is_free || !at(begin + 1).is_some_and(is_inner_edge) {
        return None;
    }
    for end in begin + 2..atoms.len().min(begin + LONGEST_EMPHASIS) {
        let character = at(end)?;
        if character == '\n' {
            return None;
        }
        let is_marker = matches!(atoms.get(end), Some(Atom::Character(other)) if *other == marker);
        if is_marker && at(end - 1).is_some_and(is_inner_edge) && !is_word(end + 1) {
            return Some(end);
        }
    }
    None
}
