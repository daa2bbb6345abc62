//! The process of a server: its command line, its output, and the address at which it listens.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::clock::clock_path;
use super::{Options, binary, repository};
use crate::code_cache::{code_cache, compile_ahead};
use crate::watchdog::Watchdog;
use crate::{PATIENCE, until_within};

/// A start without compiled code compiles all components first, though without optimization.
const LONGEST_START: Duration = Duration::from_secs(90 + PATIENCE.as_secs());
const PAUSE: Duration = Duration::from_millis(5);

type Launched = (Child, Watchdog, Arc<Mutex<String>>, String);

pub(crate) fn launch(directory: &Path, options: &Options) -> Launched {
    let mut command = Command::new(binary());
    command.current_dir(repository()).arg("serve");
    command.arg("--data-dir").arg(directory);
    if !options.extra.iter().any(|word| word == "--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    command.args(["--rate-limit-user", &options.rate_limit_user.to_string()]);
    command.args([
        "--rate-limit-address",
        &options.rate_limit_address.to_string(),
    ]);
    command.arg("--test-clock").arg(clock_path(directory));
    if !options.extra.iter().any(|word| word == "--code-cache") {
        compile_ahead(options.manifest.as_deref());
        command.arg("--code-cache").arg(code_cache());
    }
    // No fixed ports.
    if !options.extra.iter().any(|word| word == "--ops-listen") {
        command.args(["--ops-listen", "none"]);
    }
    if let Some(manifest) = &options.manifest {
        command.arg("--manifest").arg(manifest);
    }
    command.args(&options.extra);
    command.envs(options.environment.iter().cloned());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spindle serve starts");
    let watchdog = Watchdog::over(&child.id().to_string(), directory);
    let log = Arc::new(Mutex::new(String::new()));
    collect(child.stdout.take().expect("stdout"), Arc::clone(&log));
    collect(child.stderr.take().expect("stderr"), Arc::clone(&log));
    let base_url = wait_for_address(&mut child, &log);
    (child, watchdog, log, base_url)
}

fn collect(stream: impl Read + Send + 'static, log: Arc<Mutex<String>>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { break };
            let mut log = log.lock().expect("lock");
            log.push_str(&line);
            log.push('\n');
        }
    });
}

/// Waits until the server prints its address and answers there.
fn wait_for_address(child: &mut Child, log: &Mutex<String>) -> String {
    until_within(LONGEST_START, PAUSE, "the server listens", || {
        let text = log.lock().expect("lock").clone();
        if let Some(base_url) = address_in(&text)
            && std::net::TcpStream::connect(host_and_port(&base_url)).is_ok()
        {
            return Some(base_url);
        }
        if let Some(status) = child.try_wait().expect("wait") {
            panic!("spindle serve ended with {status}:\n{text}");
        }
        None
    })
}

/// The address in a URL.
pub(super) fn host_and_port(base_url: &str) -> &str {
    base_url
        .trim_start_matches("http://")
        .trim_start_matches("https://")
}

/// First `http://host:port`, or `https://`, in a complete line of the output.
fn address_in(text: &str) -> Option<String> {
    let complete = &text[..text.rfind('\n')?];
    let starts = ["http://127.0.0.1:", "https://127.0.0.1:"];
    let (start, length) = starts
        .iter()
        .find_map(|start| Some((complete.find(start)?, start.len())))?;
    let rest = &complete[start..];
    let digits = rest[length..]
        .chars()
        .take_while(char::is_ascii_digit)
        .count();
    let address = &rest[..length + digits];
    (digits > 0 && !address.ends_with(":0")).then(|| address.to_owned())
}
