//! Domains of disposable e-mail addresses.
//!
//! `disposable.txt` holds one domain a line, sorted: the list that the project
//! `disposable-email-domains` publishes (CC0), as of its commit e2254bf7fc8d, taken from release
//! 0.2.42 of the crate `dispocheck`. A newer list replaces the file.

use crate::text::plain_domain;

const DOMAINS: &str = include_str!("disposable.txt");

/// Whether a domain, however it is written, is in the list or below one that is.
pub fn is_disposable(domain: &str) -> bool {
    let domain = in_ascii(plain_domain(domain).trim());
    let mut rest = Some(domain.as_str());
    while let Some(name) = rest {
        if is_listed(DOMAINS, name) {
            return true;
        }
        rest = name.split_once('.').map(|(_, above)| above);
    }
    false
}

/// A domain without empty labels, other letters in Punycode, as the list has them (https://www.rfc-editor.org/rfc/rfc5891).
fn in_ascii(domain: &str) -> String {
    let labels = domain.split('.').filter(|label| !label.is_empty());
    let labels: Vec<String> = labels
        .map(|label| match punycode::encode(label) {
            Ok(encoded) if !label.is_ascii() => format!("xn--{encoded}"),
            _ => label.to_owned(),
        })
        .collect();
    labels.join(".")
}

/// Finds a line among sorted lines, by halves. All of them are ASCII.
fn is_listed(lines: &str, wanted: &str) -> bool {
    let mut rest = lines;
    while !rest.is_empty() {
        let middle = rest.len() / 2;
        let start = rest
            .get(..middle)
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |at| at + 1);
        let line = rest.get(start..).unwrap_or_default();
        let line = line.split('\n').next().unwrap_or_default();
        rest = match line.cmp(wanted) {
            std::cmp::Ordering::Equal => return !line.is_empty(),
            std::cmp::Ordering::Less => rest.get(start + line.len() + 1..).unwrap_or_default(),
            std::cmp::Ordering::Greater => rest.get(..start).unwrap_or_default(),
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_every_line_is_found() {
        let lines: Vec<&str> = DOMAINS.lines().collect();
        assert!(lines.len() > 5000);
        assert!(lines.is_sorted_by(|one, next| one < next));
        for line in lines {
            assert!(crate::address::is_domain(line), "{line}");
            assert!(is_listed(DOMAINS, line), "{line}");
        }
    }

    #[test]
    fn nothing_else_is_found() {
        for domain in [
            "",
            ".",
            "com",
            "example.com",
            "gmail.com",
            "0",
            "zzzz",
            "ö.example",
        ] {
            assert!(!is_disposable(domain), "{domain}");
        }
        for domain in ["mailinator.com", " MAILINATOR.com. ", "a.b.mailinator.com"] {
            assert!(is_disposable(domain), "{domain}");
        }
        assert!(!is_disposable("mailinator.com.example.org"));
        for lines in ["", "\n", "a\nb", "a\nb\n"] {
            assert!(!is_listed(lines, ""), "{lines:?}");
            assert!(!is_listed(lines, "c"), "{lines:?}");
        }
        assert!(is_listed("a\nb", "b") && is_listed("a\nb", "a"));
    }
}
