//! Incidents: pages to people until one of them answers.

use spindle_app::time::{MINUTE, shown};
use spindle_app::{
    Click, Draft, Edit, Effect, Event, Message, Place, Reply, Values, cancel, forget, mention,
    message_link, name_of, quote, reply, schedule, shorten, store,
};

use crate::answer;
use crate::rota::Rota;

const ACKNOWLEDGE: &str = "acknowledge";
const RESOLVE: &str = "resolve";
const ESCALATE: &str = "escalate";

const TEXT: &str = "text";
const ORDER: &str = "order";
const PAGED: &str = "paged";
const TAKEN: &str = "taken";

/// A page shows so many characters of what was reported.
const MAX_TEXT: usize = 2_000;
/// So many people are paged at least, even if it is the same one, before the app gives up.
const LEAST_PAGES: usize = 3;
const MINUTES: std::ops::RangeInclusive<i64> = 1..=1_440;
const DEFAULT_MINUTES: i64 = 10;

/// An incident as it is kept in the values of its message.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Incident {
    /// What was reported, as a quotation.
    text: String,
    /// The people to page, one after the other.
    order: Vec<i64>,
    /// How many pages there were.
    paged: usize,
    /// Who takes care of it.
    taken: Option<i64>,
}

impl Incident {
    fn new(text: &str, rota: &Rota) -> Self {
        Self {
            text: quote(&shorten(text, MAX_TEXT)),
            order: rota.order(),
            paged: 1,
            taken: None,
        }
    }

    fn of(values: &Values) -> Option<Self> {
        let order = values.get(ORDER)?.split(' ');
        Some(Self {
            text: values.get(TEXT)?.to_owned(),
            order: order.filter_map(|id| id.parse().ok()).collect(),
            paged: values.parse(PAGED)?,
            taken: values.parse(TAKEN),
        })
    }

    /// What [`Self::of`] reads of a new incident.
    fn values(&self) -> [(&'static str, String); 3] {
        let order: Vec<String> = self.order.iter().map(ToString::to_string).collect();
        [
            (TEXT, self.text.clone()),
            (ORDER, order.join(" ")),
            (PAGED, self.paged.to_string()),
        ]
    }

    /// The person of a page; the first one is page 0, and after the last person the first one comes again.
    fn person(&self, page: usize) -> Option<i64> {
        self.order.iter().cycle().nth(page).copied()
    }

    /// Whether there is a further page.
    fn goes_on(&self) -> bool {
        !self.order.is_empty() && self.paged < self.order.len().max(LEAST_PAGES)
    }

    fn draw(&self) -> String {
        let mut names: Vec<i64> = Vec::new();
        for page in 0..self.paged {
            names.extend(self.person(page).filter(|id| !names.contains(id)));
        }
        let names: Vec<String> = names.into_iter().map(mention).collect();
        let head = match names.as_slice() {
            [] => "There is no person on call. Who takes care of this?".to_owned(),
            names => format!("{}: please take care of this.", names.join(", ")),
        };
        let state = match self.taken {
            Some(person) => format!("\n\n{} takes care of it.", name_of(person)),
            None => String::new(),
        };
        format!("{head}\n\n{}{state}", self.text)
    }
}

fn wait(event: &Event) -> i64 {
    let minutes = event.setting_as("minutes").unwrap_or(DEFAULT_MINUTES);
    event.time + minutes.clamp(*MINUTES.start(), *MINUTES.end()) * MINUTE
}

/// A person has mentioned the app: the person on call is paged, and others after that.
pub(crate) fn report(event: &Event, message: &Message, values: &Values) -> Vec<Effect> {
    let rota = Rota::of(values, event.time);
    let text = event.without_me(&message.content);
    if rota.order().is_empty() {
        let hint = "There is no person on call here. Write `/oncall rota weekly from mon 09:00`, then `/oncall join`.";
        return answer(message.sender.id, hint);
    }
    if text.is_empty() {
        let hint = "Write what has happened next to the mention.";
        return answer(message.sender.id, hint);
    }
    let draft = open(event, message.place.clone(), &text, &rota);
    vec![draft.into()]
}

/// The first page of an incident.
pub(crate) fn open(event: &Event, place: Place, text: &str, rota: &Rota) -> Draft {
    let incident = Incident::new(text, rota);
    let mut draft = Draft::new(place, incident.draw()).button(ACKNOWLEDGE, "I have it");
    for (key, value) in incident.values() {
        draft = draft.value(key, value);
    }
    if incident.goes_on() {
        draft = draft.tick(ESCALATE, wait(event));
    }
    draft
}

pub(crate) fn click(event: &Event, click: &Click, values: &Values) -> Vec<Effect> {
    let Some(mut incident) = Incident::of(values) else {
        return Vec::new();
    };
    let person = click.person.id;
    match (click.button.as_str(), incident.taken) {
        (ACKNOWLEDGE, Some(other)) if other != person => answer(
            person,
            format!("{} takes care of it already.", name_of(other)),
        ),
        (ACKNOWLEDGE, None) => {
            incident.taken = Some(person);
            let edit =
                Edit::new(click.message_id, incident.draw()).button(RESOLVE, "It is resolved");
            vec![
                store(event.scope, TAKEN, person),
                cancel(event.scope, ESCALATE),
                edit.into(),
            ]
        }
        (RESOLVE, Some(_)) => {
            let text = format!(
                "{}\n\nResolved by {} at {}.",
                incident.draw(),
                name_of(person),
                shown(event.time)
            );
            let done = [TEXT, ORDER, PAGED, TAKEN].map(|key| forget(event.scope, key));
            let edit = Edit::new(click.message_id, text).into();
            done.into_iter().chain([edit]).collect()
        }
        _ => Vec::new(),
    }
}

/// The time to answer is over: the next person is paged.
pub(crate) fn escalate(event: &Event, message_id: i64, values: &Values) -> Vec<Effect> {
    let Some(mut incident) = Incident::of(values).filter(|incident| incident.taken.is_none())
    else {
        return Vec::new();
    };
    if !incident.goes_on() {
        let text = format!(
            "All were paged, and {} is still open.",
            message_link("this", message_id)
        );
        return vec![reply(text)];
    }
    let Some(person) = incident.person(incident.paged) else {
        return Vec::new();
    };
    incident.paged += 1;
    let edit = Edit::new(message_id, incident.draw()).button(ACKNOWLEDGE, "I have it");
    let text = format!(
        "{}: {} is still open. Please take care of it.",
        mention(person),
        message_link("this", message_id)
    );
    vec![
        store(event.scope, PAGED, incident.paged),
        // The last tick says that there is no further person.
        schedule(event.scope, ESCALATE, wait(event)),
        edit.into(),
        Reply::new(text).into(),
    ]
}
