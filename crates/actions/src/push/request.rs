//! Requests to the push service: a registration, or a notification for the phones of one user.
//!
//! It sees which phones are reached, when, and whether something is shown or taken back; it cannot
//! read the content.

use serde_json::{Value, json};
use spindle_events::Record;
use spindle_store::push_calls::PushCallRow;
use spindle_store::push_recipients::PhoneRow;

use super::registered::PassedOn;
use super::seal::SealingKey;
use super::{ACCOUNT, DEVICE};
use crate::ActionError;

/// Path below the address of the service.
pub(super) const REGISTER: &str = "/api/v1/remotes/push/e2ee/register";
/// Path below the address of the service.
pub(super) const NOTIFY: &str = "/api/v1/remotes/push/e2ee/notify";

/// The form of a registration.
pub(super) fn registration(realm_uuid: &str, row: &PushCallRow) -> Result<String, ActionError> {
    let passed_on = PassedOn::of(row)?;
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("realm_uuid", realm_uuid);
    if row.form == ACCOUNT {
        let id = row.target.unwrap_or_default();
        form.append_pair("push_account_id", &id.to_string());
    } else {
        form.append_pair(
            "token_id",
            passed_on.token_id.as_deref().unwrap_or_default(),
        );
    }
    form.append_pair("bouncer_public_key", &passed_on.bouncer_public_key);
    let registration = &passed_on.encrypted_push_registration;
    form.append_pair("encrypted_push_registration", registration);
    Ok(form.finish())
}

/// The JSON of a notification; `None` when it reaches no phone.
pub(super) fn notification(
    realm_uuid: &str,
    kind: &str,
    form: &str,
    phones: &[PhoneRow],
    fields: &Record,
) -> Result<Option<String>, ActionError> {
    let text = Value::from(fields.clone()).to_string();
    let mut requests = Vec::new();
    for phone in phones {
        // A key from before there was a push service may be any text.
        let Some(key) = SealingKey::parse(&phone.push_key) else {
            continue;
        };
        requests.push(request(kind, form, phone, &key.seal(&text)?));
    }
    if requests.is_empty() {
        return Ok(None);
    }
    let body = json!({"realm_uuid": realm_uuid, "push_requests": requests});
    Ok(Some(body.to_string()))
}

fn request(kind: &str, form: &str, phone: &PhoneRow, encrypted_data: &str) -> Value {
    let is_removal = kind == "remove";
    let (mut request, mut payload) = (Record::new(), Record::new());
    if form == DEVICE {
        request.insert("token_id".into(), json!(phone.token_id));
        payload.insert("push_key_id".into(), json!(phone.push_key_id));
    } else {
        request.insert("device_id".into(), json!(phone.service_device_id));
        payload.insert("push_account_id".into(), json!(phone.id));
    }
    payload.insert("encrypted_data".into(), json!(encrypted_data));
    if phone.token_kind == "apns" {
        let (priority, push_type, aps) = if is_removal {
            (5, "background", json!({"content-available": 1}))
        } else {
            // The phone is woken to decrypt it, and shows this should it not come to that.
            let aps = json!({"mutable-content": 1, "alert": {"title": "New notification"}});
            (10, "alert", aps)
        };
        let headers = json!({"apns_priority": priority, "apns_push_type": push_type});
        request.insert("http_headers".into(), headers);
        payload.insert("aps".into(), aps);
    } else {
        let priority = if is_removal { "normal" } else { "high" };
        request.insert("fcm_priority".into(), json!(priority));
    }
    request.insert("payload".into(), payload.into());
    request.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phone(token_kind: &str) -> PhoneRow {
        PhoneRow {
            id: 3,
            token_kind: token_kind.to_owned(),
            push_key: "MTaUDJDMWypQ1WufZ1NRTHSSvgYtXh1qVNSjN3aBiEFt".to_owned(),
            push_key_id: Some(5),
            token_id: Some("t".to_owned()),
            service_device_id: Some(9),
        }
    }

    #[test]
    fn each_platform_and_form_has_its_fields() {
        assert_eq!(
            request("message", DEVICE, &phone("fcm"), "x"),
            json!({"token_id": "t", "fcm_priority": "high",
                "payload": {"push_key_id": 5, "encrypted_data": "x"}})
        );
        assert_eq!(
            request("remove", ACCOUNT, &phone("fcm"), "x"),
            json!({"device_id": 9, "fcm_priority": "normal",
                "payload": {"push_account_id": 3, "encrypted_data": "x"}})
        );
        let apple = request("test", DEVICE, &phone("apns"), "x");
        assert_eq!(
            apple["http_headers"],
            json!({"apns_priority": 10, "apns_push_type": "alert"})
        );
        assert_eq!(apple["payload"]["aps"]["mutable-content"], 1);
        let removal = request("remove", DEVICE, &phone("apns"), "x");
        assert_eq!(
            removal["http_headers"],
            json!({"apns_priority": 5, "apns_push_type": "background"})
        );
        assert_eq!(removal["payload"]["aps"], json!({"content-available": 1}));
    }

    #[test]
    fn a_key_that_is_none_reaches_nobody() {
        let useless = PhoneRow {
            push_key: "anything".to_owned(),
            ..phone("fcm")
        };
        let fields = Record::new();
        let body = |phones: &[PhoneRow]| notification("u", "test", DEVICE, phones, &fields);
        assert_eq!(body(std::slice::from_ref(&useless)).unwrap(), None);
        let both = body(&[useless, phone("fcm")]).unwrap().unwrap();
        let both: Value = serde_json::from_str(&both).unwrap();
        assert_eq!(both["push_requests"].as_array().unwrap().len(), 1);
    }
}
