//! What other services send to incoming webhooks (POST /api/v1/external/{integration}), as messages.
//!
//! Each integration is a file with a pure function from the headers and the body of a call to a topic and a text, and a
//! line in [`ALL`]. Nothing here looks anything up. A call is never refused: an integration returns a message,
//! [`Outcome::Ignored`] for an event that is not worth reading, or [`Outcome::Unknown`], which becomes a message
//! that shows the body. Texts of outsiders pass through [`text`], so they neither format nor mention.

mod alertmanager;
mod alerts;
mod azuredevops;
mod bitbucket2;
mod bitbucket3;
mod body;
mod buildbot;
mod changes;
mod circleci;
mod clubhouse;
mod forge;
mod freshdesk;
mod gitea;
mod github;
mod gitlab;
mod gogs;
mod grafana;
mod harbor;
mod heroku;
mod homeassistant;
mod html;
mod ifttt;
mod intercom;
mod jenkins;
mod jira;
mod json;
mod linear;
mod message;
mod netlify;
mod newrelic;
mod node;
mod openproject;
mod opensearch;
mod opsgenie;
mod pagerduty;
mod pingdom;
mod proof;
mod rundeck;
mod semaphore;
mod sentry;
mod slack_incoming;
mod sonarqube;
mod splunk;
mod statuspage;
mod stripe;
mod taiga;
mod teamcity;
pub mod template;
#[cfg(test)]
mod testing;
mod text;
mod time;
mod travis;
mod trello;
mod uptimekuma;
mod uptimerobot;
mod wordpress;
mod zabbix;
mod zapier;

use serde_json::Value;

pub use body::body;
pub use message::Message;
pub use node::Node;
pub use proof::Proof;

/// An integration with one service.
#[derive(Debug)]
pub struct Integration {
    /// Last segment of the path.
    pub name: &'static str,
    /// Name for people.
    pub display_name: &'static str,
    /// How the service is set up: the way to its form or file, then what to enter there, in the service's own words.
    /// `ADDRESS` stands for the address of the webhook, `SECRET` for the secret of the service.
    pub setup: &'static str,
    /// The kinds of events that become messages, sorted; empty where calls do not name theirs.
    pub events: &'static [&'static str],
    /// Options in the address.
    pub url_options: &'static [UrlOption],
    /// How the service proves that it sent a call, if it does.
    pub proof: Option<Proof>,
    /// The header whose value is the same when the service repeats a delivery, in lower case.
    pub delivery_header: Option<&'static str>,
    /// Reads one call.
    pub read: fn(&Call<'_>) -> Outcome,
}

/// An option in the address of a webhook.
#[derive(Debug)]
pub struct UrlOption {
    /// Name of the parameter.
    pub key: &'static str,
    /// What a person enters.
    pub label: &'static str,
    /// `text` or `checkbox`.
    pub input: &'static str,
}

/// A call of a service.
pub struct Call<'a> {
    /// The value of a header, whose name is in lower case.
    pub header: &'a dyn Fn(&str) -> Option<&'a str>,
    /// The body as JSON; a form is an object of its fields.
    pub body: &'a Value,
    /// The value of an option in the address.
    pub option: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> Call<'a> {
    /// The value of a header, whose name is in lower case; empty if there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &'a str {
        (self.header)(name).unwrap_or_default()
    }

    /// The body, or a part of it.
    #[must_use]
    pub fn node(&self) -> Node<'a> {
        Node::of(self.body)
    }
}

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A message.
    Message(Message),
    /// An event of this kind is left out on purpose.
    Ignored,
    /// The integration does not understand the body.
    Unknown,
}

