//! A call of an operation with its example values, as a command and as programs.

use serde_json::Value;

use super::{FORM, JSON, Operation, body};

/// The address in the calls; the page's script replaces it with the server's own.
const SITE: &str = "https://chat.example.org";
const USER: &str = "you@example.org";
const KEY: &str = "your-key";

/// What a call sends.
pub(super) struct Call {
    method: String,
    /// With values for the parameters in the path.
    url: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    form: Vec<(String, String)>,
    body: Option<Body>,
    needs_account: bool,
    is_json: bool,
}

/// A body that is not only a form.
enum Body {
    Json(String),
    /// One file, among the fields of a form.
    File,
    Bytes(String),
}

impl Call {
    pub(super) fn of(operation: &Operation<'_>) -> Self {
        let node = operation.node;
        let mut path = operation.path.to_owned();
        let (mut query, mut headers, mut form) = (Vec::new(), Vec::new(), Vec::new());
        let is_shown = |name: &str| {
            let shown = node["x-shown"].as_array();
            shown.is_some_and(|names| names.iter().any(|one| one == name))
        };
        for parameter in node["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let value = plain(&parameter["example"]);
            let is_sent = parameter["required"] == true || is_shown(name);
            match parameter["in"].as_str() {
                Some("path") => path = path.replace(&format!("{{{name}}}"), &encoded(&value)),
                Some("query") if is_sent => query.push((name.to_owned(), value)),
                Some("header") if is_sent => headers.push((name.to_owned(), value)),
                _ => {}
            }
        }
        let content = body(node);
        let fields = content.map(|(_, media)| &media["example"]);
        for (name, value) in fields.and_then(Value::as_object).into_iter().flatten() {
            form.push((name.clone(), plain(value)));
        }
        let body = match content {
            None => None,
            Some((kind, _)) if kind == FORM => None,
            Some((kind, media)) if kind == JSON => {
                form.clear();
                Some(Body::Json(media["example"].to_string()))
            }
            Some((kind, _)) if kind == "multipart/form-data" => {
                form.retain(|(name, _)| name != "file");
                Some(Body::File)
            }
            Some((kind, _)) => Some(Body::Bytes(kind.clone())),
        };
        Self {
            method: operation.method.clone(),
            url: format!("{SITE}{path}"),
            query,
            headers,
            form,
            body,
            needs_account: node["security"]
                .as_array()
                .is_none_or(|ways| !ways.is_empty()),
            is_json: node["responses"]["200"]["content"].get(JSON).is_some(),
        }
    }

    /// The address with the query, for a request that has a body too.
    fn address(&self) -> String {
        if self.query.is_empty() {
            return self.url.clone();
        }
        let pairs = self.query.iter();
        let pairs = pairs.map(|(name, value)| format!("{name}={}", encoded(value)));
        format!("{}?{}", self.url, pairs.collect::<Vec<_>>().join("&"))
    }

    pub(super) fn curl(&self) -> String {
        let has_body = !self.form.is_empty() || self.body.is_some();
        let usual = if has_body { "POST" } else { "GET" };
        let verb = match &self.method {
            method if method == usual => String::new(),
            method => format!("-X {method} "),
        };
        let mut lines = vec![format!("curl {verb}{}", quoted(&self.address()))];
        if self.needs_account {
            lines.push(format!("-u {USER}:{KEY}"));
        }
        for (name, value) in &self.headers {
            lines.push(format!("-H {}", quoted(&format!("{name}: {value}"))));
        }
        let is_upload = matches!(self.body, Some(Body::File));
        for (name, value) in &self.form {
            let option = if is_upload { "-F" } else { "--data-urlencode" };
            lines.push(format!("{option} {}", quoted(&format!("{name}={value}"))));
        }
        match &self.body {
            Some(Body::File) => lines.push("-F file=@plan.pdf".to_owned()),
            Some(Body::Json(text)) => {
                lines.push("-H 'Content-Type: application/json'".to_owned());
                lines.push(format!("-d {}", quoted(text)));
            }
            Some(Body::Bytes(kind)) => {
                lines.push(format!("-H 'Content-Type: {kind}'"));
                lines.push("--data-binary @plan.pdf".to_owned());
            }
            None => {}
        }
        lines.join(" \\\n     ")
    }

