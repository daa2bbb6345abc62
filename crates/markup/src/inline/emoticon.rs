//! Emoticons such as `:)`, for senders with `translate_emoticons`.
//!
//! Owns their list and their boundaries. (docs/protocol/markdown.md#emoticons)

use super::emoji;
use super::parser::Parser;
use super::rewrite::{Rewrite, tail};

const EMOTICONS: &[(&str, &str)] = &[
    (":)", "smile"),
    ("(:", "smile"),
    (":(", "frown"),
    ("<3", "heart"),
    (":|", "neutral"),
    (":/", "confused"),
    (";)", "wink"),
    (":D", "grinning"),
    (":o", "open_mouth"),
    (":O", "open_mouth"),
    (":p", "stuck_out_tongue"),
    (":P", "stuck_out_tongue"),
];

pub(super) fn pass(parser: &mut Parser<'_, '_, '_>, text: &str, _: usize) -> Option<String> {
    if !parser.scope.context.translate_emoticons {
        return None;
    }
    let mut rewrite = Rewrite::new(text);
    let mut previous = None;
    let mut skip_to = 0;
    for (at, character) in text.char_indices() {
        let may_begin = at >= skip_to && is_boundary(previous);
        previous = Some(character);
        if !may_begin {
            continue;
        }
        let rest = tail(text, at);
        let found = EMOTICONS.iter().find(|(signs, _)| {
            rest.strip_prefix(signs)
                .is_some_and(|after| is_boundary(after.chars().next()))
        });
        let code = found.and_then(|(_, name)| spindle_emoji::code_for_name(name));
        if let (Some((signs, name)), Some(code)) = (found, code) {
            skip_to = at + signs.len();
            let node = emoji::unicode(name, code).into_node();
            parser.replace(&mut rewrite, at..skip_to, node);
        }
    }
    rewrite.finish()
}

fn is_boundary(neighbour: Option<char>) -> bool {
    neighbour.is_none_or(|c| {
        c.is_whitespace()
            || matches!(
                c,
                ',' | '.' | ';' | '?' | '!' | '(' | ')' | '[' | ']' | '"' | '\''
            )
    })
}
