//! Quotes and lists in texts of Slack, which are a matter of lines.

/// Slack's bullets of list items, by level.
const BULLETS: [char; 3] = ['•', '◦', '▪'];

/// A text whose quotes and lists are those of Markdown.
pub(super) fn lines(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let (mut was_quote, mut all_quoted) = (false, false);
    for line in text.split('\n') {
        if all_quoted {
            out.push(format!("> {}", point(line)));
            continue;
        }
        if let Some(rest) = line.strip_prefix(">>>") {
            all_quoted = true;
            out.push(format!("> {}", rest.trim_start()));
            continue;
        }
        let is_quote = line.starts_with('>');
        // Markdown would take the next line for a part of the quote.
        if was_quote && !is_quote && !line.trim().is_empty() {
            out.push(String::new());
        }
        was_quote = is_quote;
        out.push(point(line));
    }
    out.join("\n")
}

/// A line that begins with a bullet as a point of a list.
fn point(line: &str) -> String {
    let trimmed = line.trim_start();
    let indent = line.len() - trimmed.len();
    let Some(behind) = trimmed.strip_prefix(BULLETS) else {
        return line.to_owned();
    };
    let behind = behind.trim_start_matches('\u{fe0e}');
    match behind.strip_prefix([' ', '\u{a0}', '\t']) {
        Some(point) => format!("{}- {}", "  ".repeat(indent / 4), point.trim_start()),
        None => line.to_owned(),
    }
}
