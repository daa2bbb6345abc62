// Settings of what notifies: in channels, in topics that one follows, and of each channel.

import { html } from "htm/preact";
import { updateSubscription } from "../api/channels.js";
import { askForNotices, permission } from "../frame/noticing.js";
import { attempt } from "../frame/note.js";
import { Choice, Toggle } from "./setting.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** A setting of a channel, and the one of the account that counts where the channel has none. */
const OF_CHANNEL = /** @type {const} */ ([
  ["desktop_notifications", "enable_stream_desktop_notifications", "notify_desktop"],
  ["audible_notifications", "enable_stream_audible_notifications", "notify_sound"],
  ["push_notifications", "enable_stream_push_notifications", "notify_phone"],
  ["wildcard_mentions_notify", "wildcard_mentions_notify", "notify_wildcards"],
]);

/** @param {{ channel: any }} properties */
function Channel({ channel }) {
  const { stream_id: id, name } = channel;
  return html`<details>
    <summary><bdi>${name}</bdi></summary>
    ${OF_CHANNEL.map(([property, fallback, text]) => {
      const isOn = channel[property] ?? store.settings.value[fallback] === true;
      const change = () => attempt(() => updateSubscription(id, property, !isOn));
      return html`<label class="choice" key=${property}
        ><input type="checkbox" checked=${isOn} onChange=${change} /> ${t(text)}</label
      >`;
    })}
  </details>`;
}

/** What this browser allows. */
function Permission() {
  const now = permission();
  if (now === "granted") return null;
  return html`<section>
    <p class="hint">${t(now === "" ? "notices_need_https" : now === "denied" ? "notices_denied" : "ask_notices")}</p>
    ${now === "default" ? html`<button type="button" class="plain" onClick=${() => attempt(askForNotices)}>${t("allow")}</button>` : null}
  </section>`;
}

const BATCHING = /** @type {const} */ ([60, 120, 300, 900, 1800, 3600]);

/** Nothing where the server sends no mail. */
function Mails() {
  const { value: realm } = store.realm;
  if (realm["settings_send_digest_emails"] !== true) return null;
  return html`<section class="mails">
    <h2>${t("mails")}</h2>
    <p class="hint">${t("mails_when")}</p>
    <${Toggle} name="enable_offline_email_notifications" text=${t("mails_direct")} />
    <${Toggle} name="enable_followed_topic_email_notifications" text=${t("mails_followed")} />
    <${Toggle} name="message_content_in_email_notifications" text=${t("mails_content")} />
    <${Choice}
      name="email_notifications_batching_period_seconds"
      text=${t("mails_batching")}
      options=${BATCHING.map((seconds) => [seconds, t("minutes_count", { n: seconds / 60 })])}
    />
    <${Toggle} name="enable_login_emails" text=${t("mails_sign_in")} />
    ${realm["realm_digest_emails_enabled"] === true ? html`<${Toggle} name="enable_digest_emails" text=${t("mails_digest")} />` : null}
  </section>`;
}

export function Notifications() {
  const channels = [...store.channels.value.values()]
    .filter((one) => one.subscribed && !one.is_archived)
    .sort((a, b) => a.name.localeCompare(b.name));
  return html`<${Permission} />
    <section>
      <h2>${t("notify_direct")}</h2>
      <${Toggle} name="enable_desktop_notifications" text=${t("notify_desktop")} />
      <${Toggle} name="enable_sounds" text=${t("notify_sound")} />
      <${Toggle} name="enable_offline_push_notifications" text=${t("notify_phone")} />
      <${Toggle} name="enable_online_push_notifications" text=${t("notify_phone_too")} />
      <${Toggle} name="wildcard_mentions_notify" text=${t("notify_wildcards")} />
    </section>
    <section>
      <h2>${t("followed_topics")}</h2>
      <${Toggle} name="enable_followed_topic_desktop_notifications" text=${t("notify_desktop")} />
      <${Toggle} name="enable_followed_topic_audible_notifications" text=${t("notify_sound")} />
      <${Toggle} name="enable_followed_topic_push_notifications" text=${t("notify_phone")} />
      <${Toggle} name="enable_followed_topic_wildcard_mentions_notify" text=${t("notify_wildcards")} />
    </section>
    <${Mails} />
    <section>
      <h2>${t("channels")}</h2>
      <${Toggle} name="enable_stream_desktop_notifications" text=${t("notify_desktop")} />
      <${Toggle} name="enable_stream_audible_notifications" text=${t("notify_sound")} />
      <${Toggle} name="enable_stream_push_notifications" text=${t("notify_phone")} />
      <p class="hint">${t("notify_each")}</p>
      ${channels.map((one) => html`<${Channel} key=${one.stream_id} channel=${one} />`)}
    </section>`;
}
