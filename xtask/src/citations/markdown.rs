//! The little of Markdown that citations need: what is code, and what anchors a document has.

use std::collections::BTreeSet;

/// The text with spaces in the place of code: fenced blocks, and spans within a paragraph.
pub(crate) fn without_code(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut paragraph = String::new();
    let mut is_fenced = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if is_fence || is_fenced || line.trim().is_empty() {
            result.push_str(&without_spans(&paragraph));
            paragraph.clear();
            result.push('\n');
        } else {
            paragraph.push_str(line);
            paragraph.push('\n');
        }
        is_fenced ^= is_fence;
    }
    result.push_str(&without_spans(&paragraph));
    result
}

fn without_spans(paragraph: &str) -> String {
    let mut result = String::with_capacity(paragraph.len());
    let mut rest = paragraph;
    while let Some(start) = rest.find('`') {
        let (before, opened) = rest.split_at(start);
        result.push_str(before);
        let ticks = opened.len() - opened.trim_start_matches('`').len();
        let (fence, inside) = opened.split_at(ticks);
        let Some(length) = end_of_span(inside, fence) else {
            result.push_str(fence);
            rest = inside;
            continue;
        };
        let (code, behind) = inside.split_at(length);
        result.extend(code.chars().filter(|part| *part == '\n'));
        result.push(' ');
        rest = behind.get(ticks..).unwrap_or_default();
    }
    result.push_str(rest);
    result
}

/// Where a run of exactly these backticks begins.
fn end_of_span(inside: &str, fence: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = inside.get(from..)?.find('`') {
        let start = from + found;
        let run = inside.get(start..)?;
        let ticks = run.len() - run.trim_start_matches('`').len();
        if ticks == fence.len() {
            return Some(start);
        }
        from = start + ticks;
    }
    None
}

/// What can follow `#`: explicit anchors, and the anchors that headings get on the web.
pub(super) fn anchors_of(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut is_fenced = false;
    for line in text.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        if is_fenced {
            continue;
        }
        for (start, opening) in line.match_indices("<a id=\"") {
            let rest = line.get(start + opening.len()..).unwrap_or_default();
            anchors.extend(rest.split('"').next().map(str::to_owned));
        }
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() && heading.starts_with(' ') {
            anchors.insert(slug(heading));
        }
    }
    anchors
}

/// The anchor of a heading: lower case, without punctuation, with hyphens for spaces.
fn slug(heading: &str) -> String {
    heading
        .trim()
        .chars()
        .filter_map(|part| match part {
            ' ' => Some('-'),
            '-' | '_' => Some(part),
            _ if part.is_alphanumeric() => Some(part),
            _ => None,
        })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_written_out_or_made_of_headings() {
        let text = "# Changing (PATCH /streams/{stream_id})\n<a id=\"x-y\"></a><a id=\"z_1\"></a>\n\
                    ```sh\n# a comment\n```\n#no heading";
        let anchors = anchors_of(text);
        let expected = ["changing-patch-streamsstream_id", "x-y", "z_1"];
        assert_eq!(anchors, expected.map(str::to_owned).into());
    }
}
