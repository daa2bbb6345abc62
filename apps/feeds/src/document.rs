//! Reads RSS 0.9, 1.0 and 2.0, and Atom.
//!
//! Entities are the predefined ones and numbers: what a document declares is not read, so nothing can grow. Depth and
//! namespaces are bounded, since a call of an app has a second.

use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use crate::dates;
use crate::plain::{one_line, plain};

const MAX_DEPTH: usize = 64;
/// Namespaces that the outermost element declares, and then each other one.
const MAX_NAMESPACES: [usize; 2] = [64, 4];
const MAX_ENTRIES: usize = 1_000;
const MAX_TITLE: usize = 300;
const MAX_SUMMARY: usize = 1_000;
const NO_FEED: &str = "it is not an RSS or Atom feed";

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Document {
    /// One line of plain text, as all titles and summaries.
    pub(crate) title: String,
    /// In the order of the document.
    pub(crate) entries: Vec<Entry>,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    id: String,
    pub(crate) link: String,
    pub(crate) title: String,
    pub(crate) summary: String,
    /// UNIX seconds.
    date: Option<i64>,
}

/// What the text of an element is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    FeedTitle,
    Title,
    Link,
    /// An identifier that is also an address, unless it says otherwise.
    Guid,
    Id,
    Summary,
    Content,
    Date,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    /// RSS, which has none, RSS 1.0 or Atom.
    Feed,
    DublinCore,
    Content,
    Other,
}

impl Document {
    /// # Errors
    ///
    /// Why the document is not a feed. It ends a sentence.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        Parser::default().run(text)
    }

    /// The newest entries first: by date if each has one, otherwise as the document has them.
    pub(crate) fn newest(&self, most: usize) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        if entries.iter().all(|entry| entry.date.is_some()) {
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.date));
        }
        entries.truncate(most);
        entries
    }
}

impl Entry {
    /// A short name of the entry: equal for the same entry of a later document.
    pub(crate) fn hash(&self) -> String {
        let own;
        let name = match (self.id.is_empty(), self.link.is_empty()) {
            (false, _) => &self.id,
            (true, false) => &self.link,
            (true, true) => {
                own = format!("{}\n{}", self.title, self.summary);
                &own
            }
        };
        // FNV-1a; the document of a stranger only has entries of the same stranger.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{:012x}", hash >> 16)
    }
}

#[derive(Default)]
struct Parser {
    document: Document,
    is_feed: bool,
    /// Elements that are open.
    depth: usize,
    /// The entry that is open, and its depth.
    entry: Option<(usize, Entry)>,
    /// The field that the parser collects, the depth of its element, and whether it is HTML.
    field: Option<(Field, usize, bool)>,
    text: String,
}

