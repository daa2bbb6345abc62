//! Puts the files of the web client into the component: compressed, and under an address that is
//! made of what they contain.
//!
//! Owns which files of `web/` are served, their media types and the page that loads them. It
//! changes nothing in them: browsers run the files of `web/` unchanged.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Which file of `web/` each name of a module stands for.
const MODULES: [(&str, &str); 6] = [
    ("preact", "vendor/preact/preact.mjs"),
    ("preact/hooks", "vendor/preact/hooks.mjs"),
    (
        "@preact/signals-core",
        "vendor/signals-core/signals-core.mjs",
    ),
    ("@preact/signals", "vendor/signals/signals.mjs"),
    ("htm", "vendor/htm/htm.mjs"),
    ("htm/preact", "vendor/htm/preact.mjs"),
];

/// Modules that are loaded when they are needed, or run elsewhere.
const LATER: [&str; 101] = [
    "api/attachments.js",
    "api/bots.js",
    "api/channels.js",
    "api/groups.js",
    "api/invitations.js",
    "api/later.js",
    "api/organization.js",
    "api/profile.js",
    "api/sessions.js",
    "api/snippets.js",
    "api/views.js",
    "parts/bot-card.js",
    "parts/bot-form.js",
    "parts/channel-extras.js",
    "parts/channel-form.js",
    "parts/channel-people.js",
    "parts/completion.js",
    "parts/conversation-menu.js",
    "parts/copy.js",
    "parts/crop.js",
    "parts/dialog.js",
    "parts/emoji-choice.js",
    "parts/emoji-grid.js",
    "parts/emoji-names.js",
    "parts/emoji-picker.js",
    "parts/group-card.js",
    "parts/group-choice.js",
    "parts/group-form.js",
    "parts/history.js",
    "parts/invite.js",
    "parts/leave.js",
    "parts/menu.js",
    "parts/message-editor.js",
    "parts/message-menu.js",
    "parts/moment-field.js",
    "parts/move.js",
    "parts/new-key.js",
    "parts/noticing.js",
    "parts/order.js",
    "parts/own-menu.js",
    "parts/own-status.js",
    "parts/person-card.js",
    "parts/pictures.js",
    "parts/realm-setting.js",
    "parts/reminder.js",
    "parts/report.js",
    "parts/schedule.js",
    "parts/search-language.js",
    "parts/selection.js",
    "parts/sessions.js",
    "parts/setting.js",
    "parts/shortcut-list.js",
    "parts/size.js",
    "parts/snippets.js",
    "parts/status-end.js",
    "parts/uploads.js",
    "state/attachments.js",
    "state/crop.js",
    "state/groups.js",
    "state/later.js",
    "state/linkifier.js",
    "state/noticing.js",
    "state/permissions.js",
    "state/profile.js",
    "state/search.js",
    "strings/de.js",
    "strings/en.js",
    "strings/later/de-settings.js",
    "strings/later/de.js",
    "strings/later/en-settings.js",
    "strings/later/en.js",
    "types.js",
    "views/channels.js",
    "views/drafts.js",
    "views/groups.js",
    "views/organization/bots.js",
    "views/organization/defaults.js",
    "views/organization/emoji.js",
    "views/organization/exports.js",
    "views/organization/fields.js",
    "views/organization/folders.js",
    "views/organization/invitations.js",
    "views/organization/joining.js",
    "views/organization/links.js",
    "views/organization/organization.js",
    "views/organization/people.js",
    "views/organization/permissions.js",
    "views/organization/profile.js",
    "views/organization/rules.js",
    "views/recent.js",
    "views/scheduled.js",
    "views/settings/account.js",
    "views/settings/files.js",
    "views/settings/muted.js",
    "views/settings/notifications.js",
    "views/settings/preferences.js",
    "views/settings/profile.js",
    "views/settings/settings.js",
    "views/settings/snippets.js",
    "views/sign-in.js",
    "worker.js",
];
/// The page that loads everything else.
const INDEX: &str = "index.html";
/// Characters of the hash in an address.
const LENGTH: usize = 16;

/// A file as it is served.
struct File {
    /// Below `web/`, with slashes.
    path: String,
    media_type: &'static str,
    plain: Vec<u8>,
}

