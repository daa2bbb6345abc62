//! Fenced blocks: quotes, spoilers, formulas and code between lines of backticks or tildes.
//!
//! Owns the division of a text into plain lines and (nested) fences, in one pass over the lines. Must not
//! interpret plain lines. (docs/protocol/markdown.md#fences)

/// Deeper fences are plain lines, which bounds recursion.
const MAX_DEPTH: usize = 8;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Segment<'t> {
    Line(&'t str),
    Fence(Fence<'t>),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fence<'t> {
    pub(crate) kind: FenceKind<'t>,
    /// The content; only plain lines unless the kind is a quote or a spoiler.
    pub(crate) contents: Vec<Segment<'t>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FenceKind<'t> {
    Quote,
    Spoiler { header: &'t str },
    Math,
    Code { language: &'t str },
}

impl FenceKind<'_> {
    fn holds_blocks(&self) -> bool {
        matches!(self, Self::Quote | Self::Spoiler { .. })
    }
}

impl<'t> Fence<'t> {
    /// The lines of a code or formula fence.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'t str> {
        self.contents.iter().filter_map(|segment| match segment {
            Segment::Line(line) => Some(*line),
            Segment::Fence(_) => None,
        })
    }
}

/// A fence whose end has not been reached.
struct Open<'t> {
    marker: &'t str,
    fence: Fence<'t>,
}

/// Divides lines into plain ones and fences; unclosed fences end with the text.
pub(crate) fn divide<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<Segment<'t>> {
    let (mut top, mut stack) = read(lines);
    close_down_to(0, &mut stack, &mut top);
    top
}

/// The lines that close the fences which a text leaves open, in their order. Markdown that follows them is outside of all
/// fences.
#[must_use]
pub fn closing_lines(markdown: &str) -> Vec<&str> {
    let (_, stack) = read(markdown.split('\n'));
    stack.iter().rev().map(|open| open.marker).collect()
}

/// Divides lines; fences that are still open at the end are returned separately, the outermost first.
fn read<'t>(lines: impl Iterator<Item = &'t str>) -> (Vec<Segment<'t>>, Vec<Open<'t>>) {
    let mut top = Vec::new();
    let mut stack: Vec<Open<'t>> = Vec::new();
    for line in lines {
        crate::steps::spend(line.len() + stack.len());
        let trimmed = line.trim_end();
        if let Some(level) = closed_level(&stack, trimmed) {
            close_down_to(level, &mut stack, &mut top);
            continue;
        }
        let may_open = stack.len() < MAX_DEPTH
            && stack
                .last()
                .is_none_or(|open| open.fence.kind.holds_blocks());
        match read_opening(trimmed).filter(|_| may_open) {
            Some((marker, kind)) => {
                let contents = Vec::new();
                let fence = Fence { kind, contents };
                stack.push(Open { marker, fence });
            }
            None => add(Segment::Line(line), &mut stack, &mut top),
        }
    }
    (top, stack)
}

/// The open fence that the line closes, if any; closing an outer one also closes those inside it.
fn closed_level(stack: &[Open<'_>], trimmed: &str) -> Option<usize> {
    stack.iter().rposition(|open| open.marker == trimmed)
}

fn close_down_to<'t>(level: usize, stack: &mut Vec<Open<'t>>, top: &mut Vec<Segment<'t>>) {
    while stack.len() > level {
        if let Some(open) = stack.pop() {
            add(Segment::Fence(open.fence), stack, top);
        }
    }
}

fn add<'t>(segment: Segment<'t>, stack: &mut [Open<'t>], top: &mut Vec<Segment<'t>>) {
    match stack.last_mut() {
        Some(open) => open.fence.contents.push(segment),
        None => top.push(segment),
    }
}

