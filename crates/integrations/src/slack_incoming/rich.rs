//! Slack's `rich_text`, whose texts have no markup but styles.

use crate::Node;
use crate::text::{code_line, escape_line, fenced};
use crate::time::unix_time;

use super::mrkdwn::{emoji, web_link};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Section,
    List,
    Apart,
}

/// A block or cell of rich text.
pub(super) fn rich_text(block: Node<'_>) -> String {
    let mut out = String::new();
    let mut before = Kind::Apart;
    for element in block.at("elements").list() {
        let (kind, text) = match element.at("type").str() {
            "rich_text_section" => (Kind::Section, section(element)),
            "rich_text_list" => (Kind::List, list(element)),
            "rich_text_quote" => (Kind::Apart, quote(&section(element))),
            "rich_text_preformatted" => (Kind::Apart, preformatted(element)),
            _ => (Kind::Section, inline([element].into_iter())),
        };
        let text = text.trim_end();
        if text.trim().is_empty() {
            continue;
        }
        if !out.is_empty() {
            let is_close = kind != Kind::Apart && before != Kind::Apart;
            let continues_list = before == Kind::List && kind == Kind::Section;
            out.push_str(if is_close && !continues_list {
                "\n"
            } else {
                "\n\n"
            });
        }
        out.push_str(text);
        before = kind;
    }
    out
}

fn section(element: Node<'_>) -> String {
    let text = inline(element.at("elements").list());
    // Leading white space could begin a block of code.
    let lines = text.trim_end().lines().map(str::trim_start);
    lines.collect::<Vec<_>>().join("\n")
}

fn list(element: Node<'_>) -> String {
    let level = element
        .at("indent")
        .number()
        .unwrap_or_default()
        .clamp(0, 8);
    let indent = "  ".repeat(usize::try_from(level).unwrap_or_default());
    let first = element.at("offset").number().unwrap_or_default();
    let is_ordered = element.at("style").str() == "ordered";
    let items = element.at("elements").list().zip(first + 1..);
    let items = items.map(|(item, number)| {
        let text = section(item).replace('\n', &format!("\n{indent}  "));
        let sign = if is_ordered {
            format!("{number}.")
        } else {
            "*".to_owned()
        };
        format!("{indent}{sign} {text}")
    });
    items.collect::<Vec<_>>().join("\n")
}

fn quote(text: &str) -> String {
    let lines = text.lines().map(|line| format!("> {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn preformatted(element: Node<'_>) -> String {
    let texts = element.at("elements").list();
    let code: String = texts
        .map(|part| part.first(&["text", "url"]).text())
        .collect();
    let language = element.at("language").str();
    let is_name = language.bytes().all(|byte| byte.is_ascii_alphanumeric());
    fenced(&code, if is_name { language } else { "" })
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Style {
    bold: bool,
    italic: bool,
    strike: bool,
}

fn inline<'a>(elements: impl Iterator<Item = Node<'a>>) -> String {
    // Neighbours of one style share their signs, and their letters are escaped together.
    let mut pieces: Vec<(Style, Piece)> = Vec::new();
    for element in elements {
        let style = element.at("style");
        let is_letters = element.at("type").str() == "text" && !style.at("code").is_true();
        let style = Style {
            bold: style.at("bold").is_true(),
            italic: style.at("italic").is_true(),
            strike: style.at("strike").is_true(),
        };
        let text = element.at("text").text();
        match pieces.last_mut() {
            Some((last, Piece::Letters(letters))) if is_letters && *last == style => {
                letters.push_str(&text);
            }
            _ if is_letters => pieces.push((style, Piece::Letters(text))),
            _ => pieces.push((style, Piece::Markdown(text_of(element)))),
        }
    }
    let mut runs: Vec<(Style, String)> = Vec::new();
    for (style, piece) in pieces {
        let text = match piece {
            Piece::Letters(letters) => escape_lines(&letters),
            Piece::Markdown(markdown) => markdown,
        };
        match runs.last_mut() {
            Some((last, run)) if *last == style => run.push_str(&text),
            _ => runs.push((style, text)),
        }
    }
    runs.iter()
        .map(|(style, run)| styled(*style, run))
        .collect()
}

enum Piece {
    Letters(String),
    Markdown(String),
}

fn text_of(element: Node<'_>) -> String {
    let named = |sign: char, key: &str| format!("{sign}{}", escape_line(&element.at(key).text()));
    match element.at("type").str() {
        "text" => code_line(&element.at("text").text()),
        "link" => web_link(element.at("text").str(), element.at("url").str()),
        "user" => named('@', "user_id"),
        "usergroup" => named('@', "usergroup_id"),
        "team" => named('@', "team_id"),
        "channel" => named('#', "channel_id"),
        "broadcast" => named('@', "range"),
        "color" => escape_line(&element.at("value").text()),
        "emoji" => {
            let name = element.at("name").str();
            emoji(name).unwrap_or_else(|| format!(":{}:", escape_line(name)))
        }
        "date" => match element.at("fallback").str() {
            "" => element
                .at("timestamp")
                .number()
                .map(unix_time)
                .unwrap_or_default(),
            fallback => escape_lines(fallback),
        },
        _ => match element.at("text").str() {
            "" => code_line(&element.value().map(ToString::to_string).unwrap_or_default()),
            text => escape_lines(text),
        },
    }
}

/// The letters of a text; a sign at its end must not make a mention of what follows, and a tilde not end what is struck.
fn escape_lines(text: &str) -> String {
    let mut escaped = text
        .split('\n')
        .map(escape_line)
        .collect::<Vec<_>>()
        .join("\n")
        .replace('~', "&#126;");
    let signs = escaped.trim_end_matches('_').len();
    if let Some(sign) = escaped[..signs]
        .chars()
        .next_back()
        .filter(|sign| "@#".contains(*sign))
    {
        escaped.replace_range(signs - 1..signs, &format!("&#{};", u32::from(sign)));
    }
    escaped
}

/// Emphasis of each line, with white space outside of the signs.
fn styled(style: Style, text: &str) -> String {
    let styled = text.split('\n').map(|line| {
        let inner = line.trim();
        let start = line.len() - line.trim_start().len();
        if inner.is_empty() {
            return line.to_owned();
        }
        let end = &line[start + inner.len()..];
        let mut signs = String::new();
        for (is_on, sign) in [
            (style.strike, "~~"),
            (style.bold, "**"),
            (style.italic, "*"),
        ] {
            signs.push_str(if is_on { sign } else { "" });
        }
        let back: String = signs.chars().rev().collect();

        format!("{}{signs}{inner}{back}{end}", &line[..start])
    });
    styled.collect::<Vec<_>>().join("\n")
}
