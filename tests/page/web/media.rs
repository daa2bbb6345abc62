//! What messages hold besides words: sound, code that a playground opens. And the setting that reading marks nothing.

use serde_json::json;
use spindle_tests::fixture;

use super::Seat;

/// A quarter of a second of silence, as WAV.
fn silence() -> Vec<u8> {
    const RATE: u32 = 8_000;
    let samples = vec![128_u8; RATE as usize / 4];
    let length = u32::try_from(samples.len()).expect("few");
    let mut file = Vec::new();
    file.extend(b"RIFF");
    file.extend((36 + length).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16_u32.to_le_bytes());
    // PCM, one channel, a byte a sample.
    file.extend([1, 0, 1, 0]);
    file.extend(RATE.to_le_bytes());
    file.extend(RATE.to_le_bytes());
    file.extend([1, 0, 8, 0]);
    file.extend(b"data");
    file.extend(length.to_le_bytes());
    file.extend(samples);
    file
}

#[test]
fn sound_is_played_and_code_opens_in_its_playground() {
    let Some(seat) = Seat::new("web-media") else {
        return;
    };
    let playground = [
        ("name", "Rust playground"),
        ("pygments_language", "Rust"),
        ("url_template", "https://play.example.org/{?code}"),
    ];
    seat.user.post("/realm/playgrounds", &playground).ok();
    let sent = seat
        .other
        .upload("/user_uploads", "tone.wav", &silence())
        .ok();
    let url = sent["url"].as_str().expect("an address");
    seat.said(&seat.other, "loom", &format!("![tone.wav]({url})"));
    let code = "```rust\nfn main() { a & b }\n```\n\n```python\nprint(1)\n```";
    seat.said(&seat.other, "loom", code);
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    // The file needs the session.
    seat.wait_for("document.querySelector('.rendered audio').duration > 0");
    seat.browser
        .run("document.querySelector('.rendered audio').play()", &[]);
    seat.wait_for("document.querySelector('.rendered audio').ended");
    // The language has a playground, the other has none.
    seat.wait_for("document.querySelectorAll('.code-tools').length === 2");
    assert_eq!(
        seat.ask("[...document.querySelectorAll('.code-tools a')].map((one) => [one.textContent, one.href, one.target])"),
        json!([[
            "Open in Rust playground",
            "https://play.example.org/?code=fn%20main()%20%7B%20a%20%26%20b%20%7D%0A",
            "_blank"
        ]])
    );
    seat.browser
        .run("document.querySelector('.code-copy').focus()", &[]);
    seat.check_look("media");
    seat.is_content();
}

#[test]
fn reading_marks_nothing_where_the_setting_says_so() {
    let Some(seat) = Seat::new("web-never-read") else {
        return;
    };
    fixture::user_setting(
        &seat.server,
        &seat.user,
        "web_mark_read_on_scroll_policy",
        "3",
    );
    seat.said(&seat.other, "loom", "for later");
    seat.sign_in();
    seat.go(&seat.topic("loom"));
    seat.wait_for_message("for later");
    // What a view does when one comes back to it.
    let come_back = "dispatchEvent(new Event('focus'))";
    seat.browser.run(come_back, &[]);
    assert_eq!(
        seat.ask("document.querySelectorAll('.message.unread').length"),
        json!(1)
    );
    let always = [("web_mark_read_on_scroll_policy", "1")];
    seat.user.patch("/settings", &always).ok();
    seat.wait_for(&format!(
        "({come_back}, document.querySelector('.message.unread') === null)"
    ));
    seat.is_content();
}
