//! Prints the message of a recorded call: `cargo run -p spindle-integrations --example read_call -- NAME [HEADER:VALUE]…
//! < BODY`.

use std::io::Read as _;

use spindle_integrations::{Call, body, integration, read};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some(integration) = integration(&name) else {
        eprintln!("there is no integration {name:?}");
        return;
    };
    let headers: Vec<(String, String)> = arguments
        .filter_map(|argument| {
            let (name, value) = argument.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect();
    let header = |name: &str| {
        let found = headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    let mut bytes = Vec::new();
    if let Err(error) = std::io::stdin().read_to_end(&mut bytes) {
        eprintln!("{error}");
    }
    let value = body(header("content-type").unwrap_or_default(), &bytes);
    let call = Call {
        header: &header,
        body: &value,
        option: &|_| None,
    };
    match read(integration, &call) {
        Some(message) => println!("[{}] {}\n{}", message.event, message.topic, message.content),
        None => println!("ignored"),
    }
}
