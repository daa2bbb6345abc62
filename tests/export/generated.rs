//! Archives of any size, generated while they are written, in the form that servers of this layout
//! write them.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// Messages of a file.
const IN_A_FILE: u64 = 1000;
const PEOPLE: u64 = 500;
const CHANNELS: u64 = 10;
/// Ids of channels start after the first constant, those of messages after the second.
const CHANNEL: u64 = 1000;
const MESSAGE: u64 = 5000;
/// The recipients of each message.
pub const RECEIPTS_OF_A_MESSAGE: u64 = 24;

const WORDS: [&str; 16] = [
    "backup", "release", "server", "meeting", "tomorrow", "review", "patch", "branch", "deploy",
    "question", "answer", "coffee", "network", "restart", "archive", "thanks",
];

type Archive = tar::Builder<GzEncoder<BufWriter<File>>>;

/// The address of the only owner.
pub const OWNER: &str = "p1@example.org";

/// Writes an archive with this number of messages; returns the number of receipts.
pub fn write(path: &Path, messages: u64) -> u64 {
    let file = BufWriter::new(File::create(path).unwrap());
    let mut archive = tar::Builder::new(GzEncoder::new(file, Compression::fast()));
    add(&mut archive, "realm.json", &realm());
    add(
        &mut archive,
        "attachment.json",
        &json!({"zerver_attachment": []}),
    );
    let mut receipt = 0;
    for (number, first) in (0..messages).step_by(IN_A_FILE as usize).enumerate() {
        let last = (first + IN_A_FILE).min(messages);
        let rows: Vec<Value> = (first..last).map(message).collect();
        let mut receipts = Vec::new();
        for message in first..last {
            for step in 0..RECEIPTS_OF_A_MESSAGE {
                receipt += 1;
                receipts.push(json!({
                    "id": receipt,
                    "user_profile": (message + step * 20) % PEOPLE + 1,
                    "message": MESSAGE + message,
                    "flags_mask": i64::from((message + step) % 3 != 0),
                }));
            }
        }
        let tables = json!({"zerver_message": rows, "zerver_usermessage": receipts});
        let name = format!("messages-{:06}.json", number + 1);
        add(&mut archive, &name, &tables);
    }
    let file = archive.into_inner().unwrap().finish().unwrap();
    file.into_inner().unwrap().flush().unwrap();
    receipt
}

fn add(archive: &mut Archive, name: &str, content: &Value) {
    let content = serde_json::to_vec_pretty(content).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    let path = format!("generated/{name}");
    archive
        .append_data(&mut header, path, content.as_slice())
        .unwrap();
}

fn realm() -> Value {
    let person = |id: u64| {
        json!({"id": id, "realm": 2, "delivery_email": format!("p{id}@example.org"),
            "full_name": format!("Person {id}"), "role": if id == 1 { 100 } else { 400 },
            "is_active": true, "is_bot": false, "date_joined": 1_600_000_000.0})
    };
    let channel = |id: u64| {
        json!({"id": CHANNEL + id, "name": format!("channel {id}"), "realm": 2,
            "date_created": 1_600_000_000.0})
    };
    let recipient = |id: u64| json!({"id": id, "type": 2, "type_id": CHANNEL + id});
    json!({
        "zerver_realm": [{"id": 2, "name": "Large", "string_id": "large",
            "date_created": 1_600_000_000.0}],
        "zerver_userprofile": (1..=PEOPLE).map(person).collect::<Vec<_>>(),
        "zerver_client": [{"id": 1, "name": "website"}],
        "zerver_stream": (1..=CHANNELS).map(channel).collect::<Vec<_>>(),
        "zerver_recipient": (1..=CHANNELS).map(recipient).collect::<Vec<_>>(),
    })
}

fn message(number: u64) -> Value {
    // As long as typical messages, with repeated words, as in real texts.
    let words = (0..40).map(|place| {
        let index = (number.wrapping_mul(31) + place * place + place * number) % 16;
        WORDS[index as usize]
    });
    let content = format!("number {number} {}", words.collect::<Vec<_>>().join(" "));
    json!({
        "id": MESSAGE + number,
        "sender": number % PEOPLE + 1,
        "recipient": number % CHANNELS + 1,
        "realm": 2,
        "subject": format!("topic {}", number % 200),
        "rendered_content": format!("<p>{content}</p>"),
        "content": content,
        "rendered_content_version": 1,
        "date_sent": 1_600_000_000.5 + number as f64,
        "sending_client": 1,
        "edit_history": null,
        "last_edit_time": null,
        "has_attachment": false,
        "has_image": false,
        "has_link": false,
        "search_tsvector": null,
    })
}
