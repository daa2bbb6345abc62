//! `spindle-packer`: builds an rpm package from a directory with the layout of the installed system.
//!
//! A separate program, because `xtask` has no dependencies. Owns the rpm attributes of files (configuration,
//! documentation, licence; owners) and the header; `xtask` decides the content of the directory,
//! `deploy/rpm` the scripts. Installs nothing.

mod description;
mod files;

use std::path::{Path, PathBuf};
use std::{fs, process::ExitCode};

use anyhow::{Context as _, Result};
use clap::Parser;
use rpm::{BuildConfig, CompressionWithLevel, Dependency, PackageBuilder, Scriptlet};

use description::Description;

/// The highest level is smaller by a tenth but takes three times as long.
const COMPRESSION: CompressionWithLevel = CompressionWithLevel::Gzip(6);
/// A constant, so that the package does not depend on the build machine.
const BUILD_HOST: &str = "localhost";

/// Writes an rpm package.
#[derive(Debug, Parser)]
struct Arguments {
    /// The directory that represents `/` of the system.
    #[arg(long, value_name = "DIRECTORY")]
    root: PathBuf,
    /// The directory with `package.toml` and the scripts.
    #[arg(long, value_name = "DIRECTORY")]
    sources: PathBuf,
    /// Such as 0.1.0.
    #[arg(long)]
    package_version: String,
    /// Such as x86_64.
    #[arg(long)]
    architecture: String,
    /// Time of every file and of the package, in seconds since 1970.
    #[arg(long)]
    time: u32,
    /// A capability that the program requires, such as `libc.so.6(GLIBC_2.34)(64bit)`; may be repeated.
    #[arg(long, value_name = "CAPABILITY")]
    requires: Vec<String>,
    /// The package to write.
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

fn main() -> ExitCode {
    match make(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("spindle-packer: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn make(arguments: &Arguments) -> Result<()> {
    let description = Description::read(&arguments.sources.join("package.toml"))?;
    let config = BuildConfig::v4()
        .compression(COMPRESSION)
        .source_date(arguments.time)
        .reserved_space(None);
    let mut builder = PackageBuilder::new(
        &description.name,
        &arguments.package_version,
        &description.license,
        &arguments.architecture,
        &description.summary,
    );
    builder.using_config(config);
    builder.build_host(BUILD_HOST);
    description.describe(&mut builder);
    for capability in &arguments.requires {
        builder.requires(Dependency::any(capability));
    }
    let evr = format!("{}-1", arguments.package_version);
    builder.add_changelog_entry(
        format!("{} - {evr}", description.packager),
        description.changes.trim_end(),
        arguments.time,
    );
    add_scripts(&mut builder, &arguments.sources)?;
    files::add(&mut builder, &arguments.root)?;
    let package = builder.build().context("the package cannot be made")?;
    package
        .write_file(&arguments.output)
        .with_context(|| arguments.output.display().to_string())
}

fn add_scripts(builder: &mut PackageBuilder, sources: &Path) -> Result<()> {
    let script = |name: &str| -> Result<Scriptlet> {
        let path = sources.join(name);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok(Scriptlet::new(text).prog(vec!["/bin/sh"]))
    };
    builder.pre_install_script(script("pre")?);
    builder.post_install_script(script("post")?);
    builder.pre_uninstall_script(script("preun")?);
    builder.post_uninstall_script(script("postun")?);
    Ok(())
}
