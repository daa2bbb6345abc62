//! Blocks of code between fences, which end otherwise here: with a line equal to the first, at its beginning.

/// A fence that has begun a block of code.
pub(super) struct Fence<'l> {
    pub(super) marker: &'l str,
    /// Bytes of white space in front of it.
    indent: usize,
}

impl<'l> Fence<'l> {
    /// The fence in a line. Behind more than three spaces it is only one within a point of a list.
    pub(super) fn of(line: &'l str, is_list: bool) -> Option<Self> {
        let rest = line.trim_start();
        let indent = line.len() - rest.len();
        let sign = rest.chars().next().filter(|it| matches!(it, '`' | '~'))?;
        let behind = rest.trim_start_matches(sign);
        let marker = rest.get(..rest.len() - behind.len())?;
        // Code within a line has no fence.
        let is_one = marker.len() >= 3 && !behind.contains(sign) && (indent < 4 || is_list);
        is_one.then_some(Self { marker, indent })
    }

    /// Whether a line ends the block: it holds the same sign at least as often, and nothing else.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.marker.len() && line.chars().all(|it| self.marker.starts_with(it))
    }

    /// A line of the block, without the indentation of its fence. Here it ends with the very fence it began with.
    pub(super) fn line(&self, line: &str) -> String {
        let end = if line.ends_with('\n') { "\n" } else { "" };
        if self.is_closed_by(line) {
            return format!("{}{end}", self.marker);
        }
        let spaces = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(spaces.min(self.indent)..)
            .unwrap_or_default()
            .to_owned()
    }
}

/// Whether a line is a point of a list.
pub(super) fn is_point(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.len()
        - line
            .trim_start_matches(|it: char| it.is_ascii_digit())
            .len();
    let behind = match digits {
        0 => line.strip_prefix(['-', '*', '+']),
        _ => line
            .get(digits..)
            .and_then(|it| it.strip_prefix(['.', ')'])),
    };
    behind.is_some_and(|behind| behind.starts_with([' ', '\t']))
}

/// Whether a line that is no point ends a list.
pub(super) fn begins_paragraph(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with([' ', '\t'])
}

/// The line that begins a block of code; formulas have another name here.
pub(super) fn first_line(line: &str, marker: &str) -> String {
    let language = line.get(marker.len()..).unwrap_or_default();
    match language.trim() {
        "latex" | "tex" => format!("{marker}math\n"),
        _ => format!("{marker}{}", language.trim_start_matches([' ', '\t'])),
    }
}
