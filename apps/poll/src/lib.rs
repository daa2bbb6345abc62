//! An app: polls with buttons and a deadline.
//!
//! `/vote question` with a line for each answer makes a message with buttons. The poll is kept in the values of that
//! message; each click counts one vote of a person, and a tick ends it.

mod poll;
mod question;

use spindle_app::{
    Click, Command, Edit, Effect, Event, Happening, Reply, Scope, Values, log, store,
};

use poll::{Ballot, Poll};
use question::Question;

spindle_app::app!("../app.json", handle);

const DEADLINE: &str = "deadline";

fn handle(event: Event, values: Values) -> Vec<Effect> {
    match &event.what {
        Happening::Command(command) => ask(&event, command),
        Happening::Click(click) => vote(&event, click, &values),
        Happening::Tick(_) => end(&event, &values),
        Happening::EffectFailed(failed) => {
            vec![log(format!("{} failed: {}", failed.effect, failed.reason))]
        }
        _ => Vec::new(),
    }
}

fn ask(event: &Event, command: &Command) -> Vec<Effect> {
    let question = match Question::read(&command.text) {
        Ok(question) => question,
        Err(problem) => {
            let sender = command.message.sender.id;
            return vec![Reply::new(problem).only_for(sender).into()];
        }
    };
    let poll = Poll {
        text: question.text,
        answers: question.answers,
        deadline: question.seconds.map(|seconds| event.time + seconds),
        shows_names: event.setting_as("show_names").unwrap_or(false),
    };
    let mut reply = Reply::new(poll.draw(&[], false));
    for (id, label) in poll.buttons() {
        reply = reply.button(id, label);
    }
    for (key, value) in poll.values() {
        reply = reply.value(key, value);
    }
    if let Some(deadline) = poll.deadline {
        reply = reply.tick(DEADLINE, deadline);
    }
    vec![reply.into()]
}

fn vote(event: &Event, click: &Click, values: &Values) -> Vec<Effect> {
    let Some(poll) = Poll::of(values) else {
        return Vec::new();
    };
    let Some(answer) = poll.answer_of(&click.button) else {
        return Vec::new();
    };
    // The tick comes a moment after the deadline.
    if poll.deadline.is_some_and(|deadline| event.time >= deadline) {
        let late = Reply::new("This poll has ended.").only_for(click.person.id);
        return vec![late.into()];
    }
    let ballot = Ballot {
        person: click.person.id,
        name: click.person.name.clone(),
        answer,
    };
    let mut ballots = Ballot::all(values);
    if ballots.contains(&ballot) {
        return Vec::new();
    }
    ballots.retain(|other| other.person != ballot.person);
    let (key, value) = ballot.value();
    ballots.push(ballot);
    let mut edit = Edit::new(click.message_id, poll.draw(&ballots, false));
    for (id, label) in poll.buttons() {
        edit = edit.button(id, label);
    }
    vec![
        store(Scope::Message(click.message_id), key, value),
        edit.into(),
    ]
}

fn end(event: &Event, values: &Values) -> Vec<Effect> {
    let (Scope::Message(message_id), Some(poll)) = (event.scope, Poll::of(values)) else {
        return Vec::new();
    };
    vec![Edit::new(message_id, poll.draw(&Ballot::all(values), true)).into()]
}

#[cfg(test)]
mod tests;
