//! Compiles a component in a process of its own, since what an administrator uploads decides how much memory that takes.

use std::io::{Read as _, Write as _, copy, sink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use wasmtime::{Result, format_err};

/// Longest time of a compilation. Its processor time is bounded separately; on a busy computer it mostly waits, since it
/// has the lowest priority.
const TIME: Duration = Duration::from_secs(900);
/// Between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(10);
/// Bytes of its error that are read.
const MAX_ERROR: u64 = 2000;

/// The program that compiles: it reads a component from standard input, writes the machine code into the folder of its last
/// argument, and says on standard error why it cannot.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// Its path.
    pub program: PathBuf,
    /// Before the folder.
    pub arguments: Vec<String>,
}

impl Compiler {
    /// Waits for it.
    pub(crate) fn compile(&self, wasm: &[u8], folder: &Path) -> Result<()> {
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .arg(folder)
            // It needs none of the secrets there.
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = Running(child?);
        // It could not end while its error fills the pipe.
        let errors = child.0.stderr.take().map(|mut errors| {
            std::thread::spawn(move || {
                let mut kept = Vec::new();
                let read = errors.by_ref().take(MAX_ERROR).read_to_end(&mut kept);
                let _ = read.and_then(|_| copy(&mut errors, &mut sink()));
                kept
            })
        });
        if let Some(mut input) = child.0.stdin.take() {
            // A program that ends early says why.
            let _ = input.write_all(wasm);
        }
        let started = Instant::now();
        let status = loop {
            match child.0.try_wait()? {
                Some(status) => break status,
                None if started.elapsed() > TIME => {
                    return Err(format_err!("compiling took longer than {TIME:?}"));
                }
                None => std::thread::sleep(LOOK),
            }
        };
        if status.success() {
            return Ok(());
        }
        let error = errors.and_then(|errors| errors.join().ok());
        let error = error.unwrap_or_default();
        let error = String::from_utf8_lossy(&error);
        match error.trim() {
            "" => Err(format_err!("compiling ended with {status}")),
            error => Err(format_err!("{error}")),
        }
    }
}

/// Ends the process with the value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
