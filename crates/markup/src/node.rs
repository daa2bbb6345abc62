//! The tree of inline markup inside one block, and its output.
//!
//! Owns the result of inline parsing, which later steps (media previews) read. Must not contain finished
//! HTML: text stays text until the writer escapes it.

use crate::html::{Attribute, HtmlWriter};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// Running text, in which entities are kept.
    Text(String),
    /// Literal text: code and formulas.
    Verbatim(String),
    Element(Element),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) tag: &'static str,
    /// Sorted by name, as the output requires, except for formulas.
    attributes: Vec<Attribute>,
    pub(crate) children: Vec<Node>,
}

impl Element {
    pub(crate) fn new(tag: &'static str) -> Self {
        Self {
            tag,
            attributes: Vec::new(),
            children: Vec::new(),
        }
    }

    /// An element around plain running text.
    pub(crate) fn with_text(tag: &'static str, text: impl Into<String>) -> Self {
        Self::new(tag).child(Node::Text(text.into()))
    }

    pub(crate) fn attribute(self, name: &'static str, value: impl Into<String>) -> Self {
        self.insert(Attribute::new(name, value))
    }

    /// Appends an attribute, for elements whose attributes are not in alphabetical order.
    pub(crate) fn attribute_behind(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.attributes.push(Attribute::new(name, value));
        self
    }

    /// An attribute that has no value.
    pub(crate) fn flag(self, name: &'static str) -> Self {
        self.insert(Attribute { name, value: None })
    }

    fn insert(mut self, attribute: Attribute) -> Self {
        let at = self
            .attributes
            .partition_point(|present| present.name <= attribute.name);
        self.attributes.insert(at, attribute);
        self
    }

    pub(crate) fn child(mut self, node: Node) -> Self {
        self.children.push(node);
        self
    }

    pub(crate) fn children(mut self, nodes: Vec<Node>) -> Self {
        self.children = nodes;
        self
    }

    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
            .and_then(|attribute| attribute.value.as_deref())
    }

    pub(crate) fn into_node(self) -> Node {
        Node::Element(self)
    }

    fn is_void(&self) -> bool {
        matches!(self.tag, "br" | "img")
    }

    pub(crate) fn write(&self, writer: &mut HtmlWriter) {
        writer.open_with(self.tag, &self.attributes);
        if !self.is_void() {
            write_nodes(&self.children, writer);
            writer.close(self.tag);
        }
    }
}

pub(crate) fn write_nodes(nodes: &[Node], writer: &mut HtmlWriter) {
    for node in nodes {
        match node {
            Node::Text(text) => writer.text(text),
            Node::Verbatim(text) => writer.verbatim(text),
            Node::Element(element) => element.write(writer),
        }
    }
}

/// The text a reader sees, without any markup.
pub(crate) fn text_of(nodes: &[Node]) -> String {
    let mut text = String::new();
    collect_text(nodes, &mut text);
    text
}

fn collect_text(nodes: &[Node], text: &mut String) {
    for node in nodes {
        match node {
            Node::Text(part) | Node::Verbatim(part) => text.push_str(part),
            Node::Element(element) => collect_text(&element.children, text),
        }
    }
}

/// Calls `visit` for every element, outer ones first, in the order of the text.
pub(crate) fn visit_elements<'n>(nodes: &'n [Node], visit: &mut impl FnMut(&'n Element)) {
    for node in nodes {
        if let Node::Element(element) = node {
            visit(element);
            visit_elements(&element.children, visit);
        }
    }
}
