//! The sender of a request, as a component reports it to the event-queue service for counting.

use super::Account;
use form_urlencoded::Serializer;
use std::net::{IpAddr, SocketAddr};

/// The sender of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sender {
    /// The client's address; `None` means that the runtime did not report it.
    pub address: Option<IpAddr>,
    /// The value of `Authorization`.
    pub authorization: Option<String>,
    /// The token of a session's cookie, or the key of an incoming webhook; it counts where there is no `Authorization`.
    pub session: Option<String>,
    /// The account of these credentials, once the component has found it.
    pub account: Option<Account>,
}

impl Sender {
    /// The address in a text that may have a port behind it, as Spin gives it.
    #[must_use]
    pub fn address_in(text: &str) -> Option<IpAddr> {
        let with_port = text.parse::<SocketAddr>().map(|socket| socket.ip());
        with_port.or_else(|_| text.parse()).ok()
    }

    /// The body of the call.
    #[must_use]
    pub fn form(&self) -> String {
        let mut form = Serializer::new(String::new());
        let mut add = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                form.append_pair(name, value);
            }
        };
        add("address", self.address.map(|it| it.to_string()).as_deref());
        add("authorization", self.authorization.as_deref());
        add("session", self.session.as_deref());
        add("account", self.account.map(|it| it.to_string()).as_deref());
        form.finish()
    }

    /// Reads the body of the call; `None` when it is something else.
    #[must_use]
    pub fn read(form: &[u8]) -> Option<Self> {
        let mut sender = Self::default();
        for (name, value) in form_urlencoded::parse(form) {
            match &*name {
                "address" => sender.address = Some(value.parse().ok()?),
                "authorization" => sender.authorization = Some(value.into_owned()),
                "session" => sender.session = Some(value.into_owned()),
                "account" => sender.account = Some(value.parse().ok()?),
                _ => return None,
            }
        }
        Some(sender)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_is_read_as_it_was_written() {
        let everything = Sender {
            address: Sender::address_in("[2001:db8::1]:80"),
            authorization: Some("Basic a+b/c=\naccount=1".to_owned()),
            session: Some("0a&0b".to_owned()),
            account: Some(Account {
                user_id: 10,
                owner_id: Some(7),
                requests_per_minute: Some(3000),
            }),
        };
        assert_eq!(everything.address.unwrap().to_string(), "2001:db8::1");
        for sender in [everything, Sender::default()] {
            assert_eq!(Sender::read(sender.form().as_bytes()), Some(sender));
        }
    }

    #[test]
    fn addresses_come_with_and_without_a_port() {
        let plain = Sender::address_in("192.0.2.7");
        assert!(plain.is_some());
        assert_eq!(Sender::address_in("192.0.2.7:999"), plain);
        assert_eq!(Sender::address_in("-"), None);
        for form in ["nonsense", "address=x", "account=a"] {
            assert_eq!(Sender::read(form.as_bytes()), None, "{form}");
        }
    }
}
