//! Templates to start from. Each has a body to try it with.

/// A template, and a body that it fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// For people.
    pub name: &'static str,
    pub topic_template: &'static str,
    pub text_template: &'static str,
    /// JSON.
    pub body: &'static str,
}

/// What people copy.
pub const EXAMPLES: &[Example] = &[
    Example {
        name: "Monitoring alert",
        topic_template: "{{ body.service }}",
        text_template: r#"{% if body.status == "resolved" %}
:check: {{ body.title|link(body.url) }} is resolved.
{% else %}
:warning: {{ body.title|link(body.url) }} ({{ body.severity|default("no severity") }}) since {{ body.started_at|date }}
{% endif %}
{% for name, value in body.labels|items %}
* {{ name|bold }}: {{ value }}
{% endfor %}
{{ body.description|cut(1000)|quote }}
"#,
        body: r#"{
  "status": "firing",
  "service": "shop",
  "title": "Too many errors",
  "severity": "critical",
  "url": "https://monitoring.example.org/alerts/17",
  "started_at": "2026-03-04T12:00:00Z",
  "labels": {"region": "eu-1", "host": "web_2"},
  "description": "5 % of all requests to *checkout* fail."
}"#,
    },
    Example {
        name: "Answer to a form",
        topic_template: "{{ body.form.title }}",
        text_template: r#"{{ body.answers.name|default("Someone")|bold }} has answered {{ body.form.title|link(body.form.url) }}:

{% for answer in body.questions %}
{{ answer.question|bold }}
{{ answer.value|quote }}
{% endfor %}
"#,
        body: r#"{
  "form": {"title": "Feedback", "url": "https://forms.example.org/feedback"},
  "answers": {"name": "Ann Lee"},
  "questions": [
    {"question": "How was it?", "value": "Good,\nbut too short."},
    {"question": "Would you come again?", "value": "Yes"}
  ]
}"#,
    },
    Example {
        name: "Deployment",
        topic_template: "{{ body.app }} on {{ body.environment }}",
        text_template: r#"{% if body.state == "success" %}
:rocket: {{ body.user.name }} deployed {{ body.commit.id[:7]|link(body.commit.url) }} ({{ body.branch|code }}) in {{ body.seconds }} s.
{% else %}
:cross_mark: The deployment of {{ body.branch|code }} by {{ body.user.name }} failed:
{{ body.log|cut(2000)|block }}
{% endif %}
{{ body.commit.message|cut(500)|quote }}
"#,
        body: r#"{
  "app": "shop",
  "environment": "production",
  "state": "success",
  "seconds": 42,
  "branch": "release/2.1",
  "user": {"name": "Ann Lee"},
  "commit": {
    "id": "4f2a9c81d0",
    "url": "https://git.example.org/shop/commit/4f2a9c81d0",
    "message": "Accept vouchers"
  },
  "log": ""
}"#,
    },
];
