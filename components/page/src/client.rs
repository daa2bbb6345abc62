//! The files of the web client, collected by the build from `web/`.

/// One file: its media type, its content, and its compressed content.
pub(crate) struct ClientFile {
    /// Path below `web/`.
    pub(crate) path: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) plain: &'static [u8],
    pub(crate) gzip: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/client.rs"));

#[cfg(test)]
#[path = "../module_path.rs"]
mod module_path;

#[cfg(test)]
mod tests {
    use super::module_path::resolved;
    use super::*;

    /// Bytes that a browser loads before the first message can be displayed.
    const MOST: usize = 150_000;

    /// Bytes of the texts of a language, of which a browser loads one.
    fn texts(language: &str) -> usize {
        let is_of = |file: &&ClientFile| {
            let name = file.path.strip_prefix("strings/");
            name.is_some_and(|name| name.starts_with(language))
        };
        FILES.iter().filter(is_of).map(|file| file.gzip.len()).sum()
    }

    #[test]
    fn what_is_received_until_a_message_is_read_stays_small() {
        let is_early = |file: &&ClientFile| file.path == "worker.js" || INDEX.contains(file.path);
        let files: usize = FILES
            .iter()
            .filter(is_early)
            .map(|file| file.gzip.len())
            .sum();
        let languages = ["en", "de"].map(texts);
        assert!(languages.iter().all(|bytes| *bytes > 1000), "{languages:?}");
        let most = languages.into_iter().max().unwrap_or_default();
        let all = files + most + PACKED_INDEX.len();
        assert!(all < MOST, "{all} bytes");
    }

    /// Of many answers at once, a slow network completes small ones first.
    #[test]
    fn the_skeleton_waits_for_one_small_stylesheet() {
        let (head, _) = INDEX.split_once("<body>").expect("a body");
        let sheets: Vec<_> = FILES
            .iter()
            .filter(|file| file.path.starts_with("style/") && head.contains(file.path))
            .map(|file| (file.path, file.gzip.len() < 1300))
            .collect();
        assert_eq!(sheets, [("style/first.css", true)]);
    }

    /// Otherwise it would be requested later, would not be counted above, and would be missing without a server.
    #[test]
    fn what_an_early_module_imports_is_early_too() {
        let mut imported = 0;
        for file in FILES.iter().filter(|file| INDEX.contains(file.path)) {
            let text = std::str::from_utf8(file.plain).expect("text");
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for (start, from) in text.match_indices(" from \"") {
                let rest = &text[start + from.len()..];
                let name = rest.split('"').next().unwrap_or_default();
                if !name.starts_with('.') {
                    continue;
                }
                let wanted = resolved(folder, name);
                assert!(INDEX.contains(&wanted), "{}: {wanted}", file.path);
                imported += 1;
            }
        }
        assert!(imported > 100, "{imported}");
    }

    #[test]
    fn every_file_that_a_module_names_is_there() {
        let mut named = 0;
        for file in FILES {
            let text = std::str::from_utf8(file.plain).expect("text");
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for quote in text.split(['"', '\'']) {
                if !quote.starts_with("./") && !quote.starts_with("../") {
                    continue;
                }
                if !quote.ends_with(".js") {
                    continue;
                }
                let wanted = resolved(folder, quote);
                let is_there = FILES.iter().any(|known| known.path == wanted);
                assert!(is_there, "{}: {quote}", file.path);
                named += 1;
            }
        }
        assert!(named > 100, "{named}");
    }

    #[test]
    fn the_page_has_one_script_in_its_markup_and_the_policy_names_it() {
        assert!(!INDEX.contains("{{"), "a placeholder is left");
        for forbidden in [" style=", "<style", " onload", "javascript:", "=\"http"] {
            assert!(!INDEX.contains(forbidden), "{forbidden}");
        }
        let inline = INDEX.matches("<script").count() - INDEX.matches("></script>").count();
        assert_eq!(inline, 1);
        assert!(IMPORTS.starts_with("'sha256-"));
    }
}
