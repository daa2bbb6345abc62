//! Slack's markup ("mrkdwn") as Markdown, which it resembles: emphasis has other signs and ends only at the ends of
//! words, links stand in angle brackets, and three entities are decoded.
//!
//! What else Markdown would interpret stays, because senders use it: lists, headings, tables. Mentions never do.

use crate::text::{begins_entity, code_line, cut, escape_line, fenced, linked};
use crate::time::unix_time;

/// Most characters of a text, so that the work is bounded; a message has less.
const TEXT: usize = 10_000;

/// Markdown of a text with Slack's markup.
pub(super) fn markdown(text: &str) -> String {
    let text = cut(text, TEXT);
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("```") {
        let Some((code, behind)) = after.split_once("```") else {
            break;
        };
        let block = fenced(&references_as_text(code), "");
        lines(before, &mut out);
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&block);
        if !block.is_empty() && !behind.is_empty() {
            out.push('\n');
        }
        rest = behind.strip_prefix('\n').unwrap_or(behind);
    }
    lines(rest, &mut out);
    out.trim_end().trim_start_matches('\n').to_owned()
}

/// A text without markup, whose emoji are shown.
pub(super) fn plain(text: &str) -> String {
    let lines = text.trim().lines().map(|line| plain_line(line.trim()));
    lines.collect::<Vec<_>>().join("\n")
}

/// As [`plain`], in one line.
pub(super) fn plain_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let escaped = escape_line(&decode(&cut(&line, TEXT)));
    let mut pieces = escaped.split("&#58;");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let shown = piece.split_once(':');
        match shown.and_then(|(name, rest)| Some((emoji(name)?, rest))) {
            Some((emoji, rest)) => out.extend([emoji.as_str(), rest]),
            None => out.extend(["&#58;", piece]),
        }
    }
    out
}

/// Decodes the entities that Slack knows.
pub(super) fn decode(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// The emoji with this name in Slack, as written here.
pub(super) fn emoji(name: &str) -> Option<String> {
    let code = spindle_emoji::code_for_short_name(name)?;
    let name = spindle_emoji::canonical_name(code)?;
    Some(format!(":{name}:"))
}

fn lines(text: &str, out: &mut String) {
    let (mut was_quoted, mut all_quoted) = (false, false);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        // Four spaces would begin a block of code.
        let inner = line.trim_start();
        let indent = (line.len() - inner.len()).min(3);
        let mut inner = inner.trim_end();
        for quote in [">>>", "&gt;&gt;&gt;"] {
            if let Some(quoted) = inner.strip_prefix(quote).filter(|_| !all_quoted) {
                (all_quoted, inner) = (true, quoted.trim_start());
            }
        }
        let is_quoted = all_quoted || inner.starts_with('>') || inner.starts_with("&gt;");
        if was_quoted && !is_quoted && !inner.is_empty() {
            // Otherwise the line would continue the quotation.
            out.push('\n');
        }
        was_quoted = is_quoted;
        out.push_str(if all_quoted { "> " } else { &"   "[..indent] });
        inline(inner, false, out);
    }
}

/// A line; `nested` inside emphasis.
fn inline(line: &str, nested: bool, out: &mut String) {
    let (mut at, mut before) = (0, None);
    while let Some(letter) = line[at..].chars().next() {
        let rest = &line[at..];
        let after = &rest[letter.len_utf8()..];
        let taken = match letter {
            '<' => reference(rest, before, nested, out),
            '`' => code(rest, out),
            'h' => address(rest, before, nested, out),
            '*' | '_' | '~' => emphasis(rest, before, nested, out),
            '&' => entity(rest, out),
            ':' => emoji_at(rest, before, out),
            '@' | '#' if after.starts_with(['*', '_']) => Some(number(letter, 1, out)),
            '$' if before == Some('$') || after.starts_with('$') => Some(number(letter, 1, out)),
            _ => None,
        };
        let taken = taken.unwrap_or_else(|| {
            out.push(letter);
            letter.len_utf8()
        });
        before = line[at..at + taken].chars().next_back();
        at += taken;
    }
}

/// Writes a letter as an entity, `times` times, and returns the number of bytes that it has in the source.
fn number(letter: char, times: usize, out: &mut String) -> usize {
    out.push_str(&format!("&#{};", u32::from(letter)).repeat(times));
    times * letter.len_utf8()
}

fn code(rest: &str, out: &mut String) -> Option<usize> {
    let inner = rest[1..].split_once('`').map(|(inner, _)| inner);
    match inner.filter(|inner| !inner.trim().is_empty()) {
        Some(inner) => {
            out.push_str(&code_line(&references_as_text(inner)));
            Some(inner.len() + 2)
        }
        None => Some(number('`', 1, out)),
    }
}

