// Rules that hold for everybody: changing messages, names, what others see.

import { html } from "htm/preact";
import { RealmChoice, RealmLimit, RealmToggle } from "./realm-setting.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** Days that messages are kept, and what they are called. */
const KEPT = /** @type {const} */ ([
  [-1, 0],
  [30, 30],
  [90, 90],
  [365, 365],
  [1825, 1825],
]);

/** The weekdays from Monday, by their numbers in the setting. */
const weekdays = () => {
  const names = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: "long", timeZone: "UTC" });
  return [0, 1, 2, 3, 4, 5, 6].map((day) => [day, names.format(new Date(Date.UTC(2024, 0, 1 + day)))]);
};

/** Nothing where the server sends no mail. */
const Mails = () =>
  store.realm.value["settings_send_digest_emails"] !== true
    ? null
    : html`<section class="mails">
        <h2>${t("mails")}</h2>
        <${RealmToggle} name="message_content_allowed_in_email_notifications" text=${t("mails_may_quote")} />
        <${RealmToggle} name="digest_emails_enabled" text=${t("digests_sent")} />
        <${RealmChoice} name="digest_weekday" text=${t("digests_day")} options=${weekdays()} />
      </section>`;

export function Rules() {
  return html`<section>
      <h2>${t("messages")}</h2>
      <${RealmToggle} name="allow_message_editing" text=${t("allow_editing")} />
      <${RealmLimit} name="message_content_edit_limit_seconds" text=${t("limit_editing")} />
      <${RealmLimit} name="message_content_delete_limit_seconds" text=${t("limit_deleting")} />
      <${RealmLimit} name="move_messages_within_stream_limit_seconds" text=${t("limit_moving_topics")} />
      <${RealmLimit} name="move_messages_between_streams_limit_seconds" text=${t("limit_moving_channels")} />
      <${RealmChoice}
        name="message_edit_history_visibility_policy"
        text=${t("history_seen")}
        options=${[
          ["all", t("history_all")],
          ["moves", t("history_moves")],
          ["none", t("history_none")],
        ]}
      />
      <${RealmChoice}
        name="message_retention_days"
        text=${t("messages_kept")}
        options=${KEPT.map(([days, n]) => [days, n === 0 ? t("no_limit") : t("days_count", { n })])}
      />
      <${RealmChoice}
        name="topics_policy"
        text=${t("topics_policy")}
        options=${[
          ["allow_empty_topic", t("topics_optional")],
          ["disable_empty_topic", t("topics_required")],
        ]}
      />
      <${RealmToggle} name="enable_read_receipts" text=${t("allow_receipts")} />
      <${RealmToggle} name="inline_image_preview" text=${t("preview_pictures")} />
      <${RealmToggle} name="send_channel_events_messages" text=${t("notices_of_changes")} />
    </section>
    <${Mails} />
    <section>
      <h2>${t("people")}</h2>
      <${RealmToggle} name="name_changes_disabled" text=${t("allow_names")} reverse />
      <${RealmToggle} name="email_changes_disabled" text=${t("allow_addresses")} reverse />
      <${RealmToggle} name="avatar_changes_disabled" text=${t("allow_pictures")} reverse />
      <${RealmToggle} name="require_unique_names" text=${t("unique_names")} />
      <${RealmToggle} name="presence_disabled" text=${t("allow_presence")} reverse />
      <${RealmToggle} name="enable_guest_user_indicator" text=${t("mark_guests")} />
      <${RealmToggle} name="enable_spectator_access" text=${t("allow_spectators")} />
    </section>`;
}
