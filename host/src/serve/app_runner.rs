//! The engine of apps. It starts when the first component is compiled or run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use spindle_apps::{AppEngine, Compiler, tidy_code};
use spindle_domain::apps::{AppEvent, Effect, Entry};
use spindle_jobs::apps::{AppRunner, Load};

/// Runs apps in this process.
pub(super) struct Runner {
    code_cache: PathBuf,
    engine: OnceLock<Result<AppEngine, String>>,
}

impl Runner {
    /// Machine code is kept in a folder, of which [`tidy`] removes it.
    pub(super) fn new(code_cache: &Path) -> Self {
        Self {
            code_cache: folder(code_cache),
            engine: OnceLock::new(),
        }
    }
}

impl Runner {
    fn engine(&self) -> Result<&AppEngine, String> {
        let start = || {
            AppEngine::new(Some(self.code_cache.clone()), Some(compiler()?))
                .map_err(|error| format!("Apps cannot run on this server: {error:#}"))
        };
        self.engine
            .get_or_init(start)
            .as_ref()
            .map_err(Clone::clone)
    }
}

impl AppRunner for Runner {
    fn is_compiled(&self, hash: &str) -> bool {
        self.engine().is_ok_and(|engine| engine.is_compiled(hash))
    }

    fn compile(&self, hash: &str, load: Load<'_>) -> Result<(), String> {
        let compiled = self.engine()?.prepare(hash, load);
        compiled.map_err(|failed| failed.reason)
    }

    fn run(
        &self,
        hash: &str,
        load: Load<'_>,
        event: &AppEvent,
        values: &[Entry],
    ) -> Result<Vec<Effect>, String> {
        let effects = self.engine()?.run(hash, load, event, values);
        effects.map_err(|failed| failed.reason)
    }
}

/// The folder of the code of apps, which has nothing else in it.
fn folder(code_cache: &Path) -> PathBuf {
    code_cache.join("apps")
}

/// Removes machine code of components that are not installed.
pub(super) fn tidy(code_cache: &Path, installed: &HashSet<String>) -> Result<usize, String> {
    tidy_code(&folder(code_cache), installed).map_err(|error| error.to_string())
}

/// This program, which compiles in a process of its own.
fn compiler() -> Result<Compiler, String> {
    // On Linux this is the program that runs, even after an upgrade has replaced its file.
    let program = match cfg!(target_os = "linux") {
        true => PathBuf::from("/proc/self/exe"),
        false => std::env::current_exe().map_err(|error| error.to_string())?,
    };
    Ok(Compiler {
        program,
        arguments: ["app", "compile"].map(str::to_owned).to_vec(),
    })
}
