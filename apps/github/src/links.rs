//! Links to pages of GitHub in a text.

use crate::repository::Repository;

const SITE: &str = "https://github.com/";
const MAX_LINK: usize = 500;
/// Links of a text that are looked at.
const MAX_LINKS: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) repository: Repository,
    pub(crate) target: Target,
}

/// What a page is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Issue(u64),
    Pull(u64),
    /// A hash.
    Commit(String),
    File {
        /// A branch, a tag or a hash.
        reference: String,
        /// As in the address, where special characters are encoded.
        path: String,
    },
}

/// The links of a text, each once.
pub(crate) fn find(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for rest in text.split(SITE).skip(1).take(MAX_LINKS) {
        let end = |letter: char| letter.is_whitespace() || "()<>[]\"'`".contains(letter);
        let address = rest.split(end).next().unwrap_or_default();
        let link = Link::parse(address.trim_end_matches(['.', ',', ';', ':', '!']));
        links.extend(link.filter(|link| !links.contains(link)));
    }
    links
}

impl Link {
    /// Parses the rest of an address, after `https://github.com/`.
    fn parse(address: &str) -> Option<Self> {
        if address.len() > MAX_LINK {
            return None;
        }
        let path = address.split(['?', '#']).next()?;
        let mut parts = path.splitn(4, '/');
        let (owner, name) = (parts.next()?, parts.next()?);
        let repository = Repository::parse(&format!("{owner}/{name}"))?;
        let (kind, rest) = (parts.next()?, parts.next()?);
        let first = rest.split('/').next()?;
        let target = match kind {
            "issues" => Target::Issue(first.parse().ok()?),
            "pull" => Target::Pull(first.parse().ok()?),
            "commit" => Target::Commit(hash(first)?),
            "blob" => {
                let (reference, path) = rest.split_once('/')?;
                Target::File {
                    reference: plain(reference)?,
                    path: file(path)?,
                }
            }
            _ => return None,
        };
        Some(Self { repository, target })
    }
}

fn hash(text: &str) -> Option<String> {
    let is_hash =
        (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| text.to_owned())
}

fn plain(text: &str) -> Option<String> {
    let is_plain = !text.is_empty()
        && (text.bytes()).all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    is_plain.then(|| text.to_owned())
}

/// A path that stays where it is: neither dots alone, nor such that are encoded.
fn file(path: &str) -> Option<String> {
    let is_sound = |part: &str| {
        let encoded = part.to_ascii_lowercase();
        !matches!(part, "" | "." | "..")
            && !encoded.contains("%2e")
            && !encoded.contains("%2f")
            && (part.bytes())
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.~%+@,=!$&".contains(&byte))
    };
    path.split('/').all(is_sound).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(target: Target) -> Link {
        let repository = Repository::parse("octo/hello").unwrap();
        Link { repository, target }
    }

    #[test]
    fn links_of_a_text_are_found() {
        let text = "See [this](https://github.com/octo/hello/issues/5#issuecomment-1), \
            https://github.com/octo/hello/pull/7/files. <https://github.com/octo/hello/commit/0123abcd?x=1> \
            https://github.com/octo/hello/blob/main/src/a%20b.rs#L10 https://github.com/octo/hello/issues/5";
        let file = Target::File {
            reference: "main".to_owned(),
            path: "src/a%20b.rs".to_owned(),
        };
        let expected = [
            Target::Issue(5),
            Target::Pull(7),
            Target::Commit("0123abcd".to_owned()),
            file,
        ];
        assert_eq!(find(text), expected.map(link));
    }

    #[test]
    fn other_addresses_are_no_links() {
        for text in [
            "http://github.com/octo/hello/issues/5",
            "https://github.com.evil.example/octo/hello/issues/5",
            "https://github.com/octo/hello",
            "https://github.com/octo/hello/issues/x",
            "https://github.com/octo/../issues/5",
            "https://github.com/octo/hello/commit/main",
            "https://github.com/octo/hello/blob/main/../../user",
            "https://github.com/octo/hello/blob/main/%2E%2e/user",
            "https://github.com/octo/hello/blob/main/a%2f..%2fb",
            "https://github.com/octo/hello/blob/a&b/c",
            "https://github.com/octo/hello/blob/main",
        ] {
            assert_eq!(find(text), [], "{text}");
        }
        let long = format!(
            "https://github.com/octo/hello/blob/main/{}",
            "a".repeat(500)
        );
        assert_eq!(find(&long), []);
    }
}
