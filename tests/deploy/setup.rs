//! An installed server from its configuration file to its first backup, by the commands of its
//! units: nothing starts before `spindle setup`, and the server then runs on its result.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use spindle_tests::server::binary;
use spindle_tests::{Client, Options, Server, forbidden};

use crate::{deploy, read, said, write};

const CHOICE: [&str; 8] = [
    "--organization-name",
    "Example",
    "--owner-email",
    "ada@example.org",
    "--owner-full-name",
    "Ada Lovelace",
    "--external-url",
    "http://127.0.0.1:3000",
];

/// The directories of a package: configuration, data and backups.
struct Installed {
    folder: tempfile::TempDir,
}

impl Installed {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let installed = Self { folder };
        let data = installed.data();
        // As in the package: options at their default are comments.
        write(
            &installed.config(),
            &format!(
                "data_dir = {data:?}\n\n# external_url = \"https://chat.example.org\"\n# The end.\n"
            ),
        );
        installed
    }

    fn config(&self) -> PathBuf {
        self.folder.path().join("spindle.toml")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn backups(&self) -> PathBuf {
        self.folder.path().join("backups")
    }

    /// Runs the command of a unit on this server.
    fn command_of(&self, unit: &str, key: &str) -> Output {
        let text = read(&deploy("systemd").join(unit));
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        let line = line.unwrap_or_else(|| panic!("{key} in {unit}"));
        let mut words = line.split(' ');
        assert_eq!(words.next(), Some("/usr/bin/spindle"));
        let words = words.map(|word| match word {
            "/etc/spindle/spindle.toml" => self.config(),
            "/var/backups/spindle" => self.backups(),
            other => other.into(),
        });
        spindle().args(words).output().expect("spindle runs")
    }

    fn condition(&self) -> Output {
        self.command_of("spindle.service", "ExecCondition=")
    }

    fn setup(&self, words: &[&str]) -> Output {
        let mut command = spindle();
        command.args(["setup", "--config"]).arg(self.config());
        command.args(words).output().expect("spindle runs")
    }
}

/// The program, without a terminal and without the environment's variables.
fn spindle() -> Command {
    let mut command = Command::new(binary());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SPINDLE_")) {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

#[test]
fn nothing_starts_before_the_organization_is_chosen() {
    let installed = Installed::new();
    let before = read(&installed.config());
    for unit in ["spindle.service", "spindle-backup.service"] {
        let refused = installed.command_of(unit, "ExecCondition=");
        // For systemd, 1 to 254 skip the unit, and higher codes are a failure.
        assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
        assert!(
            said(&refused).contains("sudo spindle setup"),
            "{}",
            said(&refused)
        );
    }
    // Without a terminal, the error names the missing values.
    let refused = installed.setup(&CHOICE[..2]);
    assert!(!refused.status.success());
    let text = said(&refused);
    assert!(text.contains("--owner-email, --external-url"), "{text}");
    let wrong = installed.setup(&CHOICE.map(|word| word.split('@').next().unwrap_or(word)));
    assert!(said(&wrong).contains("e-mail address"), "{}", said(&wrong));
    assert_eq!(read(&installed.config()), before);
    assert!(!installed.data().exists());

    let done = installed.setup(&CHOICE);
    assert!(done.status.success(), "{}", said(&done));
    for part in [
        "Example",
        "ada@example.org",
        "spindle serve",
        "admin invite",
    ] {
        assert!(said(&done).contains(part), "{part}: {}", said(&done));
    }
    let config = read(&installed.config());
    assert!(
        config.contains("\nexternal_url = \"http://127.0.0.1:3000\"\n"),
        "{config}"
    );
    assert!(config.contains("# The end.") && !config.contains("chat.example.org"));
    let condition = installed.condition();
    assert!(condition.status.success(), "{}", said(&condition));

    // A second setup is refused.
    let again = installed.setup(&CHOICE);
    assert!(!again.status.success());
    assert!(said(&again).contains("already"), "{}", said(&again));
    assert_eq!(read(&installed.config()), config);

    let backup = installed.command_of("spindle-backup.service", "ExecStart=");
    assert!(backup.status.success(), "{}", said(&backup));
    let made: Vec<_> = std::fs::read_dir(installed.backups())
        .expect("backups")
        .flatten()
        .collect();
    assert_eq!(made.len(), 1, "{made:?}");
    assert!(made[0].path().join("manifest.json").is_file());

    // Errors of the configuration are reported by the server, and not hidden by the condition.
    write(&installed.config(), "data_dri = \"x\"\n");
    let condition = installed.condition();
    assert!(condition.status.success() && said(&condition).contains("data_dri"));
    serves(&installed.data());
}

/// A server that starts on it shows the chosen values.
fn serves(data: &Path) {
    let zuliprc = read(&data.join("owner.zuliprc"));
    let server = Server::spawn_on(data.to_owned(), Options::default());
    let settings = server.anonymous().get("/server_settings", &[]).ok();
    assert_eq!(settings["realm_name"], "Example");
    let value = |name: &str| {
        let line = zuliprc.lines().find_map(|line| line.strip_prefix(name));
        line.expect("a value").to_owned()
    };
    assert_eq!(value("site="), "http://127.0.0.1:3000");
    let owner = Client::new(server.base_url(), Some((&value("email="), &value("key="))));
    let me = owner.get("/users/me", &[]).ok();
    assert_eq!(me["full_name"], "Ada Lovelace");
    assert_eq!(me["is_owner"], true);
}

/// A server that has run already needs no setup, however its organization was created.
#[test]
fn a_server_that_has_run_needs_no_setup() {
    let installed = Installed::new();
    let mut server = Server::spawn_on(installed.data(), Options::default());
    let condition = installed.condition();
    assert!(condition.status.success(), "{}", said(&condition));
    server.terminate();
    assert!(installed.condition().status.success());
    // A setup is refused even if the configuration was written from scratch.
    assert!(!installed.setup(&CHOICE).status.success());
}

/// As root, for a service with an account of its own: all files belong to that account.
#[test]
fn setup_as_root_gives_files_to_the_owner_of_the_data() {
    const SERVICE: u32 = 12_345;
    let installed = Installed::new();
    std::fs::create_dir(installed.data()).expect("data");
    if chown(installed.data(), Some(SERVICE), Some(SERVICE)).is_err() {
        return forbidden("giving a directory to another user: setup as root");
    }
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(installed.folder.path(), open).expect("mode");
    let done = installed.setup(&CHOICE);
    assert!(done.status.success(), "{}", said(&done));
    let entries: Vec<PathBuf> = std::fs::read_dir(installed.data())
        .expect("data")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    assert!(
        entries.iter().any(|path| path.ends_with("spindle.db")),
        "{entries:?}"
    );
    for path in entries {
        let found = path.metadata().expect("file");
        assert_eq!((found.uid(), found.gid()), (SERVICE, SERVICE), "{path:?}");
    }
    let config = installed.config().metadata().expect("file");
    assert_eq!(config.uid(), 0);
    assert!(installed.condition().status.success());
}
