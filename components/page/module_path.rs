//! Paths of modules of the web client, for the build and its tests.

/// The path below `web/` that a relative address leads to from a folder: `parts` and
/// `../state/store.js` give `state/store.js`.
pub(crate) fn resolved(folder: &str, name: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
