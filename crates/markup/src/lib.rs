//! Message markup: the service's Markdown to safe HTML, in two phases.
//!
//! [`references`] returns the names that a content refers to; the caller resolves them in one query and fills
//! a [`Directory`]; [`render`] converts the content to HTML and returns the mentions. Also: links of topics,
//! alert words. The crate must not read a database or a clock, and must not check permissions. It does not
//! panic, its running time is linear in the content, and its recursion is bounded.
//! (docs/protocol/markdown.md, docs/protocol/limits.md#text)

mod alert_words;
mod block;
mod context;
mod destination;
mod emoji_name;
mod fence;
#[cfg(feature = "fuzzing")]
pub mod fuzz;
mod html;
mod inline;
mod languages;
mod limits;
#[cfg(feature = "linkifiers")]
mod linkifier;
mod media;
mod node;
mod outcome;
mod plain;
mod preprocess;
mod preview;
mod references;
mod render;
#[cfg(feature = "linkifiers")]
mod reverse_template;
mod scripts;
mod steps;
mod syntax;
#[cfg(feature = "linkifiers")]
mod template;
#[cfg(feature = "linkifiers")]
mod topic_links;

pub use alert_words::{AlertText, continuation};
pub use context::{
    Context, CustomEmoji, Directory, UploadedFile, UploadedFiles, User, UserGroup, fold_name,
    fold_topic,
};
pub use fence::closing_lines;
pub use limits::MAX_RENDERED_LENGTH;
#[cfg(feature = "linkifiers")]
pub use linkifier::{
    Linkifier, LinkifierError, PatternError, ReverseError, SearchBudget, check_example,
    check_pattern, check_url_template, url_template_variables,
};
pub use plain::{MentionedIn, mentioned_in, plain_text};
pub use references::{References, references};
pub use render::{Rendered, render, render_inline};
#[cfg(feature = "linkifiers")]
pub use reverse_template::ReverseTemplateError;
#[cfg(feature = "linkifiers")]
pub use template::TemplateError;
#[cfg(feature = "linkifiers")]
pub use topic_links::{TopicLink, render_topic_links};
