//! Puts the files of the web client into the component: compressed, and under an address that is
//! made of what they contain. Writes the reference of the API from the OpenAPI document.
//!
//! Owns which files of `web/` are served, their media types and the page that loads them. It
//! changes nothing in them: browsers run the files of `web/` unchanged.

mod escaping;
mod module_path;
mod reference;

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

/// The file of `web/` behind each module name.
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

/// The modules that a browser runs for every page: in the page itself, and in the worker of all tabs.
const FIRST: [&str; 2] = ["start.js", "main.js"];
const WORKER: &str = "worker.js";
/// The page that loads everything else.
const INDEX: &str = "index.html";
/// The template of the API's reference.
const REFERENCE: &str = "files/reference.html";
/// Characters of the hash in an address.
const LENGTH: usize = 16;

/// A file in the form in which it is served.
struct File {
    /// Below `web/`, with slashes.
    path: String,
    media_type: &'static str,
    plain: Vec<u8>,
}

fn main() -> Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("web");
    println!("cargo::rerun-if-changed=web");
    println!("cargo::rerun-if-changed=reference");
    println!("cargo::rerun-if-changed={REFERENCE}");
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
    let template = fs::read_to_string(REFERENCE)?;
    let reference = reference::page(spindle_openapi::PUBLISHED, &template)?;
    for (name, page) in [("INDEX", page), ("REFERENCE", reference)] {
        fs::write(target.join(format!("{name}.gzip")), gzip(page.as_bytes())?)?;
        fs::write(target.join(name), page)?;
        writeln!(
            code,
            "pub(crate) const {name}: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/{name}\"));"
        )?;
        writeln!(
            code,
            "pub(crate) const PACKED_{name}: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.gzip\"));"
        )?;
    }
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

/// Lists the early modules, so that the browser requests all of them together: the imports of `FIRST` and of the
/// worker, direct and indirect. A module that is only named in `import()` loads later. The worker's modules come first,
/// all others after what the worker requests.
fn preloads(files: &[File], base: &str) -> String {
    let mut of_worker = BTreeSet::new();
    add_imports(files, FIRST[0], &mut of_worker);
    add_imports(files, WORKER, &mut of_worker);
    let mut of_page = BTreeSet::new();
    for module in FIRST {
        add_imports(files, module, &mut of_page);
    }
    // A worker has its own address, and is not preloaded.
    of_worker.remove(WORKER);
    let line = |path: &String, priority: &str| {
        format!("<link rel=\"modulepreload\"{priority} href=\"{base}/{path}\">")
    };
    let first = of_worker.iter().map(|path| line(path, ""));
    let rest = of_page
        .difference(&of_worker)
        .map(|path| line(path, " fetchpriority=\"low\""));
    first.chain(rest).collect::<Vec<_>>().join("\n  ")
}

/// Adds a module and everything that it imports.
fn add_imports(files: &[File], module: &str, found: &mut BTreeSet<String>) {
    let Some(file) = files.iter().find(|file| file.path == module) else {
        return;
    };
    if !found.insert(module.to_owned()) {
        return;
    }
    let folder = module.rsplit_once('/').map_or("", |(folder, _)| folder);
    let text = String::from_utf8_lossy(&file.plain);
    // `from "..."`, `from"..."` of a minified file, and `import "..."` for its effects.
    let names = ["from \"", "from\"", "\nimport \""]
        .iter()
        .flat_map(|before| text.split(before).skip(1))
        .filter_map(|rest| rest.split('"').next());
    for name in names {
        let known = MODULES.iter().find(|(known, _)| *known == name);
        let path = known.map_or_else(
            || module_path::resolved(folder, name),
            |(_, path)| (*path).to_owned(),
        );
        add_imports(files, &path, found);
    }
}

fn gzip(plain: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    Ok(encoder.finish()?)
}
