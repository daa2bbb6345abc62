// Settings of how the client looks and behaves.

import { html } from "htm/preact";
import { addNavigationView, editNavigationView } from "../api/views.js";
import { attempt, note } from "../frame/note.js";
import { Choice, Toggle } from "./setting.js";
import { store } from "../state/store.js";
import { BUILT_IN } from "../state/views.js";
import { LANGUAGES, preferLanguage, t } from "../strings/text.js";

const SIZES = [12, 14, 15, 16, 17, 18, 20, 22];

/** Which built-in views the sidebar always shows. */
function Views() {
  /** @type {{ fragment: string, is_pinned: boolean }[]} */
  const kept = store.personal.value["navigation_views"] ?? [];
  return html`<fieldset>
    <legend>${t("views_in_sidebar")}</legend>
    ${BUILT_IN.map(({ fragment, key }) => {
      const one = kept.find((view) => view.fragment === fragment);
      const isPinned = one?.is_pinned ?? true;
      const change = () =>
        attempt(async () => {
          await (one === undefined ? addNavigationView : editNavigationView)(fragment, !isPinned);
          note(t("saved"), () => editNavigationView(fragment, isPinned));
        });
      return html`<label class="choice" key=${fragment}
        ><input type="checkbox" name=${fragment} checked=${isPinned} onChange=${change} /> ${t(key)}</label
      >`;
    })}
  </fieldset>`;
}

export function Preferences() {
  return html`<section>
    <h2>${t("preferences")}</h2>
    <${Choice}
      name="color_scheme"
      text=${t("colours")}
      options=${[
        [1, t("shade_auto")],
        [3, t("shade_light")],
        [2, t("shade_dark")],
      ]}
    />
    <${Choice} name="default_language" text=${t("language")} options=${LANGUAGES} before=${preferLanguage} />
    <${Choice} name="web_font_size_px" text=${t("text_size")} options=${SIZES.map((size) => [size, String(size)])} />
    <${Choice}
      name="twenty_four_hour_time"
      text=${t("hours")}
      options=${[
        [null, t("hours_auto")],
        [true, t("hours_24")],
        [false, t("hours_12")],
      ]}
    />
    <${Choice}
      name="web_home_view"
      text=${t("home_view")}
      options=${[
        ["inbox", t("inbox")],
        ["recent", t("recent")],
        ["all_messages", t("feed")],
      ]}
    />
    <${Choice}
      name="web_mark_read_on_scroll_policy"
      text=${t("mark_while_reading")}
      options=${[
        [1, t("mark_always")],
        [2, t("mark_conversations")],
        [3, t("mark_never")],
      ]}
    />
    <${Toggle} name="enter_sends" text=${t("enter_sends")} />
    <${Toggle} name="enable_drafts_synchronization" text=${t("share_drafts")} />
    <${Toggle} name="starred_message_counts" text=${t("count_starred")} />
    <${Toggle} name="presence_enabled" text=${t("show_presence")} />
    <${Toggle} name="send_read_receipts" text=${t("show_reading")} />
    <${Toggle} name="send_private_typing_notifications" text=${t("show_typing_direct")} />
    <${Toggle} name="send_stream_typing_notifications" text=${t("show_typing_channel")} />
    <${Views} />
  </section>`;
}