impl Parser {
    fn run(mut self, text: &str) -> Result<Document, &'static str> {
        let mut reader = NsReader::from_str(text.trim_start());
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        let [root, others] = MAX_NAMESPACES;
        reader.resolver_mut().set_max_declarations_per_element(root);
        loop {
            let (space, event) = reader.read_resolved_event().map_err(|_| NO_FEED)?;
            let space = Space::of(&space);
            match event {
                Event::Start(start) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err("its elements are nested too deeply");
                    }
                    self.start(space, &start)?;
                    reader
                        .resolver_mut()
                        .set_max_declarations_per_element(others);
                }
                Event::End(_) => {
                    self.end();
                    self.depth = self.depth.saturating_sub(1);
                }
                Event::Text(text) => self.add(&text.decode().map_err(|_| NO_FEED)?),
                Event::CData(text) => self.add(&text.decode().map_err(|_| NO_FEED)?),
                Event::GeneralRef(name) => {
                    let letter = name.resolve_char_ref().ok().flatten();
                    let name = name.decode().map_err(|_| NO_FEED)?;
                    match (letter, quick_xml::escape::resolve_xml_entity(&name)) {
                        (Some(letter), _) => self.add(letter.encode_utf8(&mut [0; 4])),
                        (None, Some(text)) => self.add(text),
                        // Many feeds use entities of HTML without declaring them; `plain` resolves those.
                        (None, None) => self.add(&format!("&{name};")),
                    }
                }
                Event::Eof => break,
                Event::Empty(_)
                | Event::Comment(_)
                | Event::Decl(_)
                | Event::PI(_)
                | Event::DocType(_) => {}
            }
        }
        // A document that ends early has lost entries, and may have cut one.
        if self.is_feed && self.depth == 0 {
            Ok(self.document)
        } else {
            Err(NO_FEED)
        }
    }

    fn start(&mut self, space: Space, start: &BytesStart<'_>) -> Result<(), &'static str> {
        let name = start.local_name();
        let name = name.as_ref();
        if self.depth == 1 {
            self.is_feed = matches!(name, b"rss" | b"RDF" | b"feed");
            return match self.is_feed {
                true => Ok(()),
                false => Err(NO_FEED),
            };
        }
        if self.field.is_some() {
            // An element of XHTML separates words.
            self.add(" ");
            return Ok(());
        }
        let is_entry = space == Space::Feed && matches!(name, b"item" | b"entry");
        let Some((at, entry)) = &mut self.entry else {
            if is_entry && self.depth <= 3 {
                let id = attribute(start, b"about").unwrap_or_default();
                let entry = Entry {
                    id,
                    ..Entry::default()
                };
                self.entry = Some((self.depth, entry));
            } else if space == Space::Feed && name == b"title" && self.depth <= 3 {
                self.collect(Field::FeedTitle, start);
            }
            return Ok(());
        };
        if self.depth != *at + 1 {
            return Ok(());
        }
        let field = match (space, name) {
            (Space::Feed, b"title") => Field::Title,
            (Space::Feed, b"link") => match attribute(start, b"href") {
                // Of several links of Atom, the one of the entry itself.
                Some(href) => {
                    let is_own = attribute(start, b"rel").is_none_or(|rel| rel == "alternate");
                    if is_own && entry.link.is_empty() {
                        entry.link = href.trim().to_owned();
                    }
                    return Ok(());
                }
                None => Field::Link,
            },
            (Space::Feed, b"guid") => match attribute(start, b"isPermaLink").as_deref() {
                Some("false") => Field::Id,
                _ => Field::Guid,
            },
            (Space::Feed, b"id") => Field::Id,
            (Space::Feed, b"description" | b"summary") => Field::Summary,
            (Space::Feed, b"content") | (Space::Content, b"encoded") => Field::Content,
            (Space::Feed, b"pubDate" | b"published" | b"updated")
            | (Space::DublinCore, b"date") => Field::Date,
            _ => return Ok(()),
        };
        self.collect(field, start);
        Ok(())
    }

    fn collect(&mut self, field: Field, start: &BytesStart<'_>) {
        // RSS has HTML everywhere, Atom where it says so; the elements of XHTML are passed over here.
        let is_html =
            attribute(start, b"type").is_none_or(|kind| kind == "html" || kind == "text/html");
        self.text.clear();
        self.field = Some((field, self.depth, is_html));
    }

    fn add(&mut self, text: &str) {
        if self.field.is_some() {
            self.text.push_str(text);
        }
    }

    fn end(&mut self) {
        match self.field {
            Some((field, depth, is_html)) if depth == self.depth => {
                self.field = None;
                let text = std::mem::take(&mut self.text);
                self.finish(field, &text, is_html);
            }
            Some(_) => self.add(" "),
            None => {}
        }
        if let Some((at, entry)) = self.entry.take() {
            if at != self.depth {
                self.entry = Some((at, entry));
            } else if self.document.entries.len() < MAX_ENTRIES {
                self.document.entries.push(entry);
            }
        }
    }

    fn finish(&mut self, field: Field, text: &str, is_html: bool) {
        let line = |most: usize| match is_html {
            true => plain(text, most),
            false => one_line(text, most),
        };
        let title = &mut self.document.title;
        let Some((_, entry)) = &mut self.entry else {
            // The image of an RSS feed also has a title, which follows the feed's own.
            if field == Field::FeedTitle && title.is_empty() {
                *title = line(100);
            }
            return;
        };
        let text = text.trim();
        match field {
            Field::FeedTitle => {}
            Field::Title => entry.title = line(MAX_TITLE),
            Field::Link => text.clone_into(&mut entry.link),
            Field::Guid => {
                text.clone_into(&mut entry.id);
                if entry.link.is_empty() {
                    text.clone_into(&mut entry.link);
                }
            }
            Field::Id => text.clone_into(&mut entry.id),
            Field::Summary => entry.summary = line(MAX_SUMMARY),
            Field::Content => {
                if entry.summary.is_empty() {
                    entry.summary = line(MAX_SUMMARY);
                }
            }
            // An entry may have the times of its publication and of its last change. The earlier one is its date.
            Field::Date => {
                let date = dates::parse(text);
                entry.date = match (entry.date, date) {
                    (Some(first), Some(second)) => Some(first.min(second)),
                    (first, second) => first.or(second),
                };
            }
        }
    }
}

impl Space {
    fn of(found: &ResolveResult<'_>) -> Self {
        match found {
            ResolveResult::Unbound => Self::Feed,
            ResolveResult::Bound(space) => match space.as_ref() {
                b"http://www.w3.org/2005/Atom"
                | b"http://purl.org/rss/1.0/"
                | b"http://my.netscape.com/rdf/simple/0.9/"
                | b"http://backend.userland.com/rss2" => Self::Feed,
                b"http://purl.org/dc/elements/1.1/" => Self::DublinCore,
                b"http://purl.org/rss/1.0/modules/content/" => Self::Content,
                _ => Self::Other,
            },
            ResolveResult::Unknown(_) => Self::Other,
        }
    }
}

/// The attribute of this local name.
fn attribute(start: &BytesStart<'_>, name: &[u8]) -> Option<String> {
    let mut all = start.attributes();
    let found = (all.with_checks(false).flatten())
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    let text = std::str::from_utf8(&found.value).ok()?;
    Some(match quick_xml::escape::unescape(text) {
        Ok(text) => text.into_owned(),
        Err(_) => text.to_owned(),
    })
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
