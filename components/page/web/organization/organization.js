// The organization: its settings, its people, what it has made of its own. One page with a few parts.

import { html } from "htm/preact";
import { amAdministrator, mayAddEmoji, mayCreateHooks, mayInvite } from "../state/rights.js";
import { t } from "../strings/text.js";
import { Bots } from "./bots.js";
import { Defaults } from "./defaults.js";
import { Emoji } from "./emoji.js";
import { Exports } from "./exports.js";
import { Fields } from "./fields.js";
import { Folders } from "./folders.js";
import { Invitations } from "./invitations.js";
import { Joining } from "./joining.js";
import { Links } from "./links.js";
import { People } from "./people.js";
import { Permissions } from "./permissions.js";
import { Profile } from "./profile.js";
import { Rules } from "./rules.js";

/** @type {{ key: string, title: import("../strings/text.js").Key, part: any, may: () => boolean }[]} */
const PARTS = [
  { key: "profile", title: "organization_profile", part: Profile, may: amAdministrator },
  { key: "rules", title: "organization_rules", part: Rules, may: amAdministrator },
  { key: "permissions", title: "organization_permissions", part: Permissions, may: amAdministrator },
  { key: "joining", title: "organization_joining", part: Joining, may: amAdministrator },
  { key: "people", title: "people", part: People, may: amAdministrator },
  { key: "bots", title: "organization_bots", part: Bots, may: mayCreateHooks },
  {
    key: "invitations",
    title: "organization_invitations",
    part: Invitations,
    may: mayInvite,
  },
  { key: "emoji", title: "organization_emoji", part: Emoji, may: () => amAdministrator() || mayAddEmoji() },
  { key: "folders", title: "organization_folders", part: Folders, may: amAdministrator },
  { key: "fields", title: "organization_fields", part: Fields, may: amAdministrator },
  { key: "links", title: "organization_links", part: Links, may: amAdministrator },
  { key: "defaults", title: "organization_defaults", part: Defaults, may: amAdministrator },
  { key: "exports", title: "organization_exports", part: Exports, may: amAdministrator },
];

/** @param {{ part: string }} properties */
export function Organization({ part }) {
  const allowed = PARTS.filter((one) => one.may());
  const now = allowed.find((one) => one.key === part) ?? allowed[0];
  return html`<div class="page" tabindex="0" role="region" aria-label=${t("organization")}>
    <div class="sheet settings organization">
      <nav aria-label=${t("organization")}>
        ${allowed.map(
          (one) =>
            html`<a key=${one.key} href=${`#organization/${one.key}`} aria-current=${one === now ? "page" : undefined}
              >${t(one.title)}</a
            >`,
        )}
      </nav>
      ${now === undefined ? html`<p class="hint">${t("organization_closed")}</p>` : html`<${now.part} key=${now.key} />`}
    </div>
  </div>`;
}
