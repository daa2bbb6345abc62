//! `spindle admin people`: creates or invites everybody on a list.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use spindle_actions::users::{PersonColumn, PersonLine};
use spindle_domain::Role;
use spindle_domain::limits::MAX_PASSWORD_LINK_DAYS;

use super::super::output::TableOutput;
use super::super::sheet_reader::{self, Row};
use super::super::target::TargetServer;
use super::invite::Links;
use crate::admin::{Importing, PersonOutcome, PersonReport, Session};

const COLUMNS: [&str; 7] = [
    "line", "email", "outcome", "user_id", "link", "column", "note",
];

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum People {
    /// Create an account for everybody on a list, or invite them. Repeated, it goes on where it stopped.
    Import(Import),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct Import {
    #[command(flatten)]
    target: TargetServer,
    #[command(flatten)]
    output: TableOutput,
    /// The list, as CSV with a line of headings: `email`, `full_name`, and optionally `role`, `channels` and `groups`,
    /// which contain names with semicolons between them. `-`: standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only check the list.
    #[arg(long)]
    dry_run: bool,
    /// Invite the people in place of creating accounts: each chooses their own name.
    #[arg(long)]
    invite: bool,
    /// Days after which the links stop working.
    #[arg(long, value_name = "N", default_value_t = 7,
        value_parser = clap::value_parser!(i64).range(1..=MAX_PASSWORD_LINK_DAYS))]
    days: i64,
    #[command(flatten)]
    links: Links,
}

/// A line of the list: what it says, or which column is wrong.
type Line = (usize, String, Result<PersonLine, (&'static str, String)>);

impl People {
    pub(super) fn target(&self) -> &TargetServer {
        let Self::Import(import) = self;
        &import.target
    }

    pub(super) fn run(self) -> Result<ExitCode> {
        let Self::Import(import) = self;
        import.run()
    }
}

impl Import {
    fn run(self) -> Result<ExitCode> {
        let file = self.file.display();
        let lines =
            lines(&sheet_reader::text_of(&self.file)?).with_context(|| format!("{file}"))?;
        let session = Session::open_to_administer(self.target.location()?)?;
        let site = self.links.site(&self.target)?;
        let secret = if self.invite && !self.dry_run {
            self.links.secret(&self.target)?
        } else {
            String::new()
        };
        let invite = self.links.terms(Role::Member, self.days, &site, &secret);
        let how = match (self.dry_run, self.invite) {
            (true, _) => Importing::Checking,
            (false, true) => Importing::Inviting(&invite),
            (false, false) => Importing::Creating {
                days: self.days,
                site: &site,
            },
        };
        let needs_name = !self.invite;
        let mut refused = 0;
        // Each line is printed as soon as it is done, so an interruption loses no link.
        let printer = self.output.begin(&COLUMNS);
        for (line, email, person) in lines {
            let report = match person {
                Ok(person) if needs_name && person.full_name.is_none() => {
                    PersonReport::refused(Some("full_name"), "a name is needed".to_owned())
                }
                Ok(person) => session.import_person(how, &person)?,
                Err((column, why)) => PersonReport::refused(Some(column), why),
            };
            refused += usize::from(report.outcome == PersonOutcome::Refused);
            let text = text(line, &email, &report);
            printer.row(&row(line, &email, &report)?, &text);
        }
        printer.end();
        Ok(if refused == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

fn row(line: usize, email: &str, report: &PersonReport) -> Result<Value> {
    let mut row = serde_json::to_value(report)?;
    if let Some(fields) = row.as_object_mut() {
        fields.insert("line".to_owned(), json!(line));
        fields.insert("email".to_owned(), json!(email));
    }
    Ok(row)
}

fn text(line: usize, email: &str, report: &PersonReport) -> String {
    let what = match report.outcome {
        PersonOutcome::New => "new",
        PersonOutcome::Created => "created",
        PersonOutcome::Invited => "invited",
        PersonOutcome::Unchanged => "unchanged",
        PersonOutcome::Refused => "refused",
    };
    let mut text = format!("line {line}: {email}  {what}");
    if let Some(link) = &report.link {
        text.push_str("  ");
        text.push_str(link);
    }
    if let Some(column) = report.column {
        text.push_str(", column ");
        text.push_str(column);
    }
    if let Some(note) = &report.note {
        text.push_str(": ");
        text.push_str(note);
    }
    text
}

/// The lines after the headings.
fn lines(text: &str) -> Result<Vec<Line>> {
    let mut rows = sheet_reader::read(text)?.into_iter();
    let Some(headings) = rows.next() else {
        bail!("the list is empty");
    };
    let columns = columns(&headings)?;
    let mut seen = BTreeSet::new();
    let mut lines = Vec::new();
    for row in rows {
        let number = row.line;
        let mut person = person(&row, &columns);
        let email = row_email(&row, &columns);
        if person.is_ok() && !seen.insert(spindle_actions::fold_name(&email)) {
            person = Err(("email", "the address is on an earlier line".to_owned()));
        }
        lines.push((number, email, person));
    }
    Ok(lines)
}

fn columns(headings: &Row) -> Result<Vec<PersonColumn>> {
    let mut columns: Vec<PersonColumn> = Vec::new();
    for heading in &headings.fields {
        let name = heading.trim().to_lowercase();
        let known = PersonColumn::ALL.into_iter().find(|one| one.name() == name);
        let Some(column) = known else {
            let known = PersonColumn::ALL.map(PersonColumn::name).join(", ");
            bail!("line 1: there is no column {heading:?}; there are {known}");
        };
        if columns.contains(&column) {
            bail!("line 1: the column {name} is there twice");
        }
        columns.push(column);
    }
    if !columns.contains(&PersonColumn::Email) {
        bail!("line 1: the column email is missing");
    }
    Ok(columns)
}

fn row_email(row: &Row, columns: &[PersonColumn]) -> String {
    let place = columns.iter().position(|one| *one == PersonColumn::Email);
    let field = place.and_then(|place| row.fields.get(place));
    field.map_or_else(String::new, |field| field.trim().to_owned())
}

fn person(row: &Row, columns: &[PersonColumn]) -> Result<PersonLine, (&'static str, String)> {
    if let Some(extra) = row.fields.get(columns.len()) {
        let last = columns.last().map_or("email", |column| column.name());
        return Err((last, format!("there is another value behind it: {extra:?}")));
    }
    let mut person = PersonLine::default();
    for (column, field) in columns.iter().zip(&row.fields) {
        let field = field.trim();
        match column {
            PersonColumn::Email => field.clone_into(&mut person.email),
            PersonColumn::FullName if field.is_empty() => {}
            PersonColumn::FullName => person.full_name = Some(field.to_owned()),
            PersonColumn::Role if field.is_empty() => {}
            PersonColumn::Role => person.role = role(field)?,
            PersonColumn::Channels => person.channels = names(field),
            PersonColumn::Groups => person.groups = names(field),
        }
    }
    Ok(person)
}

fn role(text: &str) -> Result<Role, (&'static str, String)> {
    let wanted = text.to_lowercase();
    let found = Role::ALL.into_iter().find(|role| role.name() == wanted);
    found.ok_or_else(|| {
        let known = Role::ALL.map(Role::name).join(", ");
        ("role", format!("{text:?} is not one of {known}"))
    })
}

fn names(field: &str) -> Vec<String> {
    let names = field.split(';').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}
