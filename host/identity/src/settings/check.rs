//! The rules about single fields of a provider, and about fields that belong together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use openidconnect::url::Url;
use spindle_config::{Secret, nearest};
use spindle_domain::Role;
use spindle_domain::identity::{MAX_ISSUER_LENGTH, Rules};
use spindle_outgoing::{TlsConfig, trusting};

use super::icon::{self, MAX_ICON_BYTES};
use super::preset::Preset;
use super::{Settings, Written, bounded};
use crate::http::may_be_called;

/// Most characters of an id, which is part of addresses.
const MAX_ID_LENGTH: usize = 30;
/// Most characters of a name.
const MAX_NAME_LENGTH: usize = 60;
/// Most entries of a list or table.
const MAX_ENTRIES: usize = 100;
/// Most bytes of an entry, and of a client's id and secret.
const MAX_TEXT_LENGTH: usize = 200;
const MAX_SECRET_LENGTH: usize = 2000;
/// Most bytes of a file with certificates.
const MAX_CERTIFICATES_BYTES: u64 = 1 << 20;

/// The id of a provider: the name of its file.
pub(super) fn id(file: &Path) -> Result<String, String> {
    let name = file.file_name().and_then(|name| name.to_str());
    let stem = name.and_then(|name| name.strip_suffix(".toml"));
    let is_plain = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '-');
    match stem {
        Some(id) if (1..=MAX_ID_LENGTH).contains(&id.len()) && id.chars().all(is_plain) => {
            Ok(id.to_owned())
        }
        _ => Err(format!(
            "the name of the file must be NAME.toml, with at most {MAX_ID_LENGTH} of a-z, 0-9 and - as NAME"
        )),
    }
}

/// Collects the problems of a file.
#[derive(Default)]
struct Problems(Vec<String>);

impl Problems {
    fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    /// The value, or its default after the problem was noted.
    fn take<T: Default>(&mut self, found: Result<T, String>) -> T {
        found.unwrap_or_else(|problem| {
            self.add(problem);
            T::default()
        })
    }
}

/// The provider of a file in `folder`, to which paths in it are relative.
pub(super) fn provider(
    id: String,
    folder: &Path,
    written: Written,
) -> Result<Settings, Vec<String>> {
    let mut problems = Problems::default();
    let preset = problems.take(preset(written.preset.as_deref()));
    let private_hosts = problems.take(hosts(written.private_hosts));
    let issuer = problems.take(issuer(preset, written.issuer, &private_hosts));
    let name = problems.take(name(preset, written.name));
    let client_id = problems.take(required("client_id", written.client_id, MAX_TEXT_LENGTH));
    let secret = secret(folder, written.client_secret, written.client_secret_file);
    let client_secret = problems.take(secret.map(Some));
    let icon = problems.take(icon(folder, written.icon));
    let tls = problems.take(certificates(folder, written.certificates));
    let scopes = problems.take(scopes(preset, written.scopes));
    let domains = problems.take(domains(written.domains));
    let roles = problems.take(roles(written.roles));
    let user_groups = problems.take(user_groups(written.user_groups));
    let groups_claim = problems.take(groups_claim(preset, written.groups_claim));
    let has_groups = !roles.is_empty() || !user_groups.is_empty();
    if has_groups && groups_claim.is_none() {
        problems
            .add("roles and user_groups need groups_claim, the claim that names a person's groups");
    }
    // Everybody can have an account there.
    let is_public = preset.issuer() == Some(issuer.as_str());
    if written.create && is_public && domains.is_empty() {
        problems.add(
            "create = true needs domains: everybody who has an account at this provider could join",
        );
    }
    let (true, Some(client_secret)) = (problems.0.is_empty(), client_secret) else {
        return Err(problems.0);
    };
    Ok(Settings {
        rules: Rules {
            provider: id.clone(),
            domains,
            creates: written.create,
            roles,
            user_groups,
            has_groups,
        },
        id,
        preset,
        name,
        icon,
        issuer,
        client_id,
        client_secret,
        scopes,
        groups_claim: groups_claim.filter(|_| has_groups),
        private_hosts,
        tls,
        signs_out: written.sign_out,
        order: written.order,
    })
}