/// The marker and kind of the fence that a line opens.
fn read_opening(line: &str) -> Option<(&str, FenceKind<'_>)> {
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let after = line.trim_start_matches(sign);
    let marker = line.get(..line.len() - after.len())?;
    if marker.len() < 3 || after.contains(['`', '~']) {
        return None;
    }
    let after = after.trim_start_matches(' ');
    // `{.py}`, `.py` and `py` mean the same.
    let after = match after.strip_prefix('{') {
        Some(braced) => braced
            .strip_suffix('}')
            .filter(|braced| !braced.is_empty())?,
        None => after,
    };
    let after = match after.strip_prefix('.') {
        Some(undotted) if !undotted.is_empty() => undotted,
        _ => after,
    };
    let (language, rest) = after.split_at(after.find([' ', '}']).unwrap_or(after.len()));
    let is_language_character =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '-' | '.' | '/' | '#');
    if !language.chars().all(is_language_character) {
        return None;
    }
    let kind = match language.to_lowercase().as_str() {
        "quote" | "quoted" => FenceKind::Quote,
        "spoiler" => FenceKind::Spoiler {
            header: rest.trim(),
        },
        "math" => FenceKind::Math,
        _ => FenceKind::Code { language },
    };
    Some((marker, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<'t>(language: &'t str, lines: &[&'t str]) -> Segment<'t> {
        Segment::Fence(Fence {
            kind: FenceKind::Code { language },
            contents: lines.iter().map(|line| Segment::Line(line)).collect(),
        })
    }

    #[test]
    fn fences_are_found_at_column_zero_only() {
        let text = "a\n```rs x\nb\n``` \n ```\n~~~~\n~~~\n~~~~\nc";
        let expected = [
            Segment::Line("a"),
            code("rs", &["b"]),
            Segment::Line(" ```"),
            code("", &["~~~"]),
            Segment::Line("c"),
        ];
        assert_eq!(divide(text.lines()), expected);
        assert_eq!(divide("```a`".lines()), [Segment::Line("```a`")]);
        assert_eq!(divide("``".lines()), [Segment::Line("``")]);
        for opening in [
            "```{.js}",
            "```{js}",
            "```.js ",
            "~~~ .js x",
            "```{.js linenos}",
        ] {
            let text = format!("{opening}\nx");
            assert_eq!(divide(text.lines()), [code("js", &["x"])], "{opening}");
        }
        for text in ["```{}", "```{.js", "```.", "```{"] {
            let found = divide(text.lines());
            let is_fence = matches!(found.as_slice(), [Segment::Fence(_)]);
            assert_eq!(is_fence, text == "```.", "{text}");
        }
    }

    #[test]
    fn fences_nest_in_quotes() {
        let text = "```quote\n```rs\nx\n```\ny\n```\nz";
        let expected = [
            Segment::Fence(Fence {
                kind: FenceKind::Quote,
                contents: vec![code("rs", &["x"]), Segment::Line("y")],
            }),
            Segment::Line("z"),
        ];
        assert_eq!(divide(text.lines()), expected);
    }

    #[test]
    fn an_enclosing_fence_ends_an_unclosed_one() {
        let text = "````quote\n```rs\nx\n````\ny";
        let expected = [
            Segment::Fence(Fence {
                kind: FenceKind::Quote,
                contents: vec![code("rs", &["x"])],
            }),
            Segment::Line("y"),
        ];
        assert_eq!(divide(text.lines()), expected);
    }

    #[test]
    fn open_fences_are_closed_from_the_inside() {
        for (text, lines) in [
            ("a", &[][..]),
            ("```\na\n```", &[]),
            ("```", &["```"]),
            ("~~~~ rs \n```\n~~~", &["~~~~"]),
            ("````quote\n```rs\nx", &["```", "````"]),
            ("```quote\n```\n```quote\n```spoiler a\nx", &["```", "```"]),
            ("```quote\n```rs\nx\n```\ny", &["```"]),
        ] {
            assert_eq!(closing_lines(text), lines, "{text}");
            let closed = format!("{text}\n{}", lines.join("\n"));
            assert_eq!(closing_lines(&closed), [""; 0], "{text}");
            let outside = format!("{closed}\nz");
            assert_eq!(divide(outside.lines()).last(), Some(&Segment::Line("z")));
        }
        assert_eq!(closing_lines(&"```quote\n".repeat(1000)).len(), MAX_DEPTH);
    }

    #[test]
    fn depth_is_bounded() {
        fn depth(segments: &[Segment<'_>]) -> usize {
            segments
                .iter()
                .map(|segment| match segment {
                    Segment::Line(_) => 0,
                    Segment::Fence(fence) => 1 + depth(&fence.contents),
                })
                .max()
                .unwrap_or(0)
        }
        let text = "```quote\n".repeat(1000);
        assert_eq!(depth(&divide(text.lines())), MAX_DEPTH);
    }
}
