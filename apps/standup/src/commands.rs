//! What the command `/standup` does in a channel.

use spindle_app::time::{self, shown};
use spindle_app::{
    Command, Effect, Event, Place, Values, cancel, forget, name_of, react, reply, schedule, store,
};

use crate::plan::{PLAN, Plan};
use crate::round::{ASK, CHECK, DEADLINE, ROUND, Round, START};
use crate::team::{
    MAX_MEMBERS, Member, QUESTIONS, SKIP_ALL, answer_key, answer_value, member_key, members,
    questions, skip_key,
};
use crate::wish::{HELP, Wish};
use crate::{answer, answers};

const UNPLANNED: &str = "No stand-up is planned in this channel. Plan one with a command such as `/standup at 09:30 +02:00 on mon-fri`.";

/// What a command comes with.
struct Request<'a> {
    event: &'a Event,
    channel: i64,
    command: &'a Command,
    values: &'a Values,
    members: Vec<Member>,
    plan: Option<Plan>,
}

pub(crate) fn obey(event: &Event, channel: i64, command: &Command, values: &Values) -> Vec<Effect> {
    let request = Request {
        event,
        channel,
        command,
        values,
        members: members(values),
        plan: Plan::of(values),
    };
    let sender = request.sender();
    match Wish::read(&command.text) {
        Ok(Wish::At { .. } | Wish::Remove(_) | Wish::SkipAll | Wish::Stop | Wish::Questions(_))
            if command.message.sender.is_guest =>
        {
            answer(sender, "Guests can only join, leave and skip a stand-up.")
        }
        Ok(Wish::At {
            clock,
            offset,
            days,
        }) => request.plan(clock, offset, days),
        Ok(Wish::Show) => vec![reply(request.state())],
        Ok(Wish::Join) => request.join(),
        Ok(Wish::Leave) if request.member(sender).is_some() => request.remove(sender),
        Ok(Wish::Leave) => answer(sender, "You do not take part."),
        Ok(Wish::Remove(number)) => match request.numbered(number) {
            Some(id) => request.remove(id),
            None => answer(sender, "The list that `/standup` shows has no such number."),
        },
        Ok(Wish::Skip) => request.skip(),
        Ok(Wish::SkipAll) if request.plan.is_some() => {
            vec![store(event.scope, SKIP_ALL, 1), request.done()]
        }
        Ok(Wish::Stop) if request.plan.is_some() => request.stop(),
        Ok(Wish::SkipAll | Wish::Stop) => answer(sender, UNPLANNED),
        Ok(Wish::Questions(lines)) => {
            vec![
                store(event.scope, QUESTIONS, lines.join("\n")),
                request.done(),
            ]
        }
        Err(problem) if problem == HELP => answer(sender, HELP),
        Err(problem) => answer(sender, problem),
    }
}

