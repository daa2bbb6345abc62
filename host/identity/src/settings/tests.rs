//! Files of providers, as operators write and mistype them.

use std::fs;
use std::path::{Path, PathBuf};

use spindle_domain::Role;

use super::*;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

const COMPANY: &str = "name = \"Company\"\nissuer = \"https://id.example.org/realms/x\"\n\
    client_id = \"chat\"\nclient_secret = \"hidden\"\n";

fn read_text(text: &str) -> Result<Settings, Vec<String>> {
    let folder = Folder::new();
    let file = folder.write("company.toml", text);
    read(&file).map(|providers| providers.into_iter().next().unwrap())
}

/// The mistakes of the usual file with further lines.
fn problem(lines: &str) -> String {
    let problems = read_text(&format!("{COMPANY}{lines}")).unwrap_err();
    problems.join("\n")
}

#[test]
fn a_short_file_is_a_provider() {
    let company = read_text(COMPANY).unwrap();
    assert_eq!(company.id, "company");
    assert_eq!(company.name, "Company");
    assert_eq!(company.issuer, "https://id.example.org/realms/x");
    assert_eq!(company.client_secret.text(), "hidden");
    assert_eq!(company.scopes, ["openid", "email", "profile"]);
    assert_eq!(company.groups_claim, None);
    assert!(!company.rules.creates && !company.rules.has_groups && !company.signs_out);
    assert!(!format!("{company:?}").contains("hidden"));
}

#[test]
fn a_long_file_sets_everything() {
    let folder = Folder::new();
    folder.write("secret", "hidden\n");
    folder.write("icon.png", super::icon::tests::png(32, 32));
    let text = "preset = \"keycloak\"\nicon = \"icon.png\"\nissuer = \"http://keycloak:8080/realms/x\"\n\
        client_id = \"chat\"\nclient_secret_file = \"secret\"\nscopes = [\"email\", \"openid\", \"roles\"]\n\
        domains = [\"Example.org\"]\ncreate = true\ngroups_claim = \"realm_access.roles\"\n\
        private_hosts = [\"Keycloak\"]\nsign_out = true\norder = 3\n\
        [roles]\nadmins = \"administrator\"\n\"All people\" = \"member\"\n\
        [user_groups]\n\"/dev\" = \"developers\"\n";
    let file = folder.write("a-1.toml", text);
    let provider = read(&file).unwrap().remove(0);
    assert_eq!(provider.name, "Keycloak");
    assert_eq!(provider.client_secret.text(), "hidden");
    assert_eq!(provider.scopes, ["openid", "email", "roles"]);
    assert_eq!(provider.private_hosts, ["keycloak"]);
    assert_eq!(provider.groups_claim.as_deref(), Some("realm_access.roles"));
    let rules = &provider.rules;
    assert_eq!(rules.provider, "a-1");
    assert_eq!(rules.domains, ["example.org"]);
    assert!(rules.creates && rules.has_groups && provider.signs_out);
    assert!(
        rules
            .roles
            .contains(&("admins".to_owned(), Role::Administrator))
    );
    assert!(
        rules
            .roles
            .contains(&("All people".to_owned(), Role::Member))
    );
    assert_eq!(
        rules.user_groups,
        [("/dev".to_owned(), "developers".to_owned())]
    );
    let listed = listed(std::slice::from_ref(&provider));
    assert!(listed[0].has_icon && listed[0].creates && listed[0].signs_out);
}

#[test]
fn mistakes_are_named() {
    for (lines, named) in [
        ("client_secrets = \"x\"", "did you mean client_secret?"),
        (
            "colour = \"x\"",
            "unknown field colour; docs/AUTHENTICATION.md",
        ),
        ("create = \"yes\"", "line 5"),
        ("preset = \"keycloack\"", "did you mean keycloak?"),
        ("preset = \"saml\"", "there are keycloak, google"),
        ("client_secret_file = \"x\"", "either client_secret or"),
        ("scopes = [\"a b\"]", "scopes must"),
        (
            "domains = [\"ann@example.org\"]",
            "domains: \"ann@example.org\"",
        ),
        ("domains = [\"example\"]", "domains: \"example\""),
        (
            "private_hosts = [\"https://x\"]",
            "private_hosts: \"https://x\"",
        ),
        ("icon = \"missing.png\"", "icon missing.png cannot be read"),
        ("certificates = \"missing.pem\"", "certificates missing.pem"),
        ("[roles]\nboss = \"owner\"", "cannot make owners"),
        ("[roles]\nboss = \"king\"", "\"king\" is not one of"),
        ("[roles]\nboss = \"moderator\"", "need groups_claim"),
        ("[user_groups]\nboss = \"bosses\"", "need groups_claim"),
        (
            "groups_claim = \"g\"\n[user_groups]\nboss = \"\"",
            "[user_groups] must",
        ),
    ] {
        let problem = problem(lines);
        assert!(problem.contains(named), "{lines}: {problem}");
        assert!(problem.contains("company.toml"), "{problem}");
    }
}

