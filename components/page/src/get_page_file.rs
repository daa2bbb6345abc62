//! GET /page/{file}: styles, scripts and images of the pages.

use bytes::Bytes;
use spindle_guest::{Call, Failure, Guard, Operation, Reply};
use spindle_wire::ApiError;

use crate::file;

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Answers for the whole address while the server does not, so it needs leave to.
const SERVICE_WORKER: &str = "service-worker.js";

/// Name, media type, content.
const FILES: &[(&str, &str, &str)] = &[
    (
        "style.css",
        "text/css; charset=utf-8",
        include_str!("../files/style.css"),
    ),
    (
        "reference.css",
        "text/css; charset=utf-8",
        include_str!("../files/reference.css"),
    ),
    (
        "reference.js",
        SCRIPT,
        include_str!("../files/reference.js"),
    ),
    ("page.js", SCRIPT, include_str!("../files/page.js")),
    ("copy.js", SCRIPT, include_str!("../files/copy.js")),
    ("join.js", SCRIPT, include_str!("../files/join.js")),
    ("live.js", SCRIPT, include_str!("../files/live.js")),
    ("history.js", SCRIPT, include_str!("../files/history.js")),
    (
        SERVICE_WORKER,
        SCRIPT,
        include_str!("../files/service-worker.js"),
    ),
    (
        "manifest.webmanifest",
        "application/manifest+json",
        include_str!("../files/manifest.webmanifest"),
    ),
    (
        "icon.svg",
        "image/svg+xml",
        include_str!("../files/icon.svg"),
    ),
];

pub(crate) const OPERATION: Operation =
    Operation::get("get-page-file", "/page/{file}", Guard::Anonymous, run).exempt();

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let wanted = call.path_text("file")?;
    let found = FILES.iter().find(|(name, _, _)| *name == wanted);
    let (name, media_type, content) = found.ok_or_else(ApiError::no_such_route)?;
    let content = Bytes::from_static(content.as_bytes());
    Ok(if *name == SERVICE_WORKER {
        file::send_service_worker(call, media_type, content)
    } else {
        file::send(call, media_type, content)
    })
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn every_file_that_is_named_is_there() {
        let pages = [
            include_str!("../files/connect.html"),
            include_str!("../files/join.html"),
            include_str!("../files/reference.html"),
            include_str!("../web/index.html"),
        ];
        let all = FILES.iter().map(|(_, _, content)| *content).chain(pages);
        let mut named = 0;
        for content in all {
            for (start, _) in content.match_indices("/page/") {
                let rest = &content[start + "/page/".len()..];
                let name: String = rest
                    .chars()
                    .take_while(|character| character.is_ascii_alphanumeric() || *character == '.')
                    .collect();
                assert!(FILES.iter().any(|(known, _, _)| *known == name), "{name}");
                named += 1;
            }
        }
        assert!(named >= 3);
    }
}
