//! Keys of a provider, and tokens signed with them or with something that only looks like it.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
    RsaKeyPair,
};
use ring::{digest, hmac};
use serde_json::{Value, json};

/// A key that is used nowhere else.
const RSA: &[u8] = include_bytes!("rsa.der");

pub(crate) struct Keys {
    rsa: RsaKeyPair,
    ecdsa: EcdsaKeyPair,
    ed25519: Ed25519KeyPair,
    random: SystemRandom,
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The left half of the SHA-256 of a text, as `at_hash` has it.
pub(crate) fn half_hash(text: &str) -> String {
    let hash = digest::digest(&digest::SHA256, text.as_bytes());
    encode(&hash.as_ref()[..16])
}

impl Keys {
    pub(crate) fn new() -> Self {
        let random = SystemRandom::new();
        let signing = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let ecdsa = EcdsaKeyPair::generate_pkcs8(signing, &random).unwrap();
        let ed25519 = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        Self {
            rsa: RsaKeyPair::from_der(RSA).unwrap(),
            ecdsa: EcdsaKeyPair::from_pkcs8(signing, ecdsa.as_ref(), &random).unwrap(),
            ed25519: Ed25519KeyPair::from_pkcs8(ed25519.as_ref()).unwrap(),
            random,
        }
    }

    /// The public keys, with their algorithms as ids.
    pub(crate) fn public(&self) -> Value {
        // A sequence of two integers; the first begins with a zero, since it is positive.
        let modulus = &self.rsa.public_key().as_ref()[9..][..256];
        let exponent = [1, 0, 1];
        let point = &self.ecdsa.public_key().as_ref()[1..];
        json!({"keys": [
            {"kty": "RSA", "kid": "RS256", "use": "sig", "alg": "RS256", "n": encode(modulus), "e": encode(exponent)},
            {"kty": "EC", "kid": "ES256", "use": "sig", "alg": "ES256", "crv": "P-256",
                "x": encode(&point[..32]), "y": encode(&point[32..])},
            {"kty": "OKP", "kid": "EdDSA", "use": "sig", "alg": "EdDSA", "crv": "Ed25519",
                "x": encode(self.ed25519.public_key())},
        ]})
    }

    /// The RSA key as a PEM file, as it is published for programs.
    pub(crate) fn public_pem(&self) -> String {
        // SubjectPublicKeyInfo around the PKCS #1 key, which has less than 256 bytes more than its modulus.
        let key = self.rsa.public_key().as_ref();
        let algorithm = [0x30, 13, 6, 9, 42, 134, 72, 134, 247, 13, 1, 1, 1, 5, 0];
        let bits = key.len() + 1;
        let whole = algorithm.len() + 4 + bits;
        let length = |number: usize| [(number >> 8) as u8, number as u8];
        let der = [
            &[0x30, 0x82][..],
            &length(whole),
            &algorithm,
            &[3, 0x82],
            &length(bits),
            &[0],
            key,
        ]
        .concat();
        let text = STANDARD.encode(der);
        let lines: Vec<&str> = text
            .as_bytes()
            .chunks(64)
            .map(|line| std::str::from_utf8(line).unwrap())
            .collect();
        format!(
            "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
            lines.join("\n")
        )
    }

    /// A token with a signature of the algorithm that the header names, or none for another one.
    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        let text = format!(
            "{}.{}",
            encode(header.to_string()),
            encode(claims.to_string())
        );
        let bytes = text.as_bytes();
        let signature = match header["alg"].as_str() {
            Some("RS256") => {
                let mut signature = vec![0; self.rsa.public().modulus_len()];
                self.rsa
                    .sign(&RSA_PKCS1_SHA256, &self.random, bytes, &mut signature)
                    .unwrap();
                signature
            }
            Some("ES256") => self
                .ecdsa
                .sign(&self.random, bytes)
                .unwrap()
                .as_ref()
                .to_vec(),
            Some("EdDSA") => self.ed25519.sign(bytes).as_ref().to_vec(),
            _ => Vec::new(),
        };
        format!("{text}.{}", encode(signature))
    }
}

/// A token with a signature by a shared secret.
pub(crate) fn sign_with_secret(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let text = format!(
        "{}.{}",
        encode(header.to_string()),
        encode(claims.to_string())
    );
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    let signature = hmac::sign(&key, text.as_bytes());
    format!("{text}.{}", encode(signature))
}
