// Settings: the account, how things look, what notifies, what is muted. One page with a few parts.

import { html } from "htm/preact";
import { SETTINGS } from "../state/places.js";
import { t } from "../strings/text.js";
import { Account } from "./account.js";
import { Files } from "./files.js";
import { Muted } from "./muted.js";
import { Notifications } from "./notifications.js";
import { Preferences } from "./preferences.js";
import { Profile } from "./profile.js";
import { Security } from "./security.js";
import { SavedSnippets } from "./snippets.js";

/** @type {Record<string, any>} */
const PARTS = {
  account: Account,
  security: Security,
  profile: Profile,
  preferences: Preferences,
  notifications: Notifications,
  snippets: SavedSnippets,
  files: Files,
  muted: Muted,
};

/** @param {{ part: string }} properties */
export function Settings({ part }) {
  const now = part in PARTS ? part : "account";
  return html`<div class="page" tabindex="0" role="region" aria-label=${t("settings")}>
    <div class="sheet settings">
      <nav aria-label=${t("settings")}>
        ${SETTINGS.map(
          (one) =>
            html`<a key=${one.key} href=${`#settings/${one.key}`} aria-current=${one.key === now ? "page" : undefined}
              >${t(one.title)}</a
            >`,
        )}
      </nav>
      <${PARTS[now]} />
    </div>
  </div>`;
}
