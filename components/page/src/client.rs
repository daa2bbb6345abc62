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
mod tests {
    use super::*;

    /// Bytes that a browser loads before the first message can be displayed.
    const MOST: usize = 150_000;

    #[test]
    fn what_is_received_until_a_message_is_read_stays_small() {
        let is_early = |file: &&ClientFile| file.path == "worker.js" || INDEX.contains(file.path);
        let files: usize = FILES
            .iter()
            .filter(is_early)
            .map(|file| file.gzip.len())
            .sum();
        assert!(files + INDEX.len() < MOST, "{files} bytes");
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
                let mut parts: Vec<&str> =
                    folder.split('/').filter(|part| !part.is_empty()).collect();
                for part in quote.split('/') {
                    match part {
                        "." => {}
                        ".." => {
                            parts.pop();
                        }
                        part => parts.push(part),
                    }
                }
                let wanted = parts.join("/");
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
