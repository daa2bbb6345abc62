//! The shared libraries that the program requires.
//!
//! Parses the output of `objdump`. The modules of the packages translate the requirements.

use std::path::Path;
use std::process::Command;

use super::output_of;
use crate::run::Outcome;

/// The newest version of the C library that the program requires.
pub(super) fn needed_glibc(program: &Path) -> Outcome<String> {
    let symbols = output_of(Command::new("objdump").arg("--dynamic-syms").arg(program))?;
    newest_glibc(&symbols).ok_or_else(|| "the program does not use the C library".to_owned())
}

/// The files of the libraries that it loads, such as `libc.so.6`.
pub(super) fn needed(program: &Path) -> Outcome<Vec<String>> {
    let headers = output_of(
        Command::new("objdump")
            .arg("--private-headers")
            .arg(program),
    )?;
    Ok(loaded(&headers))
}

fn newest_glibc(symbols: &str) -> Option<String> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let text = rest.split([')', ' ', '\n']).next()?;
        let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        Some((numbers?, text))
    });
    versions.max().map(|(_, text)| text.to_owned())
}

fn loaded(headers: &str) -> Vec<String> {
    let lines = headers.lines().map(str::trim);
    lines
        .filter_map(|line| Some(line.strip_prefix("NEEDED")?.trim().to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{loaded, newest_glibc};

    #[test]
    fn the_newest_version_counts_by_numbers() {
        let symbols = "0 (GLIBC_2.9) a\n0 (GLIBC_2.34) b\n0 (GLIBC_PRIVATE) c\n0 GLIBC_2.2.5 d\n";
        assert_eq!(newest_glibc(symbols).as_deref(), Some("2.34"));
        assert_eq!(newest_glibc("nothing"), None);
    }

    #[test]
    fn libraries_are_found_in_the_dynamic_section() {
        let headers = "Dynamic Section:\n  NEEDED               libgcc_s.so.1\n  INIT   0x1\n\
            \x20 NEEDED               libc.so.6\n";
        assert_eq!(loaded(headers), ["libgcc_s.so.1", "libc.so.6"]);
    }
}
