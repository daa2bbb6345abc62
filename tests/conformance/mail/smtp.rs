//! A mail server that takes mails, or does what a test wants instead.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use spindle_tests::until;

/// What the server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It takes every mail.
    Well,
    /// It answers commands with these first letters, or the `text` of a mail, with this line.
    Answers(&'static str, &'static str),
    /// It takes the text of a mail and closes the connection without an answer.
    DropsAfterText,
    /// It takes the text of a mail and never answers.
    SilentAfterText,
    /// It accepts connections and says nothing.
    Silent,
}

/// A mail that the server has got, whatever it has answered.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) from: String,
    pub(crate) to: Vec<String>,
    /// The whole text, with soft line breaks removed.
    pub(crate) text: String,
    /// Whether it was answered that it is taken.
    pub(crate) is_taken: bool,
}

impl Received {
    /// The value of a header, unfolded.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> String {
        let (head, _) = self.text.split_once("\r\n\r\n").unwrap();
        let head = head.replace("\r\n ", " ");
        let prefix = format!("{name}: ");
        let mut lines = head.split("\r\n");
        let line = lines.find(|line| line.starts_with(&prefix));
        line.unwrap_or_else(|| panic!("{name} in {head}"))[prefix.len()..].to_owned()
    }

    /// The first address below this one in the plain text.
    #[track_caller]
    pub(crate) fn link(&self, prefix: &str) -> String {
        let mut words = self.text.split_whitespace();
        let word = words.find(|word| word.starts_with(prefix));
        word.unwrap_or_else(|| panic!("{prefix} in {}", self.text))
            .to_owned()
    }
}

#[derive(Clone)]
pub(crate) struct Smtp {
    pub(crate) port: u16,
    state: Arc<Mutex<State>>,
}

struct State {
    mood: Mood,
    received: Vec<Received>,
}

impl Smtp {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State {
            mood: Mood::Well,
            received: Vec::new(),
        }));
        let server = Self { port, state };
        let accepting = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = accepting.clone();
                thread::spawn(move || server.talk(stream));
            }
        });
        server
    }

    pub(crate) fn be(&self, mood: Mood) {
        self.state.lock().unwrap().mood = mood;
    }

    fn mood(&self) -> Mood {
        self.state.lock().unwrap().mood
    }

    /// All mails to an address so far.
    pub(crate) fn to(&self, address: &str) -> Vec<Received> {
        let state = self.state.lock().unwrap();
        let mails = state.received.iter();
        mails
            .filter(|mail| mail.to.iter().any(|to| to == address))
            .cloned()
            .collect()
    }

    /// Waits until this many mails to an address have come; returns the last one.
    #[track_caller]
    pub(crate) fn wait(&self, address: &str, number: usize) -> Received {
        until("the mail", || {
            let mails = self.to(address);
            (mails.len() >= number).then(|| mails.last().unwrap().clone())
        })
    }

    /// One conversation; ends when the client goes away.
    fn talk(&self, stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut writer = stream;
        let mut say = move |line: &str| writer.write_all(format!("{line}\r\n").as_bytes()).ok();
        while self.mood() == Mood::Silent {
            thread::park();
        }
        say(self.answer("greeting", "220 here"))?;
        let (mut from, mut to) = (String::new(), Vec::new());
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            let address = || line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
            let command = line
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_uppercase();
            let answer = match command.as_str() {
                "EHLO" => self.answer("EHLO", "250 here"),
                "MAIL" => {
                    (from, to) = (address(), Vec::new());
                    self.answer("MAIL", "250 fine")
                }
                "RCPT" => {
                    to.push(address());
                    self.answer("RCPT", "250 fine")
                }
                "DATA" => self.answer("DATA", "354 go on"),
                "QUIT" => "221 bye",
                _ => "502 unknown",
            };
            say(answer)?;
            if !answer.starts_with("354") {
                continue;
            }
            let mut text = String::new();
            while !text.ends_with("\r\n.\r\n") {
                if reader.read_line(&mut text).ok()? == 0 {
                    return None;
                }
            }
            let mood = self.mood();
            let answer = self.answer("text", "250 taken");
            self.state.lock().unwrap().received.push(Received {
                from: from.clone(),
                to: to.clone(),
                text: text.replace("=\r\n", "").replace("=3D", "="),
                is_taken: answer.starts_with("250")
                    && !matches!(mood, Mood::DropsAfterText | Mood::SilentAfterText),
            });
            match mood {
                Mood::DropsAfterText => return None,
                Mood::SilentAfterText => {
                    let _ = reader.read_line(&mut String::new());
                    return None;
                }
                _ => say(answer)?,
            };
        }
    }

    fn answer(&self, step: &str, usual: &'static str) -> &'static str {
        match self.mood() {
            Mood::Answers(wanted, line) if wanted == step => line,
            _ => usual,
        }
    }
}
