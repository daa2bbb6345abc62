//! The command line: its commands, and the functions that run them.
//!
//! Owns names and help texts of commands and flags. Must not do the work: every command is a function
//! elsewhere, so that tests can call it without a process.

mod admin;
mod app;
mod components;
mod doctor;
mod error_text;
mod events;
mod health;
mod logging;
mod mail;
mod output;
mod serve;
mod setup;
mod sheet;
mod sheet_reader;
mod target;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand};

use error_text::one_line;
use output::plain;
use spindle_admission::heap;
use spindle_config::Options;

/// A team-chat server made of WebAssembly components.
#[derive(Debug, Parser)]
#[command(name = "spindle", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the whole server: components, event queues, blobs, jobs.
    Serve(Box<serve::Serve>),
    /// Run only the event-queue service, beside `spin up`.
    Events(Box<events::Events>),
    /// Choose organization, owner and address of a new server, before its first start.
    Setup(Box<setup::Setup>),
    /// Administer users, keys, permissions and backups; also while the server runs.
    #[command(subcommand)]
    Admin(Box<admin::Admin>),
    /// Write apps, try them without a server, and administer those of an organization.
    #[command(subcommand)]
    App(Box<app::App>),
    /// Check a server for problems and say what to do about them; changes nothing.
    Doctor(Box<doctor::Doctor>),
    /// Ask the running server whether it serves requests; the exit code says so.
    Health(Box<health::HealthCheck>),
    /// List or extract the components embedded in this program.
    #[command(subcommand)]
    Components(components::Components),
    /// Test the mail server of the configuration.
    #[command(subcommand)]
    Mail(Box<mail::Mail>),
    /// Explain or check the configuration.
    #[command(subcommand)]
    Config(Box<Config>),
}

#[derive(Debug, Subcommand)]
enum Config {
    /// Print a documented configuration file with every option at its default.
    Example,
    /// Report problems of the configuration and of the files, directories and addresses in it, or print
    /// the configuration that would be used.
    Check(Box<ConfigCheck>),
}

#[derive(Debug, Args)]
struct ConfigCheck {
    /// Configuration file; without it, spindle.toml in the data directory, if there is one.
    #[arg(long, value_name = "FILE", env = "SPINDLE_CONFIG")]
    config: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

/// Parses the arguments of the process and runs the command.
pub fn main() -> ExitCode {
    heap::configure();
    match run(Cli::try_parse().unwrap_or_else(|error| without_secrets(error).exit())) {
        Ok(code) => code,
        Err(error) => {
            // On one line; a backtrace does not help at a terminal.
            eprintln!("spindle: {}", one_line(&error));
            ExitCode::FAILURE
        }
    }
}

/// An error of the command line or of a variable, which does not repeat the URL of a database: it may
/// hold a password.
fn without_secrets(mut error: clap::Error) -> clap::Error {
    let names_secret = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::String(argument)) if argument.starts_with("--database-url")
    );
    if names_secret {
        let hidden = ContextValue::String("(not shown)".to_owned());
        error.insert(ContextKind::InvalidValue, hidden);
    }
    let variable = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => variable_of(argument, std::env::args()),
        _ => None,
    };
    if let Some(variable) = variable.filter(|name| std::env::var_os(name).is_some()) {
        let named = ContextValue::String(variable.to_owned());
        error.insert(ContextKind::InvalidArg, named);
    }
    error
}

/// The variable of an option that is not among the arguments, by its name in an error (`--body-limit <BYTES>`).
fn variable_of(argument: &str, given: impl Iterator<Item = String>) -> Option<&'static str> {
    let flag = argument.split([' ', '=']).next().unwrap_or_default();
    let is_flag = |text: &String| text.split('=').next() == Some(flag);
    let is_given = given.into_iter().any(|text| is_flag(&text));
    let options = spindle_config::TABLE.iter().filter(|_| !is_given);
    let mut named = options.filter(|option| format!("--{}", option.name.replace('_', "-")) == flag);
    named.next().map(|option| option.environment)
}

/// Threads of the runtime for each core. A computing guest occupies its thread until the next epoch, and few such
/// guests go on after it (`admission.rs`): with two threads for each
/// core, some stay free for other tasks. The operating system switches between threads much sooner.
const THREADS_A_CORE: usize = 2;

/// Runs a server on a runtime of its own.
fn run_until_stopped(server: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<ExitCode> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores * THREADS_A_CORE)
        .thread_keep_alive(heap::IDLE_THREAD)
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(server);
    // All data is on the disk by now. Dropping idle instances one by one would only delay the exit.
    std::mem::forget(runtime);
    outcome.map(|()| ExitCode::SUCCESS)
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Serve(serve) => serve.run(),
        Command::Events(events) => events.run(),
        Command::Setup(setup) => setup.run(),
        Command::Admin(admin) => admin.run(),
        Command::App(app) => app.run(),
        Command::Doctor(doctor) => doctor.run(),
        Command::Health(health) => health.run(),
        Command::Components(components) => components.run(),
        Command::Mail(mail) => mail.run(),
        Command::Config(config) => config.run(),
    }
}

impl Config {
    fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Example => output::show(spindle_config::example().trim_end()),
            Self::Check(check) => {
                for note in mistyped_variables() {
                    eprintln!("spindle: note: {note}");
                }
                let loaded = spindle_config::load_to_check(check.options, check.config.as_deref());
                let (config, problems) = match loaded {
                    Ok((config, problems)) => (Some(config), problems),
                    Err(error) => (None, error.problems()),
                };
                for problem in &problems {
                    eprintln!("spindle: {}", plain(problem));
                }
                let Some(config) = config else {
                    return Ok(ExitCode::FAILURE);
                };
                // Reports all together: an invalid value does not hide an error in a file.
                let found = crate::serve::preflight(&config);
                for note in &found.notes {
                    eprintln!("spindle: note: {note}");
                }
                for problem in &found.problems {
                    eprintln!("spindle: {}", one_line(problem));
                }
                if !problems.is_empty() || !found.problems.is_empty() {
                    return Ok(ExitCode::FAILURE);
                }
                output::show(toml::to_string(&config)?.trim_end());
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Environment variables that resemble an option's and have no effect.
fn mistyped_variables() -> Vec<String> {
    let options = || {
        spindle_config::TABLE
            .iter()
            .map(|option| option.environment)
    };
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let unknown = names.filter(|name| {
        name.starts_with("SPINDLE_") && options().all(|option| option != name.as_str())
    });
    let notes = unknown.filter_map(|name| {
        // The prefix is common to all, and would hide how much differs.
        let own = |name: &'static str| name.strip_prefix("SPINDLE_");
        let typed = name.strip_prefix("SPINDLE_")?;
        let near = spindle_config::nearest(typed, options().filter_map(own))?;
        (!OTHER_VARIABLES.contains(&&*name))
            .then(|| format!("{name} has no effect; did you mean SPINDLE_{near}?"))
    });
    notes.collect()
}

/// Variables that are no options, and resemble one.
const OTHER_VARIABLES: [&str; 2] = ["SPINDLE_CONFIG", "SPINDLE_BASE_URL"];

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn an_error_names_the_variable_unless_the_flag_was_given() {
        let variable = |given: &[&str]| {
            let given = given.iter().map(|text| (*text).to_owned());
            super::variable_of("--body-limit <BYTES>", given)
        };
        assert_eq!(variable(&["spindle", "serve"]), Some("SPINDLE_BODY_LIMIT"));
        assert_eq!(variable(&["spindle", "--body-limit", "x"]), None);
        assert_eq!(variable(&["spindle", "--body-limit=x"]), None);
    }

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
