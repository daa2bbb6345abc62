//! Tables for spreadsheets: comma-separated values with a line of headings.

/// Writes lines of fields as CSV (RFC 4180), without the end of the last line.
pub(super) fn write(lines: impl IntoIterator<Item = Vec<String>>) -> String {
    let lines = lines.into_iter().map(|fields| {
        let fields: Vec<String> = fields.iter().map(|field| written(field)).collect();
        fields.join(",")
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A spreadsheet would calculate what begins like a formula, and people choose their names.
fn written(field: &str) -> String {
    let harmless = if field.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{field}")
    } else {
        field.to_owned()
    };
    if harmless.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", harmless.replace('"', "\"\""));
    }
    harmless
}

#[cfg(test)]
mod tests {
    use super::write;

    #[test]
    fn fields_are_quoted_and_never_formulas() {
        let line = ["a", "b, c", "say \"x\"", "=1+2", "two\nlines"].map(str::to_owned);
        let expected = "a,\"b, c\",\"say \"\"x\"\"\",'=1+2,\"two\nlines\"";
        assert_eq!(write([line.to_vec()]), expected);
    }
}
