// Settings: the account, how things look, what notifies, what is muted. One page with a few parts.

import { html } from "htm/preact";
import { t } from "../strings/text.js";
import { Account } from "./account.js";
import { Files } from "./files.js";
import { Muted } from "./muted.js";
import { Notifications } from "./notifications.js";
import { Preferences } from "./preferences.js";
import { Profile } from "./profile.js";
import { SavedSnippets } from "./snippets.js";

/** @type {{ key: string, title: import("../strings/text.js").Key, part: any }[]} */
const PARTS = [
  { key: "account", title: "account", part: Account },
  { key: "profile", title: "profile", part: Profile },
  { key: "preferences", title: "preferences", part: Preferences },
  { key: "notifications", title: "notifications", part: Notifications },
  { key: "snippets", title: "snippets", part: SavedSnippets },
  { key: "files", title: "files", part: Files },
  { key: "muted", title: "words_and_muted", part: Muted },
];

/** @param {{ part: string }} properties */
export function Settings({ part }) {
  const now = PARTS.find((one) => one.key === part) ?? PARTS[0];
  return html`<div class="page" tabindex="0" role="region" aria-label=${t("settings")}>
    <div class="sheet settings">
      <nav aria-label=${t("settings")}>
        ${PARTS.map(
          (one) =>
            html`<a key=${one.key} href=${`#settings/${one.key}`} aria-current=${one === now ? "page" : undefined}
              >${t(one.title)}</a
            >`,
        )}
      </nav>
      ${now === undefined ? null : html`<${now.part} />`}
    </div>
  </div>`;
}
