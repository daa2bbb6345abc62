//! Output of commands: text for people, or one JSON value for scripts.

use std::io::{self, Write as _};

use clap::{Args, ValueEnum};
use serde_json::Value;

/// The output flag of every administrative command.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Output {
    /// How the result is printed.
    #[arg(long = "output", value_enum, default_value_t = Form::Human, value_name = "FORM")]
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Text for people.
    Human,
    /// One JSON value on one line, for scripts.
    Json,
}

impl Output {
    /// Prints `human` or `json`, depending on the flag.
    pub(super) fn print(self, json: &Value, human: impl FnOnce() -> String) {
        match self.form {
            Form::Json => show(&json.to_string()),
            Form::Human => show(human().trim_end()),
        }
    }
}

/// Prints a result with the end of its last line. A reader that has seen enough, such as `head`, is no error.
pub(super) fn show(text: &str) {
    let mut output = io::stdout().lock();
    let printed = writeln!(output, "{text}").and_then(|()| output.flush());
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("spindle: the result cannot be printed: {error}");
        }
        _ => {}
    }
}
