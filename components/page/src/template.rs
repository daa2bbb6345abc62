//! Inserts the few values that differ between servers into the markup.

use escaping::escaped;
use spindle_domain::feature_level::FEATURE_LEVEL;

#[path = "../escaping.rs"]
mod escaping;

/// The page of the server with the address `site`, which may come from a request and is escaped.
pub(crate) fn fill_in(page: &str, site: &str) -> String {
    page.replace("{{site}}", &escaped(site))
        .replace("{{version}}", env!("CARGO_PKG_VERSION"))
        .replace("{{level}}", &FEATURE_LEVEL.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: [&str; 2] = [
        include_str!("../files/connect.html"),
        include_str!("../files/join.html"),
    ];

    #[test]
    fn a_page_names_the_address_and_nothing_is_left_to_fill_in() {
        for page in PAGES {
            let page = fill_in(page, "https://chat.example.org");
            assert!(
                page.contains("site=https://chat.example.org\n")
                    || page.contains("site=https://chat.example.org<")
            );
            assert!(page.contains(env!("CARGO_PKG_VERSION")));
            assert!(!page.contains("{{"), "a placeholder is left");
        }
    }

    #[test]
    fn an_address_is_no_markup() {
        for page in PAGES {
            let page = fill_in(page, "http://<script>'\"&");
            assert!(page.contains("http://&lt;script&gt;&#39;&quot;&amp;"));
            assert!(!page.contains("http://<script>"));
        }
    }

    /// The policy forbids inline scripts, styles and handlers, so they would not work.
    #[test]
    fn nothing_is_inline_and_nothing_comes_from_elsewhere() {
        for page in PAGES {
            let page = fill_in(page, "https://chat.example.org");
            for forbidden in [
                " style=",
                "<style",
                " onclick",
                " onload",
                "javascript:",
                "src=\"http",
                "href=\"http",
            ] {
                assert!(!page.contains(forbidden), "{forbidden}");
            }
            let scripts = page.matches("<script").count();
            assert_eq!(scripts, page.matches("></script>").count());
        }
    }
}
