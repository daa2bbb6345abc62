// The frame: who is signed in, the sidebar, the view of the address, and what lies above them.

import { html } from "htm/preact";
import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Above } from "./above.js";
import { Avatar } from "../people/avatar.js";
import { Compose } from "../compose/compose.js";
import { isWriting, startWriting } from "../compose/compose-state.js";
import { Icon, Mark } from "../elements/icon.js";
import { watchDrops } from "./drop.js";
import { laterView } from "./later.js";
import { Notes } from "./note.js";
import { openOwnMenu } from "./open.js";
import { StatusGlyph } from "../people/status.js";
import { listenForKeys } from "./shortcuts.js";
import { loadSoon, noticeBanner } from "./soon.js";
import { isReady, status, wake } from "../state/link.js";
import { tellPresence } from "../state/presence.js";
import {
  addressToken,
  appFlow,
  conversation,
  hash,
  mailsToken,
  passwordToken,
  route,
  signInToken,
} from "../state/route.js";
import { counts, nameOf } from "../state/select.js";
import { keepShell } from "../state/shell.js";
import { store } from "../state/store.js";
import { isOutdated } from "../state/version.js";
import { speak, t } from "../strings/text.js";
import { Inbox } from "../inbox/inbox.js";
import { NarrowView, titleOf } from "../messages/narrow.js";
import { hasColumn, PeopleColumn } from "./people-column.js";
import { Sidebar } from "./sidebar.js";
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
// Another view: the drawer closes, and the field that was opened over the view before.
hash.subscribe(() => {
  isSidebarOpen.value = false;
  isWriting.value = false;
});

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

const Settings = laterView(async () => (await import("../settings/settings.js")).Settings);
const Organization = laterView(async () => (await import("../organization/organization.js")).Organization);
const Channels = laterView(async () => (await import("../channels/channels.js")).Channels);
const Drafts = laterView(async () => (await import("../compose/drafts.js")).Drafts);
const People = laterView(async () => (await import("../people/people-list.js")).People);
const Groups = laterView(async () => (await import("../people/groups.js")).Groups);
const Recent = laterView(async () => (await import("../inbox/recent.js")).Recent);
const Scheduled = laterView(async () => (await import("../compose/scheduled.js")).Scheduled);
// With what it imports, at the same time: a visitor waits for nothing else.
const formToSignIn = () => Promise.all([import("./sign-in.js"), import("../api/sessions.js")]);
const SignIn = laterView(async () => (await formToSignIn())[0].SignIn, Waiting, true);
const MustEnrol = laterView(async () => (await import("./must-enrol.js")).MustEnrol, Waiting, true);
const AppFlow = laterView(async () => (await import("./app-flow.js")).AppFlow, Waiting, true);

/** @type {Record<string, { title: import("../strings/text.js").Key, view: any }>} */
const VIEWS = {
  inbox: { title: "inbox", view: Inbox },
  recent: { title: "recent", view: Recent },
  channels: { title: "all_channels", view: Channels },
  groups: { title: "groups", view: Groups },
  people: { title: "people", view: People },
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

/** Begins a message to a recipient that is still to be chosen: another topic of the channel of the view, or anything. */
function newMessage() {
  const here = conversation.value;
  const stream_id = here === null || here.kind === "direct" ? 0 : here.stream_id;
  startWriting({ kind: "topic", stream_id, topic: "" });
}

const NewMessage = () =>
  html`<button
    type="button"
    class="quiet begin"
    title=${t("new_message")}
    aria-label=${t("new_message")}
    onClick=${newMessage}
  >
    <${Icon} name="edit" />
  </button>`;

function View() {
  const now = route.value;
  if (now.view === "messages") return html`<${NarrowView} narrow=${now.narrow} />`;
  const Part = now.view === "settings" ? Settings : Organization;
  return html`<${Top} actions=${html`<${NewMessage} />`}><h1>${titleOfView()}</h1><//>
    ${"part" in now ? html`<${Part} key=${now.view} part=${now.part} />` : html`<${VIEWS[now.view]?.view ?? Missing} />`}
    ${isWriting.value ? html`<${Compose} />` : null}`;
}

/** Apart from the frame, which need not be drawn again when a message comes. */
function Title() {
  const unread = counts.value.all;
  document.title = `${unread > 0 ? `(${unread}) ` : ""}${titleOfView()} · ${store.realm.value["realm_name"] ?? "Spindle"}`;
  return null;
}

function Client() {
  useEffect(tellPresence, []);
  useEffect(loadSoon, []);
  useEffect(keepShell, []);
  useEffect(watchDrops, []);
  useEffect(listenForKeys, []);
  const me = store.me.value;
  return html`<div class=${`frame${isSidebarOpen.value ? " open" : ""}${hasColumn.value ? " wide" : ""}`}>
    <a
      class="skip"
      href="#view"
      onClick=${(/** @type {Event} */ event) => (event.preventDefault(), /** @type {HTMLElement | null} */ (document.querySelector("main [tabindex]"))?.focus())}
      >${t("skip")}</a
    >
    <aside>
      <div class="head">
        <a class="brand" href="#inbox"><${Mark} /> <span>${store.realm.value.realm_name}</span></a>
        <${NewMessage} />
      </div>
      <${Sidebar} />
      <button
        type="button"
        class="own"
        aria-haspopup="menu"
        onClick=${(/** @type {any} */ event) => openOwnMenu(event.currentTarget)}
      >
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
      <${Title} /><${Banner} />${noticeBanner.value === null ? null : html`<${noticeBanner.value} />`}<${View} />
      <${Above} /><${Notes} />
    </main>
    <${PeopleColumn} />
  </div>`;
}

const Lines = (/** @type {{ count: number }} */ { count }) =>
  html`<div class="lines">${Array.from({ length: count }, () => html`<i></i>`)}</div>`;

/** The frame as `index.html` has it, before anything of it is known. */
const Skeleton = () =>
  html`<div class="skeleton">
    <aside aria-hidden="true">
      <p class="brand"><i></i></p>
      <${Lines} count=${12} />
    </aside>
    <main>
      <header class="bar" aria-hidden="true"><i></i></header>
      <${Lines} count=${9} />
      <p class="aside" role="status">${t("loading")}</p>
    </main>
  </div>`;

function Waiting() {
  const { kind, message } = status.value;
  if (kind === "connecting") return html`<${Skeleton} />`;
  return html`<div class="waiting">
    ${kind === "signed-out" ? html`<p role="status">${t("loading")}</p>` : html`<p role="alert">${kind === "refused" ? message : t("no_answer")}</p>`}
  </div>`;
}

export function App() {
  const isLink = [signInToken(), passwordToken(), addressToken(), mailsToken()].some((token) => token !== undefined);
  if (isReady.value && !isLink) return appFlow() === undefined ? html`<${Client} />` : html`<${AppFlow} />`;
  if (status.value.message === "SECOND_FACTOR_REQUIRED" && !isLink) return html`<${MustEnrol} />`;
  return status.value.kind === "signed-out" || isLink ? html`<${SignIn} />` : html`<${Waiting} />`;
}
