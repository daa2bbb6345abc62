//! Lists the files of `migrations/` (SQLite) and `migrations/postgres/`, in the order of their numbers, as tables of names
//! and texts.
//!
//! Must not look into the files; a test of the crate checks the numbers.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../../migrations");
    println!("cargo::rerun-if-changed={}", folder.display());
    let folder = folder.canonicalize()?;
    list(&folder, "migrations.rs")?;
    list(&folder.join("postgres"), "postgres_migrations.rs")
}

fn list(folder: &Path, target: &str) -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "sql") {
            files.push(path);
        }
    }
    files.sort();
    let mut table = String::from("&[");
    for path in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let path = path.display().to_string();
        write!(table, "({name:?}, include_str!({path:?})),")?;
    }
    table.push(']');
    let target = PathBuf::from(env::var("OUT_DIR")?).join(target);
    fs::write(target, table)?;
    Ok(())
}