#[test]
fn mistakes_of_one_file_are_reported_together_and_without_secrets() {
    let text = "client_secret = \"hidden\"\nissuer = \"http://id.example.org\"\n";
    let problems = read_text(text).unwrap_err();
    assert_eq!(problems.len(), 3, "{problems:?}");
    for named in [
        "issuer must begin with https://",
        "name is missing",
        "client_id is missing",
    ] {
        assert!(
            problems.iter().any(|problem| problem.contains(named)),
            "{named}: {problems:?}"
        );
    }
    for written in ["client_secret = 4711", "client_secret=4711"] {
        let text = COMPANY.replace("client_secret = \"hidden\"", written);
        let problems = read_text(&text).unwrap_err();
        assert!(!problems.join("").contains("4711"), "{problems:?}");
    }
}

#[test]
fn issuers_are_exact_and_safe() {
    let issuer = |issuer: &str, lines: &str| {
        read_text(&format!(
            "{}{lines}",
            COMPANY.replace("https://id.example.org/realms/x", issuer)
        ))
    };
    // A slash at the end is part of the name.
    let kept = issuer("https://id.example.org/application/o/chat/", "").unwrap();
    assert!(kept.issuer.ends_with('/'));
    for wrong in [
        "id.example.org",
        "ftp://id.example.org",
        "https://id.example.org/?x",
        "https://id.example.org/#x",
        "https://user@id.example.org/",
        "http://10.0.0.1/",
    ] {
        assert!(issuer(wrong, "").is_err(), "{wrong}");
    }
    assert!(issuer("http://10.0.0.1/", "private_hosts = [\"10.0.0.1\"]").is_ok());
    let entra = "preset = \"entra\"";
    assert!(issuer("https://login.microsoftonline.com/common/v2.0", entra).is_err());
    assert!(issuer("https://login.microsoftonline.com/5f0b4e2c/v2.0", entra).is_ok());
}

#[test]
fn a_public_provider_creates_accounts_of_named_domains_only() {
    let google = "preset = \"google\"\nclient_id = \"x\"\nclient_secret = \"hidden\"\n";
    let only_matches = read_text(google).unwrap();
    assert_eq!(only_matches.issuer, "https://accounts.google.com");
    assert_eq!(only_matches.name, "Google");
    let open = read_text(&format!("{google}create = true\n")).unwrap_err();
    assert!(open[0].contains("needs domains"), "{open:?}");
    assert!(
        read_text(&format!(
            "{google}create = true\ndomains = [\"example.org\"]\n"
        ))
        .is_ok()
    );
}

#[test]
fn a_folder_has_providers_in_order() {
    let folder = Folder::new();
    let problem = read(folder.path()).unwrap_err();
    assert!(problem[0].contains("no file NAME.toml"), "{problem:?}");
    for (name, order) in [("c", 1), ("b", 2), ("a", 2)] {
        folder.write(
            &format!("{name}.toml"),
            format!("{COMPANY}order = {order}\n"),
        );
    }
    folder.write("notes.txt", "not read");
    let providers = read(folder.path()).unwrap();
    let ids: Vec<&str> = providers
        .iter()
        .map(|provider| provider.id.as_str())
        .collect();
    assert_eq!(ids, ["c", "a", "b"]);
    let positions: Vec<i64> = listed(&providers).iter().map(|one| one.position).collect();
    assert_eq!(positions, [0, 1, 2]);
    folder.write("B.toml", COMPANY);
    assert!(read(folder.path()).unwrap_err()[0].contains("the name of the file"));
    fs::remove_file(folder.path().join("B.toml")).unwrap();
    for number in 0..MAX_PROVIDERS {
        folder.write(&format!("p{number}.toml"), COMPANY);
    }
    assert!(read(folder.path()).unwrap_err()[0].contains("a server may have"));
    assert!(read(&folder.path().join("missing")).is_err());
}
