//! Names of repositories, and which ones people may use.

use spindle_app::Event;

const MAX_OWNER: usize = 39;
const MAX_NAME: usize = 100;

/// `owner/name`, in the letters of the person who wrote it; GitHub takes small and capital letters for the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository(String);

impl Repository {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        let is_owner = (1..=MAX_OWNER).contains(&owner.len())
            && (owner.bytes()).all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let is_name = (1..=MAX_NAME).contains(&name.len())
            && !matches!(name, "." | "..")
            && (name.bytes()).all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        (is_owner && is_name).then(|| Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is(&self, other: &str) -> bool {
        self.0.eq_ignore_ascii_case(other)
    }

    /// Whether the setting allows it. Without one, all are.
    pub(crate) fn is_allowed(&self, event: &Event) -> bool {
        let setting = event.setting("repositories").unwrap_or_default();
        let mut allowed = setting
            .split([',', ' ', '\n'])
            .filter(|part| !part.is_empty())
            .peekable();
        let is_open = allowed.peek().is_none();
        let owner = self.0.split('/').next().unwrap_or_default();
        is_open
            || allowed.any(|part| match part.strip_suffix("/*") {
                Some(all_of) => owner.eq_ignore_ascii_case(all_of),
                None => self.is(part),
            })
    }
}
