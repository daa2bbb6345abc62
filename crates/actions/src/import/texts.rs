//! Normalizes the texts of an archive (docs/protocol/limits.md#printable).
//!
//! Where an operation would refuse a character, the import removes it and counts the row.

use std::borrow::Cow;

use serde_json::Value;

use super::Import;
use super::row::Columns;
use crate::stored_text::{BLOCK, LINE, NAME, Stored, free_name};

/// Columns with text that clients receive.
const COLUMNS: &[(&str, &[(&str, Stored)])] = &[
    ("zerver_realm", DESCRIBED),
    ("zerver_userprofile", &[("full_name", NAME)]),
    ("zerver_userprofile_mirrordummy", &[("full_name", NAME)]),
    ("zerver_client", &[("name", LINE)]),
    ("zerver_channelfolder", DESCRIBED),
    (
        "zerver_stream",
        &[
            ("name", NAME),
            ("description", LINE),
            ("rendered_description", Stored::Content),
        ],
    ),
    ("zerver_namedusergroup", DESCRIBED),
    (
        "zerver_customprofilefield",
        &[
            ("name", NAME),
            ("hint", LINE),
            ("field_data", Stored::Json(&NAME)),
        ],
    ),
    (
        "zerver_customprofilefieldvalue",
        &[("value", BLOCK), ("rendered_value", Stored::Content)],
    ),
    (
        "zerver_realmfilter",
        &[
            ("pattern", LINE),
            ("url_template", LINE),
            ("example_input", LINE),
            ("reverse_template", LINE),
        ],
    ),
    (
        "zerver_realmplayground",
        &[
            ("name", NAME),
            ("pygments_language", NAME),
            ("url_template", LINE),
        ],
    ),
    ("zerver_usertopic", &[("topic_name", Stored::Topic)]),
    ("zerver_alertword", &[("word", NAME)]),
    ("zerver_userstatus", &[("status_text", NAME)]),
    (
        "zerver_savedsnippet",
        &[("title", NAME), ("content", Stored::Content)],
    ),
    (
        "zerver_navigationview",
        &[("name", NAME), ("fragment", NAME)],
    ),
    (
        "zerver_scheduledmessage",
        &[
            ("content", Stored::Content),
            ("rendered_content", Stored::Content),
            ("subject", Stored::Topic),
            ("failure_message", LINE),
        ],
    ),
    (
        "zerver_message",
        &[
            ("content", Stored::Content),
            ("rendered_content", Stored::Content),
            ("subject", Stored::Topic),
            ("edit_history", Stored::Json(&Stored::Content)),
        ],
    ),
];

const DESCRIBED: &[(&str, Stored)] = &[
    ("name", NAME),
    ("description", BLOCK),
    ("rendered_description", Stored::Content),
];

/// The placeholder that the layout uses as topic of direct messages.
const TOPIC_OF_DIRECT_MESSAGES: &str = "\u{7}";
const MENDED: &str = "texts lost characters that cannot be printed";

impl Import<'_> {
    /// The columns of a row with the texts that this server stores.
    pub(super) fn mended<'c>(&mut self, table: &str, columns: &'c Columns) -> Cow<'c, Columns> {
        let mut columns = Cow::Borrowed(columns);
        let listed = COLUMNS.iter().find(|(name, _)| *name == table);
        for (column, kind) in listed.iter().flat_map(|(_, listed)| *listed) {
            let Some(text) = columns.get(column).and_then(Value::as_str) else {
                continue;
            };
            let (stored, is_loss) = kind.mend(text);
            if is_loss && text != TOPIC_OF_DIRECT_MESSAGES {
                self.note(MENDED);
            }
            if stored != text {
                let stored = Value::from(stored.into_owned());
                columns.to_mut().set(column, stored);
            }
        }
        columns
    }

    /// Makes a name unique among objects of its kind, as compared by `key`: appends a number if normalization made two
    /// names equal.
    pub(super) fn unique(
        &mut self,
        kind: &'static str,
        name: &str,
        key: impl Fn(&str) -> String,
    ) -> String {
        let names = self.names.entry(kind).or_default();
        let free = free_name(name, |name| names.insert(key(name)));
        if free != name {
            self.note(format!("names of {kind} that others have got a number"));
        }
        free
    }
}