/// Code with the addresses and names of references in place of their markup.
fn references_as_text(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let inner = after.split_once('>').filter(|(inner, _)| is_web(inner));
        match inner {
            Some((inner, behind)) => {
                out.push_str(inner.split('|').next_back().unwrap_or_default());
                rest = behind;
            }
            None => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    decode(&out)
}

fn is_web(address: &str) -> bool {
    address.starts_with("https://") || address.starts_with("http://")
}

/// An address without brackets, in which nothing is emphasized.
fn address(rest: &str, before: Option<char>, nested: bool, out: &mut String) -> Option<usize> {
    if !is_web(rest) || before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let end = rest.find(|letter: char| letter.is_whitespace() || "<>\"|".contains(letter));
    let address = &rest[..end.unwrap_or(rest.len())];
    if nested {
        out.push_str(&web_link("", &decode(address)));
    } else {
        out.push_str(&decode(address));
    }
    Some(address.len())
}

/// A link, with the address as its text if there is none.
pub(super) fn web_link(text: &str, url: &str) -> String {
    let text = if text.trim().is_empty() { url } else { text };
    let text = plain_link_text(text);
    if is_web(url) {
        linked(&text, url)
    } else if url.is_empty() || text == url {
        text
    } else {
        format!("{text} ({})", escape_line(url))
    }
}

/// Texts of links are literal, so emoji cannot be shown in them.
fn plain_link_text(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    escape_line(&cut(&line, TEXT))
}

fn emphasis(rest: &str, before: Option<char>, nested: bool, out: &mut String) -> Option<usize> {
    let sign = rest.chars().next()?;
    if let Some(inner) = emphasized(rest, sign, before) {
        let sign = match sign {
            '*' => "**",
            '_' => "*",
            _ => "~~",
        };
        out.push_str(sign);
        inline(inner, true, out);
        out.push_str(sign);
        return Some(inner.len() + 2);
    }
    let run = rest.len() - rest.trim_start_matches(sign).len();
    if (sign == '*' && nested) || (sign == '~' && run > 2) {
        return Some(number(sign, run, out));
    }
    out.push_str(&rest[..run]);
    Some(run)
}

/// The text between two signs that stand at the ends of words.
fn emphasized(rest: &str, sign: char, before: Option<char>) -> Option<&str> {
    let is_inside_word = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_alphanumeric() || letter == sign)
    };
    let inner = &rest[1..];
    if is_inside_word(before) || inner.starts_with(char::is_whitespace) {
        return None;
    }
    let (inner, after) = inner.split_at(closing(inner, sign)?);
    let fits = !inner.is_empty()
        && !inner.ends_with(char::is_whitespace)
        && !is_inside_word(after.chars().nth(1));
    fits.then_some(inner)
}

/// Where the sign is next, outside of code and references.
fn closing(text: &str, sign: char) -> Option<usize> {
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        if letter == sign {
            return Some(at);
        }
        let after = at + letter.len_utf8();
        let rest = &text[after..];
        let skipped = match letter {
            '<' => rest
                .find(['<', '>'])
                .filter(|end| rest[*end..].starts_with('>')),
            '`' => rest.find('`'),
            _ => None,
        };
        at = skipped.map_or(after, |skipped| after + skipped + 1);
    }
    None
}

fn entity(rest: &str, out: &mut String) -> Option<usize> {
    for (entity, letter) in [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&')] {
        if let Some(after) = rest.strip_prefix(entity) {
            let has_meaning = match letter {
                '<' => after.starts_with("time:"),
                '&' => begins_entity(after),
                _ => false,
            };
            if has_meaning {
                number(letter, 1, out);
            } else {
                out.push(letter);
            }
            return Some(entity.len());
        }
    }
    begins_entity(&rest[1..]).then(|| number('&', 1, out))
}

fn emoji_at(rest: &str, before: Option<char>, out: &mut String) -> Option<usize> {
    if before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_+-'".contains(letter);
    let mut end = 1 + rest[1..].find(|letter| !is_name(letter))?;
    if rest[end..].starts_with("::skin-tone-") {
        end += 2 + rest[end + 2..].find(|letter| !is_name(letter))?;
    }
    if !rest[end..].starts_with(':') {
        return None;
    }
    out.push_str(&emoji(&rest[1..end])?);
    Some(end + 1)
}

/// What stands in angle brackets: an address, or the name of a person, group or channel, which stays text.
fn reference(rest: &str, before: Option<char>, nested: bool, out: &mut String) -> Option<usize> {
    let end = rest[1..].find(['<', '>'])?;
    let (inner, behind) = (&rest[1..=end], rest[end + 1..].strip_prefix('>')?);
    let (target, label) = inner.split_once('|').unwrap_or((inner, ""));
    let (target, label) = (decode(target.trim()), decode(label.trim()));
    let said = match target.chars().next()? {
        sign @ ('@' | '#') => {
            let name = if label.is_empty() { &target } else { &label };
            format!("{sign}{}", escape_line(name.trim_start_matches(sign)))
        }
        '!' => command(&target, &label),
        _ if is_web(&target) => {
            let is_apart = |letter: Option<char>| letter.is_none_or(char::is_whitespace);
            if label.is_empty() && !nested && is_apart(before) && is_apart(behind.chars().next()) {
                target
            } else {
                web_link(&label, &target)
            }
        }
        _ => {
            let address = target
                .strip_prefix("mailto:")
                .or_else(|| target.strip_prefix("tel:"));
            if address.is_none() && !target.contains("://") {
                return None;
            }
            let address = address.unwrap_or(&target);
            let label = if label.is_empty() { address } else { &label };
            web_link(label, address)
        }
    };
    out.push_str(&said);
    Some(inner.len() + 2)
}

/// `!here`, `!subteam^ID`, `!date^SECONDS^FORMAT^LINK`.
fn command(target: &str, label: &str) -> String {
    let mut parts = target[1..].split('^');
    let name = parts.next().unwrap_or_default();
    if name == "date" {
        let seconds = parts.next().and_then(|seconds| seconds.parse().ok());
        let link = parts.nth(1).unwrap_or_default();
        return if label.is_empty() {
            seconds.map(unix_time).unwrap_or_default()
        } else {
            web_link(label, link)
        };
    }
    let name = if name == "subteam" {
        parts.next()
    } else {
        None
    }
    .unwrap_or(name);
    let name = if label.is_empty() { name } else { label };
    format!("@{}", escape_line(name.trim_start_matches('@')))
}
