//! A device that keeps a passkey (WebAuthn level 2), with what tests need to get wrong.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const PRESENT: u8 = 1;
const VERIFIED: u8 = 1 << 2;
const HAS_CREDENTIAL: u8 = 1 << 6;

/// A device with one passkey.
#[derive(Clone)]
pub struct SecurityKey {
    key: SigningKey,
    id: Vec<u8>,
    handle: String,
    /// The page that asks it, as its browser says.
    pub origin: String,
    /// The host that it answers for.
    pub host: String,
    /// Of answers so far.
    pub counter: u32,
    /// Whether it asks its person for a PIN.
    pub verifies: bool,
}

impl SecurityKey {
    /// A new one for a page; `seed` makes it different from others.
    pub fn new(origin: &str, seed: &str) -> Self {
        let secret = Sha256::digest(format!("{seed} {}", crate::unique("key")));
        let (_, rest) = origin.split_once("://").expect("an origin");
        let host = rest.split(':').next().expect("a host").to_owned();
        Self {
            key: SigningKey::from_slice(&secret).expect("a key"),
            id: Sha256::digest(secret).to_vec(),
            handle: String::new(),
            origin: origin.to_owned(),
            host,
            counter: 0,
            verifies: true,
        }
    }

    /// Makes the passkey: what the browser sends for the options of POST /second_factor/passkeys.
    pub fn register(&mut self, options: &Value) -> String {
        self.handle = text(&options["user"]["id"]);
        let client_data = self.client_data("webauthn.create", options);
        let mut data = self.authenticator_data(HAS_CREDENTIAL);
        data.extend([0; 16]);
        data.extend((self.id.len() as u16).to_be_bytes());
        data.extend(&self.id);
        data.extend(self.cose_key());
        // A map of three: fmt "none", attStmt empty, authData.
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59".to_vec();
        object.extend((data.len() as u16).to_be_bytes());
        object.extend(data);
        let id = encoded(&self.id);
        json!({
            "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encoded(&client_data),
                "attestationObject": encoded(&object),
                "transports": ["internal"],
            },
        })
        .to_string()
    }

    /// Answers a challenge of POST /passkey_challenges: the text that takes the place of a code.
    pub fn answer(&mut self, challenge: &Value) -> String {
        self.counter += 1;
        let client_data = self.client_data("webauthn.get", &challenge["options"]);
        let data = self.authenticator_data(0);
        let signed = [data.as_slice(), &Sha256::digest(&client_data)].concat();
        let signature: Signature = self.key.sign(&signed);
        let id = encoded(&self.id);
        let credential = json!({
            "id": id, "rawId": id, "type": "public-key", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": encoded(&client_data),
                "authenticatorData": encoded(&data),
                "signature": encoded(signature.to_der().as_bytes()),
                "userHandle": self.handle,
            },
        });
        json!({"state": challenge["state"], "credential": credential}).to_string()
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let challenge = &options["challenge"];
        json!({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false})
            .to_string()
            .into_bytes()
    }

    fn authenticator_data(&self, further: u8) -> Vec<u8> {
        let verified = if self.verifies { VERIFIED } else { 0 };
        let mut data = Sha256::digest(&self.host).to_vec();
        data.push(PRESENT | verified | further);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// The public key: EC2, ES256, P-256, x, y.
    fn cose_key(&self) -> Vec<u8> {
        let point = self.key.verifying_key().to_sec1_point(false);
        let (x, y) = point.as_bytes()[1..].split_at(32);
        let mut key = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20".to_vec();
        key.extend(x);
        key.extend(b"\x22\x58\x20");
        key.extend(y);
        key
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