fn main() -> Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("web");
    println!("cargo::rerun-if-changed=web");
    let mut files = Vec::new();
    collect(&root, &root, &mut files)?;
    files.sort_by(|one, other| one.path.cmp(&other.path));

    let index = fs::read_to_string(root.join(INDEX))?;
    let version = version(&files, &index);
    let base = format!("/web/{version}");
    let imports = imports(&base);
    let digest = STANDARD.encode(Sha256::digest(imports.as_bytes()));
    let page = index
        .replace("{{importmap}}", &imports)
        .replace("{{preloads}}", &preloads(&files, &base))
        .replace("{{root}}", &base);

    let target = PathBuf::from(env::var("OUT_DIR")?);
    let mut code = String::new();
    writeln!(
        code,
        "/// Of everything that is served.\npub(crate) const VERSION: &str = {version:?};"
    )?;
    writeln!(
        code,
        "/// Names the import map in the policy, which admits no other script in the markup.\npub(crate) const IMPORTS: &str = \"'sha256-{digest}'\";"
    )?;
    fs::write(target.join(format!("{INDEX}.gzip")), gzip(page.as_bytes())?)?;
    fs::write(target.join(INDEX), page)?;
    writeln!(
        code,
        "pub(crate) const INDEX: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/{INDEX}\"));"
    )?;
    writeln!(
        code,
        "pub(crate) const PACKED_INDEX: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{INDEX}.gzip\"));"
    )?;
    writeln!(code, "pub(crate) const FILES: &[ClientFile] = &[")?;
    for (number, file) in files.iter().enumerate() {
        let place = |form: &str| {
            format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{number}.{form}\"))")
        };
        fs::write(target.join(format!("{number}.plain")), &file.plain)?;
        fs::write(target.join(format!("{number}.gzip")), gzip(&file.plain)?)?;
        writeln!(
            code,
            "ClientFile {{ path: {:?}, media_type: {:?}, plain: {}, gzip: {} }},",
            file.path,
            file.media_type,
            place("plain"),
            place("gzip")
        )?;
    }
    writeln!(code, "];")?;
    fs::write(target.join("client.rs"), code)?;
    Ok(())
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<File>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
            continue;
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        let media_type = match extension {
            Some("js" | "mjs") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            // Licences of third-party code, and the page itself.
            _ => continue,
        };
        let relative = path.strip_prefix(root)?.to_str().ok_or("a name in UTF-8")?;
        files.push(File {
            path: relative.replace('\\', "/"),
            media_type,
            plain: fs::read(&path)?,
        });
    }
    Ok(())
}

/// A text that changes when any file does.
fn version(files: &[File], index: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(index.as_bytes());
    for file in files {
        hash.update(file.path.as_bytes());
        hash.update((file.plain.len() as u64).to_le_bytes());
        hash.update(&file.plain);
    }
    let mut text = String::new();
    for byte in hash.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text.truncate(LENGTH);
    text
}

fn imports(base: &str) -> String {
    let lines: Vec<String> = MODULES
        .iter()
        .map(|(name, file)| format!("\"{name}\":\"{base}/{file}\""))
        .collect();
    format!("{{\"imports\":{{{}}}}}", lines.join(","))
}

/// The browser asks for all modules at once, not for each when another has named it. Those of the worker come
/// first, and all others after what the worker asks for.
fn preloads(files: &[File], base: &str) -> String {
    let mut of_worker = BTreeSet::new();
    for module in ["start.js", "worker.js"] {
        add_imports(files, module, &mut of_worker);
    }
    let (first, rest): (Vec<&str>, Vec<&str>) = files
        .iter()
        .filter(|file| file.media_type.starts_with("text/javascript"))
        .map(|file| file.path.as_str())
        .filter(|path| !LATER.contains(path))
        .partition(|path| of_worker.contains(*path));
    let line = |path: &str, priority: &str| {
        format!("<link rel=\"modulepreload\"{priority} href=\"{base}/{path}\">")
    };
    let first = first.into_iter().map(|path| line(path, ""));
    let rest = rest
        .into_iter()
        .map(|path| line(path, " fetchpriority=\"low\""));
    first.chain(rest).collect::<Vec<_>>().join("\n  ")
}

/// Adds a module and all modules that it imports by a relative address.
fn add_imports(files: &[File], module: &str, found: &mut BTreeSet<String>) {
    let Some(file) = files.iter().find(|file| file.path == module) else {
        return;
    };
    if !found.insert(module.to_owned()) {
        return;
    }
    let folder = module.rsplit_once('/').map_or("", |(folder, _)| folder);
    for part in String::from_utf8_lossy(&file.plain)
        .split(" from \"")
        .skip(1)
    {
        let name = part.split('"').next().unwrap_or_default();
        let inside = name.trim_start_matches("../").trim_start_matches("./");
        let up = name.matches("../").count();
        let kept = folder.split('/').count().saturating_sub(up);
        let parents: Vec<&str> = folder.split('/').take(kept).chain([inside]).collect();
        let path = parents.join("/");
        add_imports(files, path.trim_start_matches('/'), found);
    }
}

fn gzip(plain: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    Ok(encoder.finish()?)
}
