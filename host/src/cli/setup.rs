//! `spindle setup`: its flags, its questions at a terminal, and the next steps that it prints.
//!
//! `crate::setup` does the work. Owns the choice of the user that does it: root writes the
//! configuration, and the owner of the data directory writes the files in there.

use std::io::{self, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use super::target::{OF_PACKAGE, Settings, TargetServer};
use crate::setup::{self, Choice, Given, Terminal};
use spindle_config::address;
use spindle_config::data_dir::DataDir;
use spindle_config::{BaseUrl, Config, DatabaseUrl};
use spindle_database::Location;
use spindle_system::ownership::Account;

const PASSWORD: &str = "SPINDLE_OWNER_PASSWORD";
const DATABASE_URL: &str = "SPINDLE_DATABASE_URL";

#[derive(Debug, Args)]
pub(super) struct Setup {
    #[command(flatten)]
    target: TargetServer,
    /// Name of the organization.
    #[arg(long, value_name = "NAME", env = "SPINDLE_ORGANIZATION_NAME")]
    organization_name: Option<String>,
    /// Email of its first owner.
    #[arg(long, value_name = "EMAIL", env = "SPINDLE_OWNER_EMAIL")]
    owner_email: Option<String>,
    /// Full name of the owner.
    #[arg(long, value_name = "NAME", env = "SPINDLE_OWNER_FULL_NAME")]
    owner_full_name: Option<String>,
    /// Password of the owner; without it, the owner has only an API key. Visible to other users of the
    /// machine while the command runs: prefer SPINDLE_OWNER_PASSWORD.
    #[arg(long, value_name = "PASSWORD", env = PASSWORD, hide_env_values = true)]
    owner_password: Option<String>,
    /// Address under which clients will reach the server, such as https://chat.example.org.
    #[arg(long, value_name = "URL", env = "SPINDLE_EXTERNAL_URL")]
    external_url: Option<BaseUrl>,
    /// Address that the server listens on [default: as configured, else 127.0.0.1:3000].
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Change nothing: exit with 1 when there is no organization yet, else with 0. What is wrong with
    /// the configuration or the database is for the server to say, and counts as 0.
    #[arg(long)]
    check: bool,
}

impl Setup {
    pub(super) fn run(self) -> Result<ExitCode> {
        let settings = self.target.settings();
        if self.check {
            return Ok(print_outcome(settings));
        }
        let settings = settings?;
        let before = settings.text()?;
        let config = settings.config(&before)?;
        let data = DataDir::new(&config.data_dir);
        let database = Location::of(&config, &data);
        if setup::is_done(&database)? {
            bail!(
                "{database} has an organization already, and stays as it is; OPERATIONS.md says how to change \
                 its name, its owner and its address"
            );
        }
        let url = self.target.given_url();
        let choice = self.choice(&config)?;
        choice.check()?;
        let after = setup::changed(&before, &choice);
        let config = settings.config(&after)?;
        let is_within = is_within(&settings.file, &data);
        let owner = Account::served_by_root(data.path());
        if !is_within {
            // As the calling user: root, for the file of a package.
            write(&settings.file, &before, &after)?;
        }
        if let Some(owner) = owner {
            let file = (!is_within).then_some(&*settings.file);
            return go_on_as(owner, &data, file, url.as_ref(), &choice);
        }
        data.create()?;
        if is_within {
            write(&settings.file, &before, &after)?;
        }
        setup::create(&data, &database, &choice)?;
        if let Location::Server(url) = &database
            && !names_database(&after)
        {
            eprintln!(
                "warning: {} does not name {url}: the server needs {DATABASE_URL} as well, such as in an \
                 EnvironmentFile of its unit",
                settings.file.display()
            );
        }
        for warning in setup::warnings(&config) {
            eprintln!("warning: {warning}");
        }
        println!("{}", next_steps(&settings.file, &config, &choice));
        Ok(ExitCode::SUCCESS)
    }

    fn choice(self, config: &Config) -> Result<Choice> {
        let given = Given {
            organization: self.organization_name,
            owner_email: self.owner_email,
            owner_full_name: self.owner_full_name,
            owner_password: self.owner_password,
            external_url: self.external_url,
            listen: self.listen,
        };
        if !io::stdin().is_terminal() {
            return setup::complete(given);
        }
        let listen = given.listen.unwrap_or(config.listen);
        let here = format!(
            "{}://{}",
            address::scheme(config),
            address::reachable(listen)
        );
        setup::ask(given, &here, &mut Standard)
    }
}

/// Reports to the service manager whether setup is done; the service starts only then.
fn print_outcome(settings: Result<Settings>) -> ExitCode {
    let done = settings.and_then(|settings| {
        let config = settings.config(&settings.text()?)?;
        let data = DataDir::new(&config.data_dir);
        setup::is_done(&Location::of(&config, &data))
    });
    match done {
        Ok(true) => println!("there is an organization"),
        Ok(false) => {
            eprintln!("spindle: there is no organization yet: run `sudo spindle setup` first");
            return ExitCode::FAILURE;
        }
        Err(error) => eprintln!("spindle: {error:#}"),
    }
    ExitCode::SUCCESS
}

fn write(file: &Path, before: &str, after: &str) -> Result<()> {
    if before == after {
        return Ok(());
    }
    setup::write(file, after)
}

/// Whether a configuration names the database on a server.
fn names_database(text: &str) -> bool {
    let is_named = |line: &str| line.trim_start().starts_with("database_url");
    text.lines().any(is_named)
}

/// Whether the configuration file is in the data directory.
fn is_within(file: &Path, data: &DataDir) -> bool {
    file.parent() == Some(data.path())
}

/// Continues as that user, so that root writes no files in a directory of another user.
fn go_on_as(
    Account { user, group }: Account,
    data: &DataDir,
    file: Option<&Path>,
    url: Option<&DatabaseUrl>,
    choice: &Choice,
) -> Result<ExitCode> {
    let mut command = Command::new("/proc/self/exe");
    command.arg("setup").arg("--data-dir").arg(data.path());
    if let Some(file) = file {
        command.arg("--config").arg(file);
    }
    command.args(["--organization-name", &choice.organization]);
    command.args(["--owner-email", &choice.owner_email]);
    command.args(["--owner-full-name", &choice.owner_full_name]);
    command.args(["--external-url", &choice.external_url.0]);
    if let Some(listen) = choice.listen {
        command.args(["--listen", &listen.to_string()]);
    }
    if let Some(password) = &choice.owner_password {
        command.env(PASSWORD, password);
    }
    if let Some(url) = url {
        command.env(DATABASE_URL, url.whole());
    }
    let error = command.uid(user).gid(group).stdin(Stdio::null()).exec();
    Err(error).with_context(|| format!("cannot go on as user {user}, who owns the data directory"))
}

fn next_steps(file: &Path, config: &Config, choice: &Choice) -> String {
    let data = DataDir::new(&config.data_dir);
    let is_package = file == Path::new(OF_PACKAGE);
    let (start, invite) = if is_package {
        (
            "sudo systemctl start spindle".to_owned(),
            "sudo -u spindle spindle admin invite".to_owned(),
        )
    } else {
        let mut place = format!("--data-dir {}", data.path().display());
        if !is_within(file, &data) {
            place = format!("--config {} {place}", file.display());
        }
        (
            format!("spindle serve {place}"),
            format!("spindle admin invite {place}"),
        )
    };
    let mut lines = vec![
        format!(
            "{} is set up; its owner is {}",
            choice.organization, choice.owner_email
        ),
        format!("  configuration: {}", file.display()),
        format!(
            "  the owner's client configuration, with an API key: {}",
            data.owner_zuliprc().display()
        ),
        "next:".to_owned(),
        format!("  start the server: {start}"),
    ];
    lines.extend(proxy_step(config));
    if is_package {
        lines.push(
            "  take a backup every night: sudo systemctl enable --now spindle-backup.timer"
                .to_owned(),
        );
    }
    lines.push(format!(
        "  open {} in a browser: sign in and chat",
        choice.external_url.0
    ));
    lines.push(format!("  invite people: {invite} ADDRESS..."));
    lines.join("\n")
}

/// Steps that are left before clients reach the address by TLS.
fn proxy_step(config: &Config) -> Option<String> {
    let BaseUrl(address) = config.external_url.as_ref()?;
    let is_missing = address.starts_with("https://") && config.tls_cert.is_none();
    is_missing.then(|| {
        let trusted = match config.trusted_proxies.0.is_empty() {
            true => "; name its address in trusted_proxies",
            false => "",
        };
        format!(
            "  put a proxy with TLS in front of {} (nginx, Caddy and haproxy are in the examples){trusted}; or \
             set tls_cert and tls_key",
            config.listen
        )
    })
}

/// Standard input and output.
struct Standard;

impl Standard {
    fn read() -> io::Result<String> {
        let mut line = String::new();
        if io::stdin().read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end_matches(['\n', '\r']).to_owned())
    }

    fn show(text: &str) -> io::Result<()> {
        let mut output = io::stdout();
        output.write_all(text.as_bytes())?;
        output.flush()
    }
}

