// The menu of one's own account: profile and status, settings, sessions, signing out.

import { endCurrentSession } from "../api/sessions.js";
import { disconnect } from "../state/link.js";
import { mayInvite } from "../state/rights.js";
import { go } from "../state/route.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { withModule } from "./later.js";
import { openMenu } from "../elements/menu.js";
import { attempt } from "./note.js";
import { isQuiet, toggleQuiet } from "./noticing.js";
import { openInvite, openPerson, openStatus } from "./open.js";

const signOut = () =>
  attempt(async () => {
    const { sign_out_url } = await endCurrentSession();
    disconnect();
    go("#", true);
    // The session came from a company account, which is signed out of, too.
    if (sign_out_url !== undefined) {
      location.assign(sign_out_url);
      return;
    }
    // Nothing of what was read stays in memory.
    location.reload();
  });

const sessions = () =>
  withModule(
    () => import("../settings/sessions.js"),
    (it) => it.openSessions(),
  );

/** @param {HTMLElement} from the button */
export function openOwnMenu(from) {
  openMenu(from, t("account"), [
    { name: "people", text: t("own_profile"), run: () => openPerson(store.me.value) },
    { name: "smile", text: t("set_status"), run: openStatus },
    mayInvite() ? { name: "add", text: t("invite"), run: openInvite } : null,
    { name: "clock", text: t(isQuiet() ? "disturb" : "do_not_disturb"), run: toggleQuiet },
    { name: "edit", text: t("settings"), run: () => go("#settings") },
    { name: "globe", text: t("organization"), run: () => go("#organization") },
    { name: "lock", text: t("sessions"), run: sessions },
    { name: "link", text: t("other_clients"), run: () => location.assign("/connect") },
    { name: "back", text: t("sign_out"), run: signOut },
  ]);
}
