// The organization: its settings, its people, what it has made of its own. One page with a few parts.

import { html } from "htm/preact";
import { ORGANIZATION } from "../state/places.js";
import { t } from "../strings/text.js";
import { Apps } from "./apps.js";
import { Audit } from "./audit.js";
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

/** @type {Record<string, any>} */
const PARTS = {
  profile: Profile,
  rules: Rules,
  permissions: Permissions,
  joining: Joining,
  people: People,
  bots: Bots,
  apps: Apps,
  invitations: Invitations,
  emoji: Emoji,
  folders: Folders,
  fields: Fields,
  links: Links,
  defaults: Defaults,
  exports: Exports,
  audit: Audit,
};

/** @param {{ part: string }} properties */
export function Organization({ part }) {
  const allowed = ORGANIZATION.filter((one) => one.may());
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
      ${now === undefined ? html`<p class="hint">${t("organization_closed")}</p>` : html`<${PARTS[now.key]} key=${now.key} />`}
    </div>
  </div>`;
}