fn preset(name: Option<&str>) -> Result<Preset, String> {
    let Some(name) = name else {
        return Ok(Preset::Other);
    };
    let mut known = Preset::NAMED.into_iter();
    if let Some((_, preset)) = known.find(|(known, _)| *known == name) {
        return Ok(preset);
    }
    let names = Preset::NAMED.map(|(name, _)| name);
    Err(match nearest(name, names.into_iter()) {
        Some(near) => format!("unknown preset; did you mean {near}?"),
        None => format!(
            "unknown preset; there are {}, and without one a provider follows the standard",
            names.join(", ")
        ),
    })
}

fn required(field: &str, value: Option<String>, most: usize) -> Result<String, String> {
    match value {
        None => Err(format!("{field} is missing")),
        Some(value) if value.trim().is_empty() => Err(format!("{field} is empty")),
        Some(value) if value.len() > most => Err(format!("{field} has more than {most} bytes")),
        Some(value) => Ok(value),
    }
}

fn name(preset: Preset, name: Option<String>) -> Result<String, String> {
    let name = name.or_else(|| preset.label().map(str::to_owned));
    let name = required("name", name, 4 * MAX_NAME_LENGTH)?;
    if name.chars().count() > MAX_NAME_LENGTH || name.chars().any(char::is_control) {
        return Err(format!(
            "name must have at most {MAX_NAME_LENGTH} characters, on one line"
        ));
    }
    Ok(name.trim().to_owned())
}

fn issuer(preset: Preset, issuer: Option<String>, private: &[String]) -> Result<String, String> {
    let issuer = issuer.or_else(|| preset.issuer().map(str::to_owned));
    let issuer = required("issuer", issuer, MAX_ISSUER_LENGTH)?;
    let url = Url::parse(&issuer).map_err(|_| "issuer is not a URL".to_owned())?;
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
        return Err("issuer must not have a query, a fragment or a user".to_owned());
    }
    may_be_called(&url, private).map_err(|problem| format!("issuer {problem}"))?;
    let mut segments = url.path_segments().into_iter().flatten();
    let tenant = segments.next().unwrap_or_default();
    if preset == Preset::Entra && ["", "common", "organizations", "consumers"].contains(&tenant) {
        return Err(
            "issuer must name one tenant, https://login.microsoftonline.com/TENANT-ID/v2.0: others could \
             claim the addresses of your people"
                .to_owned(),
        );
    }
    Ok(issuer)
}

fn secret(folder: &Path, secret: Option<Secret>, file: Option<PathBuf>) -> Result<Secret, String> {
    let text = match (secret, file) {
        (Some(_), Some(_)) => {
            return Err("give either client_secret or client_secret_file".to_owned());
        }
        (None, None) => return Err("client_secret or client_secret_file is missing".to_owned()),
        (Some(secret), None) => secret.text().to_owned(),
        (None, Some(file)) => {
            let content = bounded(&folder.join(&file), MAX_SECRET_LENGTH as u64);
            let content = content
                .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "is not text".to_owned()));
            let shown = file.display();
            content.map_err(|problem| format!("client_secret_file {shown} {problem}"))?
        }
    };
    let text = required("client_secret", Some(text), MAX_SECRET_LENGTH)?;
    let Ok(secret) = text.trim().parse();
    Ok(secret)
}

fn icon(folder: &Path, file: Option<PathBuf>) -> Result<Option<Bytes>, String> {
    let Some(file) = file else {
        return Ok(None);
    };
    let content = bounded(&folder.join(&file), MAX_ICON_BYTES as u64);
    let checked = content.and_then(icon::check);
    checked
        .map(Some)
        .map_err(|problem| format!("icon {} {problem}", file.display()))
}

