//! POST /second_factor/totp: makes a secret for an app of the caller (docs/protocol/second-factor.md#begin_totp).
//!
//! The picture is made here, since a browser has nothing to make it with: the dark squares of a QR code, as the path of an
//! SVG.

use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::json;
use spindle_actions::account::begin_totp;
use spindle_guest::{Attempts, Call, Failure, Guard, Hashes, Operation, Reply, Scope};

pub(crate) const OPERATION: Operation = Operation::post(
    "begin-totp",
    "/api/v1/second_factor/totp",
    Guard::Human,
    run,
)
.counting_attempts(Attempts::Own("password"))
.hashing(Hashes::With("password"))
.before_second_factor()
.needing(Scope::Account);

fn run(call: &Call<'_>) -> Result<Reply, Failure> {
    let password = call.params.optional_text("password");
    let enrolment = begin_totp(call.db()?, call.actor()?, call.now(), password)?;
    let (qr_path, qr_size) = picture(&enrolment.address)?;
    let fields = json!({
        "secret": enrolment.secret,
        "otpauth_url": enrolment.address,
        "qr_path": qr_path,
        "qr_size": qr_size,
    });
    Ok(spindle_wire::Reply::of(&fields)?.into())
}

/// The dark squares of the QR code as the path of an SVG, and the number of squares on a side.
fn picture(text: &str) -> Result<(String, i32), Failure> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium)
        .map_err(|error| Failure::internal(error.to_string()))?;
    let size = code.size();
    let mut path = String::new();
    for y in 0..size {
        let mut x = 0;
        while x < size {
            let run = (x..size).take_while(|x| code.get_module(*x, y)).count() as i32;
            if run > 0 {
                path.push_str(&format!("M{x} {y}h{run}v1h-{run}z"));
            }
            x += run.max(1);
        }
    }
    Ok((path, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_the_corners_of_every_code() {
        let (path, size) = picture("otpauth://totp/x:y?secret=ABC").unwrap();
        assert!(size >= 21);
        assert!(path.starts_with("M0 0h7v1h-7z"), "{path}");
        assert!(path.contains(&format!("M{} 0h7v1h-7z", size - 7)), "{path}");
    }
}