impl Request<'_> {
    fn sender(&self) -> i64 {
        self.command.message.sender.id
    }

    fn member(&self, id: i64) -> Option<&Member> {
        self.members.iter().find(|member| member.id == id)
    }

    /// The member with a number of the list.
    fn numbered(&self, number: usize) -> Option<i64> {
        let member = self.members.get(number.checked_sub(1)?)?;
        Some(member.id)
    }

    fn done(&self) -> Effect {
        react(self.command.message.id, "check")
    }

    fn plan(&self, clock: i64, offset: Option<i64>, days: [bool; 7]) -> Vec<Effect> {
        let usual = self.event.setting("offset").and_then(time::offset);
        let topic = match &self.command.message.place {
            Place::Topic(topic) => topic.name.clone(),
            Place::Direct(_) => String::new(),
        };
        let plan = Plan {
            clock,
            offset: offset.or(usual).unwrap_or(0),
            days,
            topic,
        };
        let Some(next) = plan.next(self.event.time) else {
            return answer(self.sender(), HELP);
        };
        let scope = self.event.scope;
        let text = format!(
            "The next stand-up, on {}, is at {}. Take part with `/standup join`; the summary comes in this topic.",
            plan.text(),
            shown(next)
        );
        vec![
            store(scope, PLAN, plan.value()),
            schedule(scope, START, next),
            forget(scope, SKIP_ALL),
            reply(text),
        ]
    }

    fn join(&self) -> Vec<Effect> {
        let sender = self.sender();
        if self.member(sender).is_some() {
            return answer(sender, "You take part already.");
        }
        if self.members.len() >= MAX_MEMBERS {
            let text = format!("A stand-up has at most {MAX_MEMBERS} members.");
            return answer(sender, text);
        }
        let round = Round::of(self.values).map_or(0, |round| -round.start);
        let mut effects = vec![
            store(self.event.scope, member_key(sender), round),
            self.done(),
        ];
        if self.plan.is_none() {
            effects.extend(answer(sender, UNPLANNED));
        }
        effects
    }

    fn remove(&self, id: i64) -> Vec<Effect> {
        let scope = self.event.scope;
        vec![
            forget(scope, member_key(id)),
            forget(scope, answer_key(id)),
            forget(scope, skip_key(id)),
            answers::release(id, self.channel),
            // Perhaps all others have answered.
            schedule(scope, CHECK, self.event.time),
            self.done(),
        ]
    }

    /// Leaves the sender out of the stand-up that waits for them, or of the next one.
    fn skip(&self) -> Vec<Effect> {
        let sender = self.sender();
        let scope = self.event.scope;
        let Some(member) = self.member(sender) else {
            return answer(sender, "You do not take part.");
        };
        let open = Round::open(self.values, self.event.time)
            .filter(|round| member.was_asked(round) && member.answer_of(round).is_none());
        match open {
            Some(round) => vec![
                store(scope, answer_key(sender), answer_value(round.start, "")),
                answers::release(sender, self.channel),
                schedule(scope, CHECK, self.event.time),
                self.done(),
            ],
            None => vec![store(scope, skip_key(sender), 1), self.done()],
        }
    }

    fn stop(&self) -> Vec<Effect> {
        let scope = self.event.scope;
        vec![
            forget(scope, PLAN),
            forget(scope, ROUND),
            forget(scope, SKIP_ALL),
            cancel(scope, START),
            cancel(scope, ASK),
            cancel(scope, DEADLINE),
            reply(
                "There are no more stand-ups. Members and questions stay for another `/standup at`.",
            ),
        ]
    }

    fn state(&self) -> String {
        let mut parts = Vec::new();
        match &self.plan {
            Some(plan) => {
                let next = plan.next(self.event.time).map(shown).unwrap_or_default();
                let is_cancelled = self.values.get(SKIP_ALL).is_some();
                let note = if is_cancelled {
                    ", which is cancelled"
                } else {
                    ""
                };
                parts.push(format!(
                    "**Stand-up** on {}; the next one: {next}{note}.",
                    plan.text()
                ));
            }
            None => parts.push(UNPLANNED.to_owned()),
        }
        if self.members.is_empty() {
            parts.push("It has no members. Take part with `/standup join`.".to_owned());
        } else {
            let round = Round::open(self.values, self.event.time);
            let lines: Vec<String> = (1..)
                .zip(&self.members)
                .map(|(number, member): (usize, _)| {
                    let name = name_of(member.id);
                    format!("{number}. {name}{}", note(member, round.as_ref()))
                })
                .collect();
            parts.push(lines.join("\n"));
        }
        parts.push(questions(self.values));
        parts.join("\n\n")
    }
}

/// What the list says about a member.
fn note(member: &Member, round: Option<&Round>) -> &'static str {
    let asked = round.filter(|round| member.was_asked(round));
    match asked.map(|round| member.answer_of(round)) {
        _ if member.skips => ", not the next time",
        Some(Some("")) => ", not this time",
        Some(Some(_)) => ", has answered",
        Some(None) => ", no answer yet",
        None => "",
    }
}
