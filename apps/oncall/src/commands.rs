//! What the command `/oncall` does in a channel.

use spindle_app::time::{self, shown};
use spindle_app::{Command, Effect, Event, Place, Values, name_of, react, reply};

use crate::answer;
use crate::rota::{Cover, MAX_PEOPLE, Rota, Times};
use crate::turns::{hand_over, wake};
use crate::wish::Wish;

const UNPLANNED: &str = "This channel has no rotation. Begin one with a command such as `/oncall rota weekly from mon 09:00 +02:00`.";

pub(crate) fn obey(event: &Event, command: &Command, values: &Values) -> Vec<Effect> {
    let sender = command.message.sender.id;
    let before = Rota::of(values, event.time);
    let changed = match Wish::read(&command.text) {
        Ok(Wish::Show) => return vec![reply(state(&before))],
        Ok(wish)
            if command.message.sender.is_guest && !matches!(wish, Wish::Join | Wish::Leave) =>
        {
            Err("Guests can only join and leave a rotation.".to_owned())
        }
        Ok(Wish::Rota {
            weekday,
            clock,
            offset,
            people,
        }) => {
            let usual = event.setting("offset").and_then(time::offset);
            let offset = offset.or(usual).unwrap_or(0);
            let topic = match &command.message.place {
                Place::Topic(topic) => topic.name.as_str(),
                Place::Direct(_) => "",
            };
            let times = Times::new(event.time, weekday, clock, offset, topic);
            plan(&before, times, people)
        }
        Ok(wish) => change(&before, &wish, sender, event.time),
        Err(problem) => Err(problem),
    };
    match changed {
        Err(problem) => answer(sender, problem),
        Ok(rota) => {
            let mut effects = rota.store(event.scope);
            effects.push(wake(event.scope, &rota));
            if before.times != rota.times {
                effects.push(reply(state(&rota)));
            } else if let Some(text) = hand_over(before.on_call(), rota.on_call()) {
                effects.push(reply(text));
            } else {
                effects.push(react(command.message.id, "check"));
            }
            effects
        }
    }
}

/// New times, and perhaps new people: those that were named, in their order.
fn plan(before: &Rota, times: Times, people: Vec<i64>) -> Result<Rota, String> {
    if people.len() > MAX_PEOPLE {
        return Err(format!("A rotation has at most {MAX_PEOPLE} people."));
    }
    let mut rota = before.clone();
    rota.times = Some(times);
    if !people.is_empty() {
        rota.people = people;
    }
    Ok(rota)
}

/// The rotation after a wish.
fn change(before: &Rota, wish: &Wish, sender: i64, now: i64) -> Result<Rota, String> {
    if before.times.is_none() {
        return Err(UNPLANNED.to_owned());
    }
    let mut rota = before.clone();
    match wish {
        Wish::Join if rota.people.contains(&sender) => {
            return Err("You take part already.".to_owned());
        }
        Wish::Join if rota.people.len() >= MAX_PEOPLE => {
            return Err(format!("A rotation has at most {MAX_PEOPLE} people."));
        }
        Wish::Join => rota.people.push(sender),
        Wish::Leave if !rota.people.contains(&sender) => {
            return Err("You do not take part.".to_owned());
        }
        Wish::Leave => rota.people.retain(|id| *id != sender),
        Wish::Remove(number) => {
            let place = number
                .checked_sub(1)
                .filter(|place| *place < rota.people.len());
            let place = place.ok_or("The list that `/oncall` shows has no such number.")?;
            rota.people.remove(place);
        }
        Wish::Swap => match rota.people.as_mut_slice() {
            [first, second, ..] => std::mem::swap(first, second),
            _ => return Err("There is no other person to swap with.".to_owned()),
        },
        Wish::Take(seconds) => {
            rota.cover = Some(Cover {
                person: sender,
                until: now.saturating_add(*seconds),
            });
        }
        Wish::Back if rota.cover.is_none() => {
            return Err("The person whose turn it is is on call.".to_owned());
        }
        Wish::Back => rota.cover = None,
        Wish::Stop => rota = Rota::default(),
        Wish::Show | Wish::Rota { .. } => {}
    }
    Ok(rota)
}

/// Who is on call, and who is next.
fn state(rota: &Rota) -> String {
    let Some(times) = &rota.times else {
        return UNPLANNED.to_owned();
    };
    let mut parts = Vec::new();
    match (rota.cover, rota.on_call()) {
        (Some(cover), _) => parts.push(format!(
            "{} is on call until {}.",
            name_of(cover.person),
            shown(cover.until)
        )),
        (None, Some(person)) => parts.push(format!(
            "{} is on call until {}.",
            name_of(person),
            shown(times.next)
        )),
        (None, None) => {
            parts.push("The rotation has no people. Take part with `/oncall join`.".to_owned())
        }
    }
    parts.push(format!(
        "Turns change {}; the next change: {}.",
        times.text(),
        shown(times.next)
    ));
    let lines: Vec<String> = (1..)
        .zip(&rota.people)
        .map(|(number, id): (usize, _)| format!("{number}. {}", name_of(*id)))
        .collect();
    parts.push(lines.join("\n"));
    parts.join("\n\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_is_not_larger_than_its_limit() {
        let times = Times::new(0, None, 0, 0, "");
        let full = Rota {
            times: Some(times.clone()),
            people: (1..=20).collect(),
            cover: None,
        };
        assert!(change(&full, &Wish::Join, 21, 0).is_err());
        assert!(change(&full, &Wish::Join, 20, 0).is_err());
        assert!(plan(&full, times.clone(), (1..=21).collect()).is_err());
        let kept = plan(&full, times, Vec::new()).unwrap();
        assert_eq!(kept.people.len(), 20);
        assert!(change(&full, &Wish::Remove(0), 1, 0).is_err());
        assert!(change(&full, &Wish::Remove(21), 1, 0).is_err());
        assert_eq!(
            change(&full, &Wish::Remove(1), 1, 0).unwrap().on_call(),
            Some(2)
        );
        assert_eq!(change(&full, &Wish::Stop, 1, 0), Ok(Rota::default()));
        assert!(state(&full).contains("20. @_**|20**"));
    }
}
