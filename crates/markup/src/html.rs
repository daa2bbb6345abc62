//! The HTML writer, the only module that produces HTML text.
//!
//! Owns escaping: names of tags and attributes are literals of this crate, everything else passes an escaping method,
//! so that markup of a user cannot reach the output. (docs/protocol/markdown.md#output)

/// An attribute: its name and its value, or no value (`controls`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) name: &'static str,
    pub(crate) value: Option<String>,
}

impl Attribute {
    pub(crate) fn new(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: Some(value.into()),
        }
    }
}

/// Accumulates an HTML fragment.
#[derive(Default)]
pub(crate) struct HtmlWriter {
    html: String,
}

impl HtmlWriter {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            html: String::with_capacity(bytes),
        }
    }

    pub(crate) fn finish(self) -> String {
        self.html
    }

    /// Opens an element without attributes.
    pub(crate) fn open(&mut self, tag: &'static str) {
        self.open_with(tag, &[]);
    }

    /// Opens an element; attributes appear in the order given.
    pub(crate) fn open_with(&mut self, tag: &'static str, attributes: &[Attribute]) {
        self.html.push('<');
        self.html.push_str(tag);
        for attribute in attributes {
            self.html.push(' ');
            self.html.push_str(attribute.name);
            if let Some(value) = &attribute.value {
                self.html.push_str("=\"");
                self.escape(value, Entities::Keep, "\"");
                self.html.push('"');
            }
        }
        self.html.push('>');
    }

    pub(crate) fn close(&mut self, tag: &'static str) {
        self.html.push_str("</");
        self.html.push_str(tag);
        self.html.push('>');
    }

    pub(crate) fn newline(&mut self) {
        self.html.push('\n');
    }

    /// Running text: entities and quotes are kept.
    pub(crate) fn text(&mut self, text: &str) {
        self.escape(text, Entities::Keep, "");
    }

    /// Literal text: code spans and formulas.
    pub(crate) fn verbatim(&mut self, text: &str) {
        self.escape(text, Entities::Escape, "");
    }

    /// Content of a code block, where quotes are escaped as well.
    pub(crate) fn code(&mut self, text: &str) {
        self.escape(text, Entities::Escape, "\"'");
    }

    fn escape(&mut self, text: &str, entities: Entities, quotes: &str) {
        crate::steps::spend(text.len());
        let mut copied = 0;
        for (at, byte) in text.bytes().enumerate() {
            let replacement = match byte {
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'&' if entities == Entities::Escape => "&amp;",
                b'&' if !begins_entity(text.get(at..).unwrap_or_default()) => "&amp;",
                b'"' if quotes.contains('"') => "&quot;",
                b'\'' if quotes.contains('\'') => "&#39;",
                _ => continue,
            };
            self.html.push_str(text.get(copied..at).unwrap_or_default());
            self.html.push_str(replacement);
            copied = at + 1;
        }
        self.html.push_str(text.get(copied..).unwrap_or_default());
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Entities {
    Keep,
    Escape,
}

/// No entity of HTML is longer, so the search for its end is bounded.
const LONGEST_ENTITY: usize = 33;

/// Whether `text` begins with something of entity form: `&x;`, `&#65;`, `&#x41;`.
fn begins_entity(text: &str) -> bool {
    let body = text.as_bytes().get(1..).unwrap_or_default();
    let window = body.get(..LONGEST_ENTITY).unwrap_or(body);
    let Some(end) = window.iter().position(|byte| *byte == b';') else {
        return false;
    };
    let name = window.get(..end).unwrap_or_default();
    match name {
        [b'#', b'x' | b'X', hex @ ..] => !hex.is_empty() && hex.iter().all(u8::is_ascii_hexdigit),
        [b'#', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut HtmlWriter)) -> String {
        let mut writer = HtmlWriter::default();
        write(&mut writer);
        writer.finish()
    }

    #[test]
    fn text_keeps_entities_and_quotes() {
        let html = written(|w| w.text("a<b> & &copy; &#65; &#x41; &x; &; &#; &#x; \"'"));
        assert_eq!(
            html,
            "a&lt;b&gt; &amp; &copy; &#65; &#x41; &x; &amp;; &amp;#; &amp;#x; \"'"
        );
    }

    #[test]
    fn code_escapes_everything() {
        assert_eq!(
            written(|w| w.code("<&lt;\"'>")),
            "&lt;&amp;lt;&quot;&#39;&gt;"
        );
        assert_eq!(written(|w| w.verbatim("&lt;\"")), "&amp;lt;\"");
    }

    #[test]
    fn attribute_values_cannot_end_early() {
        let attributes = [Attribute::new("href", "\"><script>")];
        assert_eq!(
            written(|w| w.open_with("a", &attributes)),
            "<a href=\"&quot;&gt;&lt;script&gt;\">"
        );
    }

    #[test]
    fn an_endless_entity_is_not_searched_for() {
        let text = format!("&{};", "a".repeat(LONGEST_ENTITY + 1));
        assert!(written(|w| w.text(&text)).starts_with("&amp;a"));
    }
}
