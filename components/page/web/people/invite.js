// Inviting people: a link that lets them make an account with a role and in channels. The server
// sends no mail, so the inviter passes the link on.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { createInviteLink, sendInvites } from "../api/invitations.js";
import { ROLES } from "../state/profile.js";
import { mayAddTo, mayInviteByAddress, mayInviteByLink } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { copyText } from "../elements/copy.js";
import { Dialog, open } from "../elements/dialog.js";
import { Form } from "../elements/form.js";
import { note } from "../frame/note.js";

/** @type {import("@preact/signals-core").Signal<{ name: string, link: string }[]>} */
const links = signal([]);

const MEMBER = 400;
/** Minutes, and what they are called. */
const TIMES = /** @type {const} */ ([
  [1440, "one_day"],
  [10_080, "one_week"],
  [43_200, "one_month"],
  [0, "no_end"],
]);

export function openInvite() {
  links.value = [];
  open.value = () => html`<${Invite} />`;
}

/** @param {import("../elements/form.js").Sent} sent */
async function make({ text, data }) {
  const minutes = Number(data.get("time"));
  const wish = {
    invite_as: Number(data.get("role")),
    stream_ids: data.getAll("channel").map(Number),
    invite_expires_in_minutes: minutes === 0 ? null : minutes,
  };
  const invitee_emails = text("emails");
  if (invitee_emails === "") {
    const { invite_link } = await createInviteLink(wish);
    return [{ name: t("link_for_all"), link: invite_link }];
  }
  const { invitations } = await sendInvites({ ...wish, invitee_emails });
  return invitations.map((one) => ({ name: one.email, link: one.link_url }));
}

/** @param {{ name: string, link: string }} properties */
const Link = ({ name, link }) =>
  html`<li>
    <label
      >${name} <input readonly value=${link} onFocus=${(/** @type {any} */ event) => event.target.select()}
    /></label>
    <button
      type="button"
      class="plain"
      aria-label=${`${t("copy_link")}: ${name}`}
      onClick=${async () => note(t((await copyText(link)) ? "link_copied" : "copy_failed"))}
    >
      ${t("copy_link")}
    </button>
  </li>`;

function Invite() {
  const run = async (/** @type {import("../elements/form.js").Sent} */ sent) => void (links.value = await make(sent));
  const own = store.users.value.get(store.me.value)?.role ?? MEMBER;
  /** @type {number[]} */
  const defaults = store.personal.value["realm_default_streams"] ?? [];
  const channels = [...store.channels.value.values()]
    .filter((one) => !one.is_archived && (defaults.includes(one.stream_id) || mayAddTo(one)))
    .sort((a, b) => a.name.localeCompare(b.name));
  return html`<${Dialog} title=${t("invite")}>
    <${Form} run=${run} action=${t("make_link")}>
      ${
        mayInviteByAddress()
          ? html`<label
              >${t(mayInviteByLink() ? "invite_addresses_or_all" : "invite_addresses")}
              <textarea name="emails" rows="2" required=${!mayInviteByLink()} placeholder="ada@example.org"></textarea>
            </label>`
          : null
      }
      <div class="two">
        <label
          >${t("role")}
          <select name="role">
            ${ROLES.filter(([role]) => role >= own).map(([role, key]) => html`<option value=${role} selected=${role === MEMBER}>${t(key)}</option>`)}
          </select></label
        >
        <label
          >${t("valid_for")}
          <select name="time">
            ${TIMES.map(([minutes, key]) => html`<option value=${minutes} selected=${key === "one_week"}>${t(key)}</option>`)}
          </select></label
        >
      </div>
      <fieldset>
        <legend>${t("channels")}</legend>
        <div class="scrolling" tabindex="0" role="group" aria-label=${t("channels")}>
          ${channels.map(
            (one) =>
              html`<label class="choice" key=${one.stream_id}
                ><input
                  type="checkbox"
                  name="channel"
                  value=${one.stream_id}
                  defaultChecked=${defaults.includes(one.stream_id)}
                />
                <bdi>${one.name}</bdi></label
              >`,
          )}
        </div>
      </fieldset>
    <//>
    <div role="status">
      ${
        links.value.length === 0
          ? null
          : html`<ul class="links">
              ${links.value.map((one) => html`<${Link} key=${one.link} ...${one} />`)}
            </ul>`
      }
    </div>
  <//>`;
}
