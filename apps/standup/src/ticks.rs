//! What happens at set times: questions, the summary, and its changes.

use spindle_app::time::{HOUR, MINUTE, shown};
use spindle_app::{
    Draft, Edit, Effect, Event, Scope, Values, cancel, forget, schedule, store, topic_link,
};

use crate::plan::Plan;
use crate::round::{ASK, CHECK, DEADLINE, ROUND, Round, START};
use crate::team::{self, Member, SKIP_ALL, answer_key, answer_value, member_key, skip_key};
use crate::{answers, summary};

const SUMMARY: &str = "summary";
const CHANNEL: &str = "channel";
/// One event has at most 50 effects, and each person takes three.
const ASKED_AT_ONCE: usize = 12;
const MINUTES: std::ops::RangeInclusive<i64> = 5..=720;
const DEFAULT_MINUTES: i64 = 60;

pub(crate) fn tick(event: &Event, channel: i64, name: &str, values: &Values) -> Vec<Effect> {
    let Some(plan) = Plan::of(values) else {
        return Vec::new();
    };
    if name == START {
        return start(event, channel, &plan, values);
    }
    let Some(round) = Round::of(values) else {
        return Vec::new();
    };
    match name {
        ASK if !round.is_posted => ask(event, channel, &plan, &round, values),
        DEADLINE if !round.is_posted => post(event, channel, &plan, &round, values),
        CHECK => check(event, channel, &plan, &round, values),
        _ => Vec::new(),
    }
}

fn start(event: &Event, channel: i64, plan: &Plan, values: &Values) -> Vec<Effect> {
    let scope = Scope::Channel(channel);
    let mut effects = Vec::new();
    if let Some(next) = plan.next(event.time) {
        effects.push(schedule(scope, START, next));
    }
    // After a pause of the server the day may be another.
    if !plan.is_day(event.time) {
        return effects;
    }
    if values.get(SKIP_ALL).is_some() {
        effects.push(forget(scope, SKIP_ALL));
        let text = "There is no stand-up today.";
        effects.push(Draft::to_topic(channel, plan.topic.clone(), text).into());
        return effects;
    }
    if let Some(former) = Round::of(values).filter(|former| !former.is_posted) {
        effects.extend(post(event, channel, plan, &former, values));
    }
    if team::members(values).is_empty() {
        return effects;
    }
    let deadline = deadline(event, event.time);
    let round = Round {
        start: event.time,
        until: plan.midnight(event.time).max(deadline + HOUR),
        is_posted: false,
    };
    effects.push(store(scope, ROUND, round.value()));
    effects.push(schedule(scope, DEADLINE, deadline));
    effects.extend(ask(event, channel, plan, &round, values));
    effects
}

/// When the summary of a round is due.
fn deadline(event: &Event, start: i64) -> i64 {
    let minutes = event.setting_as("minutes").unwrap_or(DEFAULT_MINUTES);
    start + minutes.clamp(*MINUTES.start(), *MINUTES.end()) * MINUTE
}

/// Asks some of those who were not asked yet; a tick goes on with the others.
fn ask(event: &Event, channel: i64, plan: &Plan, round: &Round, values: &Values) -> Vec<Effect> {
    let scope = Scope::Channel(channel);
    let members = team::members(values);
    let mut waiting = members.iter().filter(|one| one.is_to_be_asked(round));
    let mut effects = Vec::new();
    for member in waiting.by_ref().take(ASKED_AT_ONCE) {
        effects.push(store(scope, member_key(member.id), round.start));
        if member.skips {
            effects.push(forget(scope, skip_key(member.id)));
            let none = answer_value(round.start, "");
            effects.push(store(scope, answer_key(member.id), none));
        } else {
            let text = format!(
                "**Stand-up** in {}: please answer here, in one message or several. The summary comes at {}.\n\n{}",
                topic_link(channel, &plan.topic),
                shown(deadline(event, round.start)),
                team::questions(values)
            );
            effects.push(Draft::to_person(member.id, text).into());
            effects.push(answers::expect(member.id, channel, round, &plan.topic));
        }
    }
    let name = if waiting.next().is_some() { ASK } else { CHECK };
    effects.push(schedule(scope, name, event.time));
    effects
}

/// Posts the summary when all have answered, and edits it when answers come later.
fn check(event: &Event, channel: i64, plan: &Plan, round: &Round, values: &Values) -> Vec<Effect> {
    let members = team::members(values);
    if round.is_posted {
        let posted = values.get(SUMMARY).and_then(|value| {
            let (of, id) = value.split_once(' ')?;
            (of.parse() == Ok(round.start)).then(|| id.parse().ok())?
        });
        let edit = posted.map(|id| Edit::new(id, summary::draw(round, &members)).into());
        return edit.into_iter().collect();
    }
    let is_done = |member: &Member| {
        !member.is_to_be_asked(round)
            && (!member.was_asked(round) || member.answer_of(round).is_some())
    };
    if members.iter().all(is_done) {
        post(event, channel, plan, round, values)
    } else {
        Vec::new()
    }
}

/// The new message tells its id to the channel with a tick of its own, see [`posted`].
fn post(event: &Event, channel: i64, plan: &Plan, round: &Round, values: &Values) -> Vec<Effect> {
    let scope = Scope::Channel(channel);
    let members = team::members(values);
    let posted = Round {
        is_posted: true,
        ..round.clone()
    };
    let mut effects = vec![store(scope, ROUND, posted.value()), cancel(scope, DEADLINE)];
    if members.iter().any(|member| member.was_asked(round)) {
        let draft = Draft::to_topic(channel, plan.topic.clone(), summary::draw(round, &members))
            .value(CHANNEL, channel)
            .value(ROUND, round.start)
            .tick("posted", event.time);
        effects.push(draft.into());
    }
    effects
}

/// A summary was posted: the channel remembers which message it is, to edit it later.
pub(crate) fn posted(event: &Event, message_id: i64, values: &Values) -> Vec<Effect> {
    let (Some(channel), Some(round)) = (values.parse(CHANNEL), values.parse::<i64>(ROUND)) else {
        return Vec::new();
    };
    let scope = Scope::Channel(channel);
    vec![
        store(scope, SUMMARY, format!("{round} {message_id}")),
        forget(event.scope, CHANNEL),
        forget(event.scope, ROUND),
        // Answers may have come before the id was known.
        schedule(scope, CHECK, event.time),
    ]
}
