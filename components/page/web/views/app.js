// The frame: who is signed in, the sidebar, the view of the address, and what lies above them.

import { html } from "htm/preact";
import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { endSession } from "../api/sessions.js";
import { Avatar } from "../parts/avatar.js";
import { focusWanted } from "../parts/compose-state.js";
import { Dialogs } from "../parts/dialog.js";
import { Pickers } from "../parts/emoji-picker.js";
import { Icon, Mark } from "../parts/icon.js";
import { laterView, withModule } from "../parts/later.js";
import { Menus, openMenu } from "../parts/menu.js";
import { isQuiet, NoticeBanner, tellNotices, toggleQuiet } from "../parts/noticing.js";
import { attempt, Notes } from "../parts/note.js";
import { openPerson, openStatus } from "../parts/open-person.js";
import { StatusGlyph } from "../parts/status.js";
import { openSearch } from "../parts/search-box.js";
import { addShortcut, shortcut } from "../parts/shortcuts.js";
import { Pictures } from "../parts/pictures.js";
import { disconnect, isReady, status, wake } from "../state/link.js";
import { tellPresence } from "../state/presence.js";
import { go, hash, route } from "../state/route.js";
import { mayInviteByAddress, mayInviteByLink } from "../state/rights.js";
import { counts, nameOf } from "../state/select.js";
import { keepShell } from "../state/shell.js";
import { store } from "../state/store.js";
import { isOutdated } from "../state/version.js";
import { speak, t } from "../strings/text.js";
import { Inbox } from "./inbox.js";
import { NarrowView, titleOf } from "./narrow.js";
import { Recent } from "./recent.js";
import { Sidebar } from "./sidebar.js";
import { isLink, SignIn } from "./sign-in.js";
import { isSidebarOpen, Top } from "./top.js";

const DARK = 2;
const LIGHT = 3;

effect(() => {
  const scheme = store.settings.value.color_scheme;
  document.documentElement.dataset["shade"] = scheme === DARK ? "dark" : scheme === LIGHT ? "light" : "";
});
effect(() => {
  // A share of what the browser is set to, which people with poor sight set there.
  const share = (store.settings.value["web_font_size_px"] ?? 16) / 16;
  document.documentElement.style.setProperty("--text-size", `${100 * share}%`);
});
effect(() => speak(store.settings.value.default_language));
// Another view: the drawer closes.
hash.subscribe(() => (isSidebarOpen.value = false));

const signOut = () =>
  attempt(async () => {
    await endSession("current");
    disconnect();
    go("#", true);
    // Nothing of what was read stays in memory.
    location.reload();
  });

/** @param {Event} event */
function openOwn(event) {
  openMenu(event, t("account"), [
    { name: "people", text: t("own_profile"), run: () => openPerson(store.me.value) },
    { name: "smile", text: t("set_status"), run: openStatus },
    mayInviteByAddress() || mayInviteByLink()
      ? {
          name: "add",
          text: t("invite"),
          run: () =>
            withModule(
              () => import("../parts/invite.js"),
              (it) => it.openInvite(),
            ),
        }
      : null,
    { name: "clock", text: t(isQuiet() ? "disturb" : "do_not_disturb"), run: toggleQuiet },
    { name: "edit", text: t("settings"), run: () => go("#settings") },
    { name: "globe", text: t("organization"), run: () => go("#organization") },
    {
      name: "lock",
      text: t("sessions"),
      run: () =>
        withModule(
          () => import("../parts/sessions.js"),
          (it) => it.openSessions(),
        ),
    },
    { name: "link", text: t("other_clients"), run: () => location.assign("/connect") },
    { name: "back", text: t("sign_out"), run: signOut },
  ]);
}

function Banner() {
  if (store.realm.value.is_outdated || isOutdated.value)
    return html`<p class="banner" role="status">
      ${t("outdated")} <button type="button" class="plain" onClick=${() => location.reload()}>${t("reload")}</button>
    </p>`;
  if (status.value.kind === "offline")
    return html`<p class="banner" role="status">
      ${t("offline")} <button type="button" class="plain" onClick=${wake}>${t("try_again")}</button>
    </p>`;
  if (status.value.kind === "refused") return html`<p class="banner" role="alert">${status.value.message}</p>`;
  return null;
}