impl Terminal for Standard {
    fn line(&mut self, question: &str) -> io::Result<String> {
        Self::show(question)?;
        Self::read()
    }

    fn hidden(&mut self, question: &str) -> io::Result<String> {
        Self::show(question)?;
        let stdin = io::stdin();
        let shown = tcgetattr(&stdin)?;
        let mut silent = shown.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&stdin, OptionalActions::Now, &silent)?;
        let answer = Self::read();
        tcsetattr(&stdin, OptionalActions::Now, &shown)?;
        Self::show("\n")?;
        answer
    }

    fn print(&mut self, text: &str) -> io::Result<()> {
        Self::show(&format!("{text}\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_steps_name_a_proxy_that_is_missing() {
        let mut config = spindle_config::defaults().unwrap().resolve().unwrap();
        let mut choice = Choice {
            organization: "Example".to_owned(),
            owner_email: "ada@example.org".to_owned(),
            owner_full_name: "Ada".to_owned(),
            owner_password: None,
            external_url: "https://chat.example.org".parse().unwrap(),
            listen: None,
        };
        let said = |config: &Config, choice: &Choice| {
            next_steps(Path::new("/etc/own.toml"), config, choice)
        };
        config.external_url = Some(choice.external_url.clone());
        let steps = said(&config, &choice);
        for words in [
            "proxy",
            "127.0.0.1:3000",
            "trusted_proxies",
            "--config /etc/own.toml",
        ] {
            assert!(steps.contains(words), "{words}: {steps}");
        }
        config.trusted_proxies = "127.0.0.1".parse().unwrap();
        assert!(!said(&config, &choice).contains("trusted_proxies"));
        choice.external_url = "http://127.0.0.1:3000".parse().unwrap();
        config.external_url = Some(choice.external_url.clone());
        assert!(!said(&config, &choice).contains("proxy"));
    }
}
