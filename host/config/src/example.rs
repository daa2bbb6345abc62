//! The text of `spindle config example`, made from the table of options.
//!
//! What it prints is a complete configuration file that changes nothing: every option with
//! its default, options without a default commented out.

use std::fmt::Write as _;

use super::options::TABLE;

/// A documented configuration file with every option at its default.
pub fn example() -> String {
    let mut text = String::from(
        "# Configuration of spindle. Flags and environment variables win over this file.\n\
         # Every option stands here with its default; unknown keys are refused.\n",
    );
    for option in TABLE {
        text.push('\n');
        for line in option.lines {
            let _ = writeln!(text, "#{line}");
        }
        let _ = writeln!(text, "# Environment: {}", option.environment);
        let comment = if option.has_default { "" } else { "# " };
        let _ = writeln!(text, "{comment}{} = {}", option.name, option.value);
    }
    text
}

/// The defaults alone, as TOML.
pub(super) fn defaults() -> String {
    let mut text = String::new();
    for option in TABLE.iter().filter(|option| option.has_default) {
        let _ = writeln!(text, "{} = {}", option.name, option.value);
    }
    text
}
