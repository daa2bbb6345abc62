//! The text of a summary.

use spindle_app::time::shown;
use spindle_app::{name_of, quote, shorten};

use crate::round::Round;
use crate::team::Member;

/// A message has at most 10,000 characters; names, and the parts that are always there, take the rest.
const ROOM: usize = 8_000;

/// Answers in the order of members, then who was left out and who has not answered.
pub(crate) fn draw(round: &Round, members: &[Member]) -> String {
    let asked: Vec<&Member> = (members.iter())
        .filter(|member| member.was_asked(round))
        .collect();
    let mut answers = Vec::new();
    let (mut skipping, mut missing) = (Vec::new(), Vec::new());
    for member in asked {
        match member.answer_of(round) {
            Some("") => skipping.push(name_of(member.id)),
            Some(text) => answers.push((member.id, quote(text))),
            None => missing.push(name_of(member.id)),
        }
    }
    let lengths = answers.iter().map(|(_, text)| text.chars().count());
    let share = share(lengths.collect(), ROOM);
    let mut parts = vec![format!("**Stand-up** of {}", shown(round.start))];
    for (id, text) in answers {
        parts.push(format!("{}\n{}", name_of(id), shorten(&text, share)));
    }
    if !missing.is_empty() {
        parts.push(format!("No answer yet: {}", missing.join(", ")));
    }
    if !skipping.is_empty() {
        parts.push(format!("Not this time: {}", skipping.join(", ")));
    }
    parts.join("\n\n")
}

/// The greatest length to which texts must be cut so that all of them fit into the room.
fn share(mut lengths: Vec<usize>, mut room: usize) -> usize {
    lengths.sort_unstable();
    let mut left = lengths.len();
    for length in lengths {
        let share = room / left.max(1);
        if length > share {
            return share;
        }
        room -= length;
        left -= 1;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_answers_leave_room_for_long_ones() {
        assert_eq!(share(vec![], 10), usize::MAX);
        assert_eq!(share(vec![5, 5], 10), usize::MAX);
        assert_eq!(share(vec![2, 100, 100], 10), 4);
        assert_eq!(share(vec![100], 10), 10);
    }

    #[test]
    fn a_summary_fits_into_a_message() {
        let round = Round {
            start: 60,
            until: 100,
            is_posted: true,
        };
        let members: Vec<Member> = (0..25)
            .map(|id| Member {
                id: i64::MAX - id,
                asked: 60,
                skips: false,
                answer: Some((60, "x\n".repeat(1000))),
            })
            .collect();
        let text = draw(&round, &members);
        assert!((8_000..10_000).contains(&text.chars().count()));
        assert!(text.lines().all(|line| line.len() < 60));
    }
}