impl From<Message> for Outcome {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl From<Option<Message>> for Outcome {
    fn from(message: Option<Message>) -> Self {
        message.map_or(Self::Unknown, Self::Message)
    }
}

/// All integrations, by name.
pub static ALL: &[&Integration] = &[
    &alertmanager::ALERTMANAGER,
    &azuredevops::AZUREDEVOPS,
    &bitbucket2::BITBUCKET2,
    &bitbucket3::BITBUCKET3,
    &buildbot::BUILDBOT,
    &circleci::CIRCLECI,
    &clubhouse::CLUBHOUSE,
    &freshdesk::FRESHDESK,
    &gitea::GITEA,
    &github::GITHUB,
    &gitlab::GITLAB,
    &gogs::GOGS,
    &grafana::GRAFANA,
    &harbor::HARBOR,
    &heroku::HEROKU,
    &homeassistant::HOMEASSISTANT,
    &ifttt::IFTTT,
    &intercom::INTERCOM,
    &jenkins::JENKINS,
    &jira::JIRA,
    &json::JSON,
    &linear::LINEAR,
    &netlify::NETLIFY,
    &newrelic::NEWRELIC,
    &openproject::OPENPROJECT,
    &opensearch::OPENSEARCH,
    &opsgenie::OPSGENIE,
    &pagerduty::PAGERDUTY,
    &pingdom::PINGDOM,
    &rundeck::RUNDECK,
    &semaphore::SEMAPHORE,
    &sentry::SENTRY,
    &slack_incoming::SLACK_INCOMING,
    &sonarqube::SONARQUBE,
    &splunk::SPLUNK,
    &statuspage::STATUSPAGE,
    &stripe::STRIPE,
    &taiga::TAIGA,
    &teamcity::TEAMCITY,
    &template::TEMPLATE,
    &travis::TRAVIS,
    &trello::TRELLO,
    &uptimekuma::UPTIMEKUMA,
    &uptimerobot::UPTIMEROBOT,
    &wordpress::WORDPRESS,
    &zabbix::ZABBIX,
    &zapier::ZAPIER,
];

/// The integration of this name.
#[must_use]
pub fn integration(name: &str) -> Option<&'static Integration> {
    ALL.iter().copied().find(|one| one.name == name)
}

/// Reads a call; a body that the integration does not understand is shown as it is.
#[must_use]
pub fn read(integration: &Integration, call: &Call<'_>) -> Option<Message> {
    match (integration.read)(call) {
        Outcome::Message(message) => Some(message),
        Outcome::Ignored => None,
        Outcome::Unknown => Some(message::unknown(integration.display_name, call.body)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_events_are_sorted() {
        let names: Vec<&str> = ALL.iter().map(|one| one.name).collect();
        assert!(names.is_sorted(), "{names:?}");
        for one in ALL {
            assert!(one.events.is_sorted(), "{}", one.name);
            assert_eq!(
                integration(one.name).map(|found| found.display_name),
                Some(one.display_name)
            );
        }
    }

    #[test]
    fn each_setup_names_the_address_and_the_secret_that_is_checked() {
        for one in ALL {
            let (way, entries) = one.setup.split_once('\n').unwrap_or_default();
            assert!(!way.is_empty() && !way.contains("ADDRESS"), "{}", one.name);
            assert_eq!(entries.matches("ADDRESS").count(), 1, "{}", one.name);
            let mut words = entries.split(|letter: char| letter != '_' && !letter.is_alphabetic());
            let has_secret = words.any(|word| word == "SECRET");
            assert_eq!(has_secret, one.proof.is_some(), "{}", one.name);
        }
    }

    #[test]
    fn a_body_of_an_unknown_form_is_shown() {
        for one in ALL {
            let said = testing::outcome(one, &[], &serde_json::json!({"strange": "@**all** ```"}));
            assert!(
                matches!(said, Outcome::Unknown | Outcome::Message(_)),
                "{}: {said:?}",
                one.name
            );
        }
        let body = Value::String("strange @**all**\n```".to_owned());
        let call = Call {
            header: &|_| None,
            body: &body,
            option: &|_| None,
        };
        let said = read(&pingdom::PINGDOM, &call).map(|message| message.content);
        let expected =
            "Pingdom sent a message of an unknown form:\n````\nstrange @**all**\n```\n````";
        assert_eq!(said.as_deref(), Some(expected));
    }
}
