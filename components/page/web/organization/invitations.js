// Invitations that are still open.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { getInvites, revokeInvitation } from "../api/invitations.js";
import { open } from "../elements/dialog.js";
import { openInvite } from "../people/invite.js";
import { attempt } from "../frame/note.js";
import { moment } from "../elements/time.js";
import { roleKey } from "../state/profile.js";
import { nameOf } from "../state/select.js";
import { t } from "../strings/text.js";

/** @typedef {import("../api/invitations.js").Invitation} Invitation */

/** @type {import("@preact/signals-core").Signal<Invitation[] | null>} */
const all = signal(null);

const load = () => attempt(async () => void (all.value = (await getInvites()).invites));

/** @param {{ one: Invitation }} properties */
function Line({ one }) {
  const name = one.email ?? t("link_for_all");
  const revoke = () =>
    attempt(async () => {
      await revokeInvitation(one);
      await load();
    });
  return html`<li class="session">
    <span
      ><bdi>${name}</bdi>
      <span class="hint"
        >${t(roleKey(one.invited_as))} · ${nameOf(one.invited_by_user_id)}
        ${one.expiry_date === null ? null : html`· ${t("until", { when: moment(one.expiry_date) })}`}</span
      ></span
    >
    <button type="button" class="plain" aria-label=${`${t("revoke")}: ${name}`} onClick=${revoke}>
      ${t("revoke")}
    </button>
  </li>`;
}

export function Invitations() {
  // The list is read again when the dialog that makes invitations has closed.
  useEffect(() => open.subscribe((dialog) => dialog === null && void load()), []);
  return html`<section class="broad">
    <h2>${t("organization_invitations")}</h2>
    <ul class="names">
      ${(all.value ?? []).map((one) => html`<${Line} key=${`${one.is_multiuse}-${one.id}`} one=${one} />`)}
    </ul>
    ${all.value?.length === 0 ? html`<p class="hint">${t("no_invitations")}</p>` : null}
    <div class="buttons">
      <button type="button" class="plain" aria-haspopup="dialog" onClick=${openInvite}>${t("invite")}</button>
    </div>
  </section>`;
}
