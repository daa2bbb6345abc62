//! An app for the codes of a second factor (RFC 6238), as people have it on their phones.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::BASE32_NOPAD;
use totp_rs::{Builder, Secret, Totp};

const STEP: u64 = 30;

/// An app for codes.
pub struct Phone {
    totp: Totp,
    /// Of the last code.
    step: u64,
}

impl Phone {
    /// With the secret of an answer to POST /second_factor/totp.
    pub fn new(secret: &str) -> Self {
        let bytes = BASE32_NOPAD.decode(secret.as_bytes()).expect("base 32");
        let secret = Secret::new_stack(bytes.try_into().expect("20 bytes"));
        let totp = Builder::new().with_secret(secret).build().expect("TOTP");
        Self { totp, step: 0 }
    }

    /// A code that was not used yet. The code of the next step is accepted too; after that it waits.
    pub fn code(&mut self) -> String {
        let step = loop {
            let now = step_now();
            let next = now.max(self.step + 1);
            if next <= now + 1 {
                break next;
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        self.step = step;
        self.at(step)
    }

    /// The code that was used last.
    pub fn last(&self) -> String {
        self.at(self.step)
    }

    /// A code that is wrong now.
    pub fn wrong(&self) -> String {
        self.at(step_now() + 1000)
    }

    fn at(&self, step: u64) -> String {
        self.totp.generate(step * STEP).to_string()
    }
}

fn step_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("after 1970").as_secs() / STEP
}
