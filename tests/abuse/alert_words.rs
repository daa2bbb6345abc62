//! A guest has many alert words, and the server searches every message of every account for them.

use serde_json::json;

use crate::attack::Attack;
use crate::attacker::{Attacker, at_once};
use crate::scene;

const WORDS: usize = 999;

/// The word list changes continuously, while other accounts send texts that contain many of its
/// words.
pub const MANY: Attack = Attack::new("many alert words", |server| {
    let guests: Vec<_> = (0..5).map(|_| server.user("guest")).collect();
    for guest in &guests {
        scene::fill(
            server,
            WORDS,
            guest.user_id,
            "INSERT INTO alert_words
             SELECT ?1, 'alert word ' || i, 'alert word ' || i, i FROM n",
        );
    }
    let changing = vec![Attacker::of(server, &guests[0])];
    let sending = Attacker::several(server, "member", 1);
    let to = format!("[{}]", guests[0].user_id);
    let content = "alert word 9 ".repeat(700);
    Box::new(move |is_over| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                at_once(&changing, 1, is_over, |guest, number| {
                    let words = json!([format!("{}{number}", "x".repeat(80))]).to_string();
                    let pairs = [("alert_words", words.as_str())];
                    guest.call(is_over, "POST", "/users/me/alert_words", &pairs);
                    guest.call(is_over, "DELETE", "/users/me/alert_words", &pairs);
                });
            });
            at_once(&sending, 4, is_over, |member, _| {
                let message = [("type", "direct"), ("to", &to), ("content", &content)];
                member.call(is_over, "POST", "/messages", &message);
            });
        });
    })
});

#[test]
fn a_bystander_is_unaffected_by_many_alert_words() {
    MANY.is_withstood();
}
