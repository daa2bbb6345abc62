//! Identity providers as the operator describes them: a TOML file for each, whose name is its id.
//!
//! Owns every rule about these files. All mistakes are reported together, none repeats a value that may be a secret.

mod check;
mod icon;
mod preset;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use spindle_config::{Secret, describe, nearest};
use spindle_domain::identity::{ListedProvider, MAX_PROVIDERS, Rules};
use spindle_outgoing::TlsConfig;

pub use icon::{MAX_ICON_BYTES, MAX_ICON_SIDE};
pub use preset::Preset;

/// Most bytes of a file with a provider.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// What a file may set, and nothing else.
const FIELDS: &[&str] = &[
    "preset",
    "name",
    "icon",
    "issuer",
    "client_id",
    "client_secret",
    "client_secret_file",
    "scopes",
    "domains",
    "create",
    "groups_claim",
    "roles",
    "user_groups",
    "private_hosts",
    "certificates",
    "sign_out",
    "order",
];

/// The content of a file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    preset: Option<String>,
    name: Option<String>,
    icon: Option<PathBuf>,
    issuer: Option<String>,
    client_id: Option<String>,
    client_secret: Option<Secret>,
    client_secret_file: Option<PathBuf>,
    scopes: Option<Vec<String>>,
    #[serde(default)]
    domains: Vec<String>,
    #[serde(default)]
    create: bool,
    groups_claim: Option<String>,
    #[serde(default)]
    roles: BTreeMap<String, String>,
    #[serde(default)]
    user_groups: BTreeMap<String, String>,
    #[serde(default)]
    private_hosts: Vec<String>,
    certificates: Option<PathBuf>,
    #[serde(default)]
    sign_out: bool,
    #[serde(default)]
    order: i64,
}

/// A provider.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of its file.
    pub id: String,
    pub preset: Preset,
    /// The name on the button.
    pub name: String,
    /// A PNG picture.
    pub icon: Option<Bytes>,
    /// The address by which it calls itself; compared byte by byte.
    pub issuer: String,
    pub client_id: String,
    pub client_secret: Secret,
    /// What is asked for; `openid` is always among them.
    pub scopes: Vec<String>,
    /// The claim with the groups of a person: a name, or names of nested objects joined by dots.
    pub groups_claim: Option<String>,
    /// What people of the provider may become.
    pub rules: Rules,
    /// Hosts that may be called although they are not on the open Internet, in lower case.
    pub private_hosts: Vec<String>,
    /// The certificates that are trusted; with `None`, those that browsers trust.
    pub tls: Option<Arc<TlsConfig>>,
    /// Whether signing out here leads to the provider.
    pub signs_out: bool,
    pub order: i64,
}

impl Settings {
    /// As the sign-in page lists it, at this position.
    fn listed(&self, position: usize) -> ListedProvider {
        ListedProvider {
            id: self.id.clone(),
            name: self.name.clone(),
            has_icon: self.icon.is_some(),
            position: i64::try_from(position).unwrap_or(i64::MAX),
            creates: self.rules.creates,
            signs_out: self.signs_out,
        }
    }
}

/// The providers in the order of the sign-in page, as the database lists them.
#[must_use]
pub fn listed(providers: &[Settings]) -> Vec<ListedProvider> {
    let numbered = providers.iter().enumerate();
    numbered
        .map(|(position, provider)| provider.listed(position))
        .collect()
}

/// Reads the providers of a folder, or the one of a file, in the order of the sign-in page.
///
/// # Errors
/// Every mistake, as a line that names the file.
pub fn read(path: &Path) -> Result<Vec<Settings>, Vec<String>> {
    let files = files(path).map_err(|problem| vec![problem])?;
    let (mut providers, mut problems) = (Vec::new(), Vec::new());
    for file in &files {
        match read_file(file) {
            Ok(provider) => providers.push(provider),
            Err(found) => problems.extend(found),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    providers.sort_by(|one, other| (one.order, &one.id).cmp(&(other.order, &other.id)));
    Ok(providers)
}

/// The files with providers, by name. Others, such as icons and secrets, may be in the same folder.
fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    let shown = path.display();
    let unreadable = |error| format!("cannot read {shown}: {error}");
    if fs::metadata(path).map_err(unreadable)?.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(format!("{shown} has no file NAME.toml of a provider"));
    }
    if files.len() > MAX_PROVIDERS {
        return Err(format!(
            "{shown} has {} providers, and a server may have {MAX_PROVIDERS}",
            files.len()
        ));
    }
    files.sort();
    Ok(files)
}

fn read_file(file: &Path) -> Result<Settings, Vec<String>> {
    let shown = file.display();
    let named = |problem: String| format!("{shown}: {problem}");
    let id = check::id(file).map_err(|problem| vec![named(problem)])?;
    let text = bounded(file, MAX_FILE_BYTES)
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "is not valid UTF-8".to_owned()));
    let text = text.map_err(|problem| vec![format!("{shown} {problem}")])?;
    let written = parse(file, &text)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    check::provider(id, folder, written)
        .map_err(|problems| problems.into_iter().map(named).collect())
}

fn parse(file: &Path, text: &str) -> Result<Written, Vec<String>> {
    let table: toml::Table = toml::from_str(text)
        .map_err(|error| vec![describe(file, text, error.span(), error.message())])?;
    let unknown = table.keys().filter(|name| !FIELDS.contains(&name.as_str()));
    let problems: Vec<String> = unknown
        .map(|name| {
            let reason = match nearest(name, FIELDS.iter().copied()) {
                Some(near) => format!("unknown field {name}; did you mean {near}?"),
                None => format!("unknown field {name}; docs/AUTHENTICATION.md lists all fields"),
            };
            format!("{}: {reason}", file.display())
        })
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    // The message of a field of another type may repeat its value.
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let holds_secret = error
            .span()
            .and_then(|span| text.get(..span.start))
            .map(|before| before.trim_end().trim_end_matches('=').trim_end())
            .is_some_and(|before| before.ends_with("client_secret"));
        let reason = match holds_secret {
            true => "expected a text in quotation marks",
            false => error.message(),
        };
        vec![describe(file, text, error.span(), reason)]
    })
}

/// The content of a file, unless it has more bytes; an error continues its name.
fn bounded(file: &Path, most: u64) -> Result<Vec<u8>, String> {
    use std::io::Read as _;
    let mut content = Vec::new();
    let open = fs::File::open(file).map_err(|error| format!("cannot be read: {error}"))?;
    open.take(most + 1)
        .read_to_end(&mut content)
        .map_err(|error| format!("cannot be read: {error}"))?;
    if content.len() as u64 > most {
        return Err(format!("has more than {most} bytes"));
    }
    Ok(content)
}