const Settings = laterView(async () => (await import("./settings/settings.js")).Settings);
const Organization = laterView(async () => (await import("./organization/organization.js")).Organization);
const Channels = laterView(async () => (await import("./channels.js")).Channels);
const Drafts = laterView(async () => (await import("./drafts.js")).Drafts);
const Groups = laterView(async () => (await import("./groups.js")).Groups);
const Scheduled = laterView(async () => (await import("./scheduled.js")).Scheduled);

/** @type {Record<string, { title: import("../strings/text.js").Key, view: any }>} */
const VIEWS = {
  inbox: { title: "inbox", view: Inbox },
  recent: { title: "recent", view: Recent },
  channels: { title: "all_channels", view: Channels },
  groups: { title: "groups", view: Groups },
  drafts: { title: "drafts", view: Drafts },
  scheduled: { title: "scheduled", view: Scheduled },
  missing: { title: "not_found", view: Missing },
};

function Missing() {
  return html`<div class="page">
    <div class="nothing">
      <h2>${t("not_found")}</h2>
      <p>${t("not_found_text")} <a href="#inbox">${t("inbox")}</a></p>
    </div>
  </div>`;
}

const titleOfView = () => {
  const now = route.value;
  if (now.view === "settings" || now.view === "organization") return t(now.view);
  return now.view === "messages" ? titleOf(now.narrow) : t(VIEWS[now.view]?.title ?? "not_found");
};

function View() {
  const now = route.value;
  if (now.view === "messages") return html`<${NarrowView} narrow=${now.narrow} />`;
  if ("part" in now) {
    const Part = now.view === "settings" ? Settings : Organization;
    return html`<${Top}><h1>${t(now.view)}</h1><//> <${Part} key=${now.view} part=${now.part} />`;
  }
  return html`<${Top}><h1>${titleOfView()}</h1><//> <${VIEWS[now.view]?.view ?? Missing} />`;
}

function titleNow() {
  const unread = counts.value.all;
  return `${unread > 0 ? `(${unread}) ` : ""}${titleOfView()} · ${store.realm.value["realm_name"] ?? "Spindle"}`;
}

addShortcut("/", { text: "search", run: openSearch });
addShortcut("q", {
  text: "filter",
  run: () => {
    isSidebarOpen.value = true;
    requestAnimationFrame(() => document.getElementById("filter")?.focus());
  },
});
addShortcut("c", { text: "write", group: "keys_writing", run: () => (focusWanted.value += 1) });

function Client() {
  useEffect(tellPresence, []);
  useEffect(tellNotices, []);
  useEffect(keepShell, []);
  useEffect(() => {
    addEventListener("keydown", shortcut);
    return () => removeEventListener("keydown", shortcut);
  }, []);
  document.title = titleNow();
  const me = store.me.value;
  return html`<div class=${isSidebarOpen.value ? "frame open" : "frame"}>
    <a
      class="skip"
      href="#view"
      onClick=${(/** @type {Event} */ event) => (event.preventDefault(), /** @type {HTMLElement | null} */ (document.querySelector("main [tabindex]"))?.focus())}
      >${t("skip")}</a
    >
    <aside>
      <a class="brand" href="#inbox"><${Mark} /> <span>${store.realm.value.realm_name}</span></a>
      <${Sidebar} />
      <button type="button" class="own" aria-haspopup="menu" onClick=${openOwn}>
        <${Avatar} id=${me} /> <span class="name">${nameOf(me)}</span> <${StatusGlyph} id=${me} />
        <${Icon} name="more" />
      </button>
    </aside>
    <button
      type="button"
      class="shade"
      tabindex="-1"
      aria-label=${t("close")}
      onClick=${() => (isSidebarOpen.value = false)}
    ></button>
    <main id="view">
      <${Banner} /><${NoticeBanner} /><${View} /> <${Menus} /><${Pickers} /><${Dialogs} /><${Pictures} /><${Notes} />
    </main>
  </div>`;
}

export function App() {
  if (isReady.value && !isLink()) return html`<${Client} />`;
  if (status.value.kind === "signed-out" || isLink()) return html`<${SignIn} />`;
  return html`<div class="waiting">
    ${status.value.kind === "connecting" ? html`<p role="status">${t("loading")}</p>` : html`<p role="alert">${status.value.kind === "refused" ? status.value.message : t("no_answer")}</p>`}
  </div>`;
}
