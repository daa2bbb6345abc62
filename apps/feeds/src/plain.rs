//! HTML as one line of plain text.

use spindle_app::text::cut;

/// Elements that the parser removes. Anything else in angle brackets is text, such as `Vec<T>` in a title.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "article",
    "aside",
    "audio",
    "b",
    "blockquote",
    "br",
    "button",
    "caption",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "nav",
    "object",
    "ol",
    "p",
    "picture",
    "pre",
    "q",
    "s",
    "samp",
    "script",
    "section",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];
/// Elements within a word; all others separate words.
const WITHIN: &[&str] = &[
    "a", "abbr", "acronym", "b", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark",
    "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
    "wbr",
];
/// Elements that are removed with their content.
const HIDDEN: &[&str] = &["script", "style"];

const ENTITIES: &[(&str, &str)] = &[
    ("amp", "&"),
    ("apos", "'"),
    ("bull", "•"),
    ("copy", "©"),
    ("euro", "€"),
    ("gt", ">"),
    ("hellip", "…"),
    ("laquo", "«"),
    ("ldquo", "“"),
    ("lsquo", "‘"),
    ("lt", "<"),
    ("mdash", "—"),
    ("middot", "·"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("quot", "\""),
    ("raquo", "»"),
    ("rdquo", "”"),
    ("reg", "®"),
    ("rsquo", "’"),
    ("trade", "™"),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("szlig", "ß"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("agrave", "à"),
    ("ccedil", "ç"),
    ("ntilde", "ñ"),
];
/// Bytes of the name of an entity.
const MAX_ENTITY: usize = 10;
/// Characters of a tag whose quotes are looked at.
const MAX_QUOTED: usize = 500;

/// At most `most` characters of the text of HTML. Tags that do not end become text, so that there are only a few whose
/// end is looked for in vain.
pub(crate) fn plain(html: &str, most: usize) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        if text.len() > most * 8 {
            break;
        }
        decode(before, &mut text);
        rest = match tag(after) {
            Some((name, after)) => {
                if !WITHIN.contains(&name.as_str()) {
                    text.push(' ');
                }
                match HIDDEN.contains(&name.as_str()) {
                    true => behind(after, &name),
                    false => after,
                }
            }
            None => {
                text.push('<');
                after
            }
        };
    }
    decode(rest, &mut text);
    one_line(&text, most)
}

/// Without control characters, which no value may contain.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    cut(&words.join(" "), most)
}

/// The name of a tag's element, empty for a comment, and the text after the tag.
fn tag(after: &str) -> Option<(String, &str)> {
    if let Some(comment) = after.strip_prefix("!--") {
        let after = comment.split_once("-->").map_or("", |(_, after)| after);
        return Some((String::new(), after));
    }
    let inside = after.strip_prefix('/').unwrap_or(after);
    let rest = inside.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    let name = inside.strip_suffix(rest)?.to_ascii_lowercase();
    let is_end = rest
        .starts_with(|letter: char| letter == '>' || letter == '/' || letter.is_ascii_whitespace());
    if !is_end || !ELEMENTS.contains(&name.as_str()) {
        return None;
    }
    let name = match after.starts_with('/') && HIDDEN.contains(&name.as_str()) {
        // Nothing is hidden after its end.
        true => String::new(),
        false => name,
    };
    Some((name, end_of_tag(rest)?))
}

/// The text after the `>` that ends a tag. A `>` in quotes ends only a very long tag.
fn end_of_tag(rest: &str) -> Option<&str> {
    let mut quote = None;
    let mut letters = rest.chars();
    for _ in 0..MAX_QUOTED {
        let letter = letters.next()?;
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '>') => return Some(letters.as_str()),
            _ => {}
        }
    }
    rest.split_once('>').map(|(_, after)| after)
}

/// The text after the end of a hidden element; empty if the element has no end.
fn behind<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("</") {
        let is_end =
            (after.get(..name.len())).is_some_and(|found| found.eq_ignore_ascii_case(name));
        if is_end {
            return after.split_once('>').map_or("", |(_, after)| after);
        }
        rest = after;
    }
    ""
}

/// Adds a text without its entities.
fn decode(html: &str, text: &mut String) {
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        rest = match entity(after) {
            Some((letter, after)) => {
                text.push_str(&letter);
                after
            }
            None => {
                text.push('&');
                after
            }
        };
    }
    text.push_str(rest);
}

fn entity(after: &str) -> Option<(String, &str)> {
    let rest =
        after.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '#');
    let name = after.strip_suffix(rest)?;
    if name.len() > MAX_ENTITY {
        return None;
    }
    let rest = rest.strip_prefix(';')?;
    if let Some(number) = name.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(number) => u32::from_str_radix(number, 16).ok()?,
            None => number.parse().ok()?,
        };
        let letter = char::from_u32(number)
            .filter(|letter| !letter.is_control() || letter.is_whitespace())?;
        return Some((letter.to_string(), rest));
    }
    let (_, letter) = ENTITIES.iter().find(|(known, _)| *known == name)?;
    Some(((*letter).to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_a_line_of_text() {
        for (html, text) in [
            ("<p>One</p><p>Two<br/>three</p>", "One Two three"),
            (
                "<b>bo</b>ld &amp; &lt;x&gt; &#65;&#x42;&hellip;",
                "bold & <x> AB…",
            ),
            (
                "a<script>alert('</p>')</script>b<STYLE>x</Style >c",
                "a b c",
            ),
            ("a<!-- <p>no</p> -->b", "a b"),
            ("Vec<T> is < 3 & 4 > 2", "Vec<T> is < 3 & 4 > 2"),
            ("<a href='x>y' title=\">\">link</a>", "link"),
            (
                "&unknown; &#xd800; &#99999999999; &;",
                "&unknown; &#xd800; &#99999999999; &;",
            ),
            ("a&#0;b\0c&#10;d", "a&#0;b c d"),
            ("cut <p", "cut <p"),
            ("never <!-- ends", "never"),
            ("never <script> ends", "never"),
            ("</script>after", "after"),
        ] {
            assert_eq!(plain(html, 100), text, "{html}");
        }
        assert_eq!(plain("<p>one two", 5), "one t…");
    }
}
