//! Text of HTML, for services that send descriptions as HTML.

/// The text of HTML: elements that end a line become line breaks, links and images keep their address, other tags go, and
/// the usual entities are decoded.
pub(crate) fn text_of(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    // Address and place of a link that is open.
    let mut open: Option<(String, usize)> = None;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('>') else {
            text.push_str(&rest[at..]);
            rest = "";
            break;
        };
        let whole = &rest[at + 1..at + end];
        let tag = whole.trim_start_matches('/').to_ascii_lowercase();
        let name = tag
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .next();
        match name.unwrap_or_default() {
            "br" | "p" | "div" | "tr" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4" => text.push('\n'),
            "li" if !whole.starts_with('/') => text.push_str("\n* "),
            "img" => text.push_str(address(whole, "src").unwrap_or_default()),
            "a" if !whole.starts_with('/') => {
                open = address(whole, "href").map(|address| (address.to_owned(), text.len()));
            }
            "a" => {
                if let Some((address, from)) = open.take()
                    && !text[from..].contains(&address)
                {
                    text.push_str(&format!(" ({address})"));
                }
            }
            _ => {}
        }
        rest = &rest[at + end + 1..];
    }
    text.push_str(rest);
    let text = decode(&text);
    let mut lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines.dedup_by(|one, before| one.is_empty() && before.is_empty());
    lines.join("\n").trim().to_owned()
}

/// The web address in an attribute of a tag, if it is one.
fn address<'a>(tag: &'a str, attribute: &str) -> Option<&'a str> {
    let at = tag.to_ascii_lowercase().find(&format!(" {attribute}="))?;
    let value = &tag[at + attribute.len() + 2..];
    let quote = value.chars().next()?;
    let value = match quote {
        '"' | '\'' => value[1..].split(quote).next(),
        _ => value.split(' ').next(),
    };
    value.filter(|value| value.starts_with("http"))
}

/// Decodes numeric entities and the usual named ones.
fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let found = after
            .find(';')
            .and_then(|end| Some((end, letter_of(&after[..end])?)));
        let (letter, taken) = found.map_or(('&', 0), |(end, letter)| (letter, end + 1));
        decoded.push(letter);
        rest = &after[taken..];
    }
    decoded.push_str(rest);
    decoded
}

fn letter_of(entity: &str) -> Option<char> {
    match entity {
        "nbsp" => Some(' '),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "amp" => Some('&'),
        _ => {
            let number = entity.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn tags_go_and_lines_stay() {
        assert_eq!(
            text_of("<p>a &lt;b&gt;</p><ul><li>c<li>d</ul>"),
            "a <b>\n\n* c\n* d"
        );
        assert_eq!(text_of("a < b"), "a < b");
    }

    #[test]
    fn links_and_images_keep_their_address() {
        for (html, text) in [
            (
                r#"see <a class=x href="https://x.org/?a&amp;b">this</a>!"#,
                "see this (https://x.org/?a&b)!",
            ),
            ("<a href='https://x.org'>https://x.org</a>", "https://x.org"),
            ("<A HREF=https://x.org>x</A>", "x (https://x.org)"),
            (
                r#"<img alt="" src="https://x.org/a.png">"#,
                "https://x.org/a.png",
            ),
            (r#"<a href="javascript:1">x</a><img src="data:,">"#, "x"),
        ] {
            assert_eq!(text_of(html), text);
        }
    }
}
