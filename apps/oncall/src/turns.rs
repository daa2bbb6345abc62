//! Changes of the person on call that come with time.

use spindle_app::{Draft, Effect, Event, Scope, Values, cancel, mention, name_of, schedule};

use crate::rota::Rota;

/// The tick of the next change: the end of a turn or of a cover.
const CHANGE: &str = "change";

/// Has the app woken when the person on call changes next.
pub(crate) fn wake(scope: Scope, rota: &Rota) -> Effect {
    let turn = rota.times.as_ref().map(|times| times.next);
    let cover = rota.cover.map(|cover| cover.until);
    match turn.into_iter().chain(cover).min() {
        Some(at) => schedule(scope, CHANGE, at),
        None => cancel(scope, CHANGE),
    }
}

/// What a message says about a new person on call; `None` if it is the same one.
pub(crate) fn hand_over(before: Option<i64>, now: Option<i64>) -> Option<String> {
    match (before, now) {
        (before, now) if before == now => None,
        (Some(before), Some(now)) => Some(format!(
            "{} is on call now, and takes over from {}.",
            mention(now),
            name_of(before)
        )),
        (None, Some(now)) => Some(format!("{} is on call now.", mention(now))),
        (_, None) => Some("There is no person on call now.".to_owned()),
    }
}

pub(crate) fn tick(event: &Event, channel: i64, values: &Values) -> Vec<Effect> {
    // Who was on call until a moment ago.
    let before = Rota::of(values, i64::MIN).on_call();
    let mut rota = Rota::of(values, event.time);
    if rota.times.is_none() && before.is_none() {
        return Vec::new();
    }
    let (turns, topic) = match &mut rota.times {
        Some(times) => (times.pass(event.time), times.topic.clone()),
        None => (0, String::new()),
    };
    rota.turn(turns);
    let mut effects = rota.store(event.scope);
    effects.push(wake(event.scope, &rota));
    if let Some(text) = hand_over(before, rota.on_call()) {
        effects.push(Draft::to_topic(channel, topic, text).into());
    }
    effects
}
