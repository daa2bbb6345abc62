//! Questions at a terminal for choices that no flag gives; without a terminal, an error that names the
//! missing flags.

use std::io;
use std::net::SocketAddr;

use anyhow::{Context as _, Result, bail};

use super::Choice;
use spindle_config::BaseUrl;

/// The owner's name if none is chosen.
const OWNER: &str = "Owner";

/// The choices given by flags and environment.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// As in [`Choice`].
    pub organization: Option<String>,
    /// As in [`Choice`].
    pub owner_email: Option<String>,
    /// As in [`Choice`].
    pub owner_full_name: Option<String>,
    /// As in [`Choice`].
    pub owner_password: Option<String>,
    /// As in [`Choice`].
    pub external_url: Option<BaseUrl>,
    /// As in [`Choice`].
    pub listen: Option<SocketAddr>,
}

/// The terminal for questions.
pub trait Terminal {
    /// Shows a text and reads a line.
    fn line(&mut self, question: &str) -> io::Result<String>;
    /// As [`Self::line`]; the answer is not shown while it is typed.
    fn hidden(&mut self, question: &str) -> io::Result<String>;
    /// Shows a line.
    fn print(&mut self, text: &str) -> io::Result<()>;
}

/// The choice, without any question.
///
/// # Errors
/// Names the flags that are missing.
pub fn complete(given: Given) -> Result<Choice> {
    let mut missing = Vec::new();
    for (flag, is_given) in [
        ("--organization-name", given.organization.is_some()),
        ("--owner-email", given.owner_email.is_some()),
        ("--external-url", given.external_url.is_some()),
    ] {
        if !is_given {
            missing.push(flag);
        }
    }
    let (Some(organization), Some(owner_email), Some(external_url)) =
        (given.organization, given.owner_email, given.external_url)
    else {
        bail!(
            "there is no terminal to ask at: {} must be given",
            missing.join(", ")
        );
    };
    Ok(Choice {
        organization,
        owner_email,
        owner_full_name: given.owner_full_name.unwrap_or_else(|| OWNER.to_owned()),
        owner_password: given.owner_password,
        external_url,
        listen: given.listen,
    })
}

/// The choice, with a question for everything that was not given. `here` is the address by which
/// only this machine reaches the server.
pub fn ask(given: Given, here: &str, terminal: &mut impl Terminal) -> Result<Choice> {
    // Each answer is checked separately, with valid values for the others.
    let mut choice = Choice {
        organization: "Example".to_owned(),
        owner_email: "owner@example.org".to_owned(),
        owner_full_name: OWNER.to_owned(),
        owner_password: None,
        external_url: here.parse().map_err(anyhow::Error::msg)?,
        listen: given.listen,
    };
    question(
        terminal,
        given.organization,
        "Name of the organization: ",
        |answer| {
            choice.organization = answer.to_owned();
            choice.check()
        },
    )?;
    question(
        terminal,
        given.owner_email,
        "Email of its owner: ",
        |answer| {
            choice.owner_email = answer.to_owned();
            choice.check()
        },
    )?;
    question(
        terminal,
        given.owner_full_name,
        "Name of the owner: ",
        |answer| {
            choice.owner_full_name = answer.to_owned();
            choice.check()
        },
    )?;
    match given.owner_password {
        Some(password) => choice.owner_password = Some(password),
        None => loop {
            let text = "Password of the owner (none: an API key only): ";
            let answer = terminal.hidden(text)?;
            choice.owner_password = Some(answer).filter(|answer| !answer.is_empty());
            match choice.check() {
                Ok(()) => break,
                Err(error) => terminal.print(&format!("  {error:#}"))?,
            }
        },
    }
    let text =
        format!("Address under which clients reach the server [{here}, this machine only]: ");
    let url = given.external_url.map(|BaseUrl(url)| url);
    question(terminal, url, &text, |answer| {
        if !answer.is_empty() {
            choice.external_url = answer.parse().map_err(anyhow::Error::msg)?;
        }
        Ok(())
    })?;
    Ok(choice)
}

/// Repeats a question until its answer is valid; asks nothing if the answer was given.
fn question(
    terminal: &mut impl Terminal,
    given: Option<String>,
    text: &str,
    mut take: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    if let Some(given) = given {
        return take(&given);
    }
    loop {
        let answer = terminal.line(text).context("there is no answer")?;
        match take(answer.trim()) {
            Ok(()) => return Ok(()),
            Err(error) => terminal.print(&format!("  {error:#}"))?,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::io;

    use super::{Given, Terminal, ask, complete};

    /// A terminal with prepared answers, in order.
    struct Script {
        answers: VecDeque<&'static str>,
        said: Vec<String>,
    }

    impl Terminal for Script {
        fn line(&mut self, _: &str) -> io::Result<String> {
            let answer = self.answers.pop_front().map(str::to_owned);
            answer.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
        }

        fn hidden(&mut self, question: &str) -> io::Result<String> {
            self.line(question)
        }

        fn print(&mut self, text: &str) -> io::Result<()> {
            self.said.push(text.to_owned());
            Ok(())
        }
    }

    const HERE: &str = "http://127.0.0.1:3000";

    fn script(answers: &[&'static str]) -> Script {
        Script {
            answers: answers.iter().copied().collect(),
            said: Vec::new(),
        }
    }

    #[test]
    fn a_wrong_answer_is_asked_for_again() {
        let mut terminal = script(&[
            "",
            "Example",
            "nobody",
            "ada@example.org",
            "Ada",
            "",
            "chat.example.org",
            "https://chat.example.org",
        ]);
        let choice = ask(Given::default(), HERE, &mut terminal).unwrap();
        assert_eq!(terminal.said.len(), 3, "{:?}", terminal.said);
        assert_eq!(choice.organization, "Example");
        assert_eq!(choice.owner_email, "ada@example.org");
        assert_eq!(choice.owner_full_name, "Ada");
        assert_eq!(choice.owner_password, None);
        assert_eq!(choice.external_url.0, "https://chat.example.org");
    }

    #[test]
    fn what_is_given_is_not_asked_for() {
        let given = Given {
            organization: Some("Example".to_owned()),
            owner_full_name: Some("Ada".to_owned()),
            owner_password: Some("correct horse battery".to_owned()),
            ..Given::default()
        };
        let mut terminal = script(&["ada@example.org", ""]);
        let choice = ask(given, HERE, &mut terminal).unwrap();
        assert_eq!(choice.external_url.0, HERE);
        assert!(terminal.answers.is_empty());
        assert!(ask(Given::default(), HERE, &mut script(&["Example"])).is_err());
    }

    #[test]
    fn without_a_terminal_missing_flags_are_named() {
        let given = Given {
            owner_email: Some("ada@example.org".to_owned()),
            ..Given::default()
        };
        let error = complete(given).unwrap_err().to_string();
        assert!(
            error.contains("--organization-name, --external-url"),
            "{error}"
        );
    }
}
