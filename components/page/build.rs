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
    "organization/bot-card.js",
    "organization/bot-form.js",
    "channels/channel-extras.js",
    "channels/channel-form.js",
    "channels/channel-people.js",
    "compose/completion.js",
    "messages/conversation-menu.js",
    "elements/copy.js",
    "settings/crop.js",
    "elements/dialog.js",
    "emoji/emoji-choice.js",
    "emoji/emoji-grid.js",
    "emoji/emoji-names.js",
    "emoji/emoji-picker.js",
    "people/group-card.js",
    "people/group-choice.js",
    "people/group-form.js",
    "messages/history.js",
    "people/invite.js",
    "channels/leave.js",
    "elements/menu.js",
    "messages/message-editor.js",
    "messages/message-menu.js",
    "compose/moment-field.js",
    "messages/move.js",
    "organization/new-key.js",
    "frame/noticing.js",
    "elements/order.js",
    "frame/own-menu.js",
    "people/own-status.js",
    "people/person-card.js",
    "messages/pictures.js",
    "organization/realm-setting.js",
    "messages/reminder.js",
    "messages/report.js",
    "compose/schedule.js",
    "search/search-language.js",
    "messages/selection.js",
    "settings/sessions.js",
    "settings/setting.js",
    "frame/shortcut-list.js",
    "elements/size.js",
    "compose/snippets.js",
    "people/status-end.js",
    "compose/uploads.js",
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
    "channels/channels.js",
    "compose/drafts.js",
    "people/groups.js",
    "organization/bots.js",
    "organization/defaults.js",
    "organization/emoji.js",
    "organization/exports.js",
    "organization/fields.js",
    "organization/folders.js",
    "organization/invitations.js",
    "organization/joining.js",
    "organization/links.js",
    "organization/organization.js",
    "organization/people.js",
    "organization/permissions.js",
    "organization/profile.js",
    "organization/rules.js",
    "inbox/recent.js",
    "compose/scheduled.js",
    "settings/account.js",
    "settings/files.js",
    "settings/muted.js",
    "settings/notifications.js",
    "settings/preferences.js",
    "settings/profile.js",
    "settings/settings.js",
    "settings/snippets.js",
    "frame/sign-in.js",
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
