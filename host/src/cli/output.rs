//! Output of commands: text for people, or one JSON value for scripts.

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
            Form::Json => println!("{json}"),
            Form::Human => {
                let text = human();
                println!("{}", text.trim_end());
            }
        }
    }
}