fn certificates(folder: &Path, file: Option<PathBuf>) -> Result<Option<Arc<TlsConfig>>, String> {
    let Some(file) = file else {
        return Ok(None);
    };
    let content = bounded(&folder.join(&file), MAX_CERTIFICATES_BYTES);
    let trusted = content.and_then(|content| trusting(&String::from_utf8_lossy(&content)));
    trusted
        .map(|trusted| Some(Arc::new(trusted)))
        .map_err(|problem| format!("certificates {}: {problem}", file.display()))
}

/// Checks that a list is not too long, and that its entries are short, not empty and without white space.
fn words(field: &str, entries: &[String]) -> Result<(), String> {
    let is_word = |entry: &String| {
        (1..=MAX_TEXT_LENGTH).contains(&entry.len()) && !entry.contains(char::is_whitespace)
    };
    match entries.len() <= MAX_ENTRIES && entries.iter().all(is_word) {
        true => Ok(()),
        false => Err(format!(
            "{field} must have at most {MAX_ENTRIES} entries, each of at most {MAX_TEXT_LENGTH} bytes and without \
             white space"
        )),
    }
}

fn scopes(preset: Preset, scopes: Option<Vec<String>>) -> Result<Vec<String>, String> {
    let asked = match scopes {
        Some(scopes) => scopes,
        None => preset
            .scopes()
            .iter()
            .map(|&scope| scope.to_owned())
            .collect(),
    };
    words("scopes", &asked)?;
    let mut scopes = vec!["openid".to_owned()];
    for scope in asked {
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok(scopes)
}

fn domains(domains: Vec<String>) -> Result<Vec<String>, String> {
    words("domains", &domains)?;
    let is_domain = |domain: &&String| {
        domain.contains('.') && !domain.contains(['@', '*', '/']) && !domain.starts_with('.')
    };
    if let Some(wrong) = domains.iter().find(|domain| !is_domain(domain)) {
        return Err(format!(
            "domains: \"{wrong}\" is not a domain such as \"example.org\""
        ));
    }
    Ok(domains.iter().map(|domain| domain.to_lowercase()).collect())
}

fn hosts(hosts: Vec<String>) -> Result<Vec<String>, String> {
    words("private_hosts", &hosts)?;
    if let Some(wrong) = hosts.iter().find(|host| host.contains(['/', '@', '*'])) {
        return Err(format!(
            "private_hosts: \"{wrong}\" is not the name or the address of a host, without a port"
        ));
    }
    let plain = |host: &String| {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host.to_lowercase()
    };
    Ok(hosts.iter().map(plain).collect())
}

/// Checks the keys of a table, which are values of the claim and may have spaces.
fn table(field: &str, table: &BTreeMap<String, String>) -> Result<(), String> {
    let is_fine = |text: &String| (1..=MAX_TEXT_LENGTH).contains(&text.len());
    let entries = || table.iter().flat_map(|(key, value)| [key, value]);
    match table.len() <= MAX_ENTRIES && entries().all(is_fine) {
        true => Ok(()),
        false => Err(format!(
            "[{field}] must have at most {MAX_ENTRIES} entries, each of at most {MAX_TEXT_LENGTH} bytes"
        )),
    }
}

fn roles(written: BTreeMap<String, String>) -> Result<Vec<(String, Role)>, String> {
    table("roles", &written)?;
    let role = |(value, name): (String, String)| match Role::from_name(&name) {
        Some(Role::Owner) => Err(
            "[roles] cannot make owners: an owner, or `spindle admin user set-role`, makes owners"
                .to_owned(),
        ),
        Some(role) => Ok((value, role)),
        None => Err(format!(
            "[roles] {value}: \"{name}\" is not one of administrator, moderator, member, guest"
        )),
    };
    written.into_iter().map(role).collect()
}

fn user_groups(written: BTreeMap<String, String>) -> Result<Vec<(String, String)>, String> {
    table("user_groups", &written)?;
    Ok(written.into_iter().collect())
}

fn groups_claim(preset: Preset, claim: Option<String>) -> Result<Option<String>, String> {
    match claim {
        None => Ok(preset.groups_claim().map(str::to_owned)),
        Some(claim) => required("groups_claim", Some(claim), MAX_TEXT_LENGTH).map(Some),
    }
}