    pub(super) fn python(&self) -> String {
        let method = self.method.to_lowercase();
        let mut lines = vec![format!("    {:?},", self.url)];
        if self.needs_account {
            lines.push(format!("    auth=({USER:?}, {KEY:?}),"));
        }
        for (name, pairs) in [
            ("headers", &self.headers),
            ("params", &self.query),
            ("data", &self.form),
        ] {
            if !pairs.is_empty() {
                lines.push(format!("    {name}={{{}}},", literals(pairs, true)));
            }
        }
        match &self.body {
            Some(Body::File) => {
                lines.push("    files={\"file\": open(\"plan.pdf\", \"rb\")},".to_owned())
            }
            Some(Body::Json(text)) => lines.push(format!("    json={text},")),
            Some(Body::Bytes(_)) => lines.push("    data=open(\"plan.pdf\", \"rb\"),".to_owned()),
            None => {}
        }
        let shown = if self.is_json { "json()" } else { "content" };
        format!(
            "import requests\n\nanswer = requests.{method}(\n{}\n)\nprint(answer.{shown})",
            lines.join("\n")
        )
    }

    pub(super) fn javascript(&self) -> String {
        let mut lines = Vec::new();
        if self.method != "GET" {
            lines.push(format!("  method: {:?},", self.method));
        }
        let mut headers = Vec::new();
        if self.needs_account {
            headers.push(format!(
                "Authorization: \"Basic \" + btoa(\"{USER}:{KEY}\")"
            ));
        }
        if !self.headers.is_empty() {
            headers.push(literals(&self.headers, true));
        }
        if let Some(Body::Json(_)) = &self.body {
            headers.push(format!("\"Content-Type\": {JSON:?}"));
        }
        if let Some(Body::Bytes(kind)) = &self.body {
            headers.push(format!("\"Content-Type\": {kind:?}"));
        }
        if !headers.is_empty() {
            lines.push(format!("  headers: {{ {} }},", headers.join(", ")));
        }
        let mut before = String::new();
        match &self.body {
            Some(Body::Json(text)) => lines.push(format!("  body: JSON.stringify({text}),")),
            Some(Body::Bytes(_)) => lines.push("  body: file,".to_owned()),
            Some(Body::File) => {
                before.push_str("const form = new FormData();\nform.append(\"file\", file);\n");
                for (name, value) in &self.form {
                    before.push_str(&format!("form.append({name:?}, {value:?});\n"));
                }
                lines.push("  body: form,".to_owned());
            }
            None if self.form.is_empty() => {}
            None => {
                let pairs = literals(&self.form, false);
                lines.push(format!("  body: new URLSearchParams({{ {pairs} }}),"));
            }
        }
        let options = match lines.is_empty() {
            true => String::new(),
            false => format!(", {{\n{}\n}}", lines.join("\n")),
        };
        let shown = if self.is_json { "json" } else { "blob" };
        format!(
            "{before}const answer = await fetch({:?}{options});\nconsole.log(await answer.{shown}());",
            self.address()
        )
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Names and values as in a dictionary of Python, or with plain names as in an object of JavaScript.
fn literals(pairs: &[(String, String)], quotes_names: bool) -> String {
    let pairs = pairs.iter().map(|(name, value)| match quotes_names {
        true => format!("{name:?}: {}", literal(value)),
        false => format!("{name}: {}", literal(value)),
    });
    pairs.collect::<Vec<_>>().join(", ")
}

/// A text as a literal of both languages.
fn literal(text: &str) -> String {
    Value::from(text).to_string()
}

/// An argument of a shell.
fn quoted(text: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./:=@".contains(character);
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Percent-encoded, for a part of an address.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~@".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
