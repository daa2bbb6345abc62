//! Hundreds of invitations, and guesses at their keys.

use spindle_tests::unique;

use crate::attack::{self, Attack};
use crate::attacker::{Attacker, at_once, refused_at_once};

pub const MANY: Attack = Attack::new("invitations by the hundred", |server| {
    let attackers = Attacker::several(server, "administrator", 2);
    Box::new(move |is_over| {
        at_once(&attackers, 2, is_over, |admin, number| {
            let address = |_| format!("{}@example.com", unique("invited"));
            let addresses: Vec<String> = (0..100).map(address).collect();
            let emails = addresses.join(",");
            if number % 2 == 0 {
                let pairs = [("invitee_emails", emails.as_str())];
                admin.call(is_over, "POST", "/invites", &pairs);
            } else {
                admin.call(is_over, "POST", "/invites/multiuse", &[]);
            }
            admin.call(is_over, "GET", "/invites", &[]);
        });
    })
});

pub const GUESSED: Attack = Attack::new("guessed keys of invitations", |server| {
    let stranger = [Attacker::anonymous(server)];
    Box::new(move |is_over| {
        refused_at_once(&stranger, 8, is_over, |attacker, number| {
            let key = format!("{number:064x}");
            let pairs = [
                ("key", key.as_str()),
                ("email", "guest@example.com"),
                ("full_name", "Nobody"),
                ("password", "a password that is long"),
            ];
            let answer = attacker.call(is_over, "POST", "/invites/join", &pairs);
            assert!(answer.is_none_or(|answer| answer.status != 200));
        });
    })
});

#[test]
fn many_invitations_and_guesses_at_their_keys_are_withstood() {
    attack::are_withstood(&[MANY, GUESSED]);
}
