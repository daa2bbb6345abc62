//! `spindle app configure`: settings, and secrets, which come from the standard input so that other users of the machine do
//! not see them.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::Value;
use spindle_actions::apps::AppChange;
use spindle_domain::apps::limits;

use super::manage::Named;

#[derive(Debug, Args)]
pub(in crate::cli) struct Configure {
    #[command(flatten)]
    named: Named,
    /// Settings and their new values.
    #[arg(value_name = "SETTING=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// A setting that gets its default again; may be repeated.
    #[arg(long, value_name = "SETTING")]
    reset: Vec<String>,
    /// A secret, whose value is read from the standard input.
    #[arg(long, value_name = "NAME")]
    secret: Option<String>,
    /// A secret that is removed; may be repeated.
    #[arg(long, value_name = "NAME")]
    remove_secret: Vec<String>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| "write SETTING=VALUE".to_owned())?;
    Ok((name.to_owned(), value.to_owned()))
}

impl Configure {
    /// Without a setting or secret, only prints the app.
    pub(super) fn run(self) -> Result<ExitCode> {
        let Named { common, name } = &self.named;
        let change = self.change()?;
        common.run(|apps| {
            common.print(&match change == AppChange::default() {
                true => apps.find(name)?,
                false => apps.change(name, &change)?,
            })
        })
    }

    fn change(&self) -> Result<AppChange> {
        let set = self.settings.iter().cloned();
        let set = set.map(|(name, value)| (name, Value::String(value)));
        let reset = self.reset.iter().map(|name| (name.clone(), Value::Null));
        let settings: BTreeMap<_, _> = set.chain(reset).collect();
        let removed = self.remove_secret.iter().map(|name| (name.clone(), None));
        let mut secrets: BTreeMap<_, _> = removed.collect();
        if let Some(name) = &self.secret {
            secrets.insert(name.clone(), Some(from_input()?));
        }
        Ok(AppChange {
            settings: (!settings.is_empty()).then_some(settings),
            secrets: (!secrets.is_empty()).then_some(secrets),
            ..AppChange::default()
        })
    }
}

/// The standard input without the end of its last line; of a longer text than a secret has, enough to be refused.
fn from_input() -> Result<String> {
    let most = limits::SETTING_BYTES as u64 + 2;
    let mut text = String::new();
    let read = io::stdin().lock().take(most).read_to_string(&mut text);
    read.context("cannot read the secret from the standard input")?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

#[cfg(test)]
mod tests {
    use super::setting;

    #[test]
    fn a_setting_has_a_name_and_a_value() {
        let pair = |name: &str, value: &str| Ok((name.to_owned(), value.to_owned()));
        assert_eq!(
            setting("url=https://x.org/?a=b"),
            pair("url", "https://x.org/?a=b")
        );
        assert_eq!(setting("text="), pair("text", ""));
        assert!(setting("text").is_err());
    }
}
