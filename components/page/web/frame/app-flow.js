// Signing an app in that has opened this page: with a click, since any page may lead here.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { signInApp } from "../api/second-factor.js";
import { Copyable } from "../elements/copyable.js";
import { Mark } from "../elements/icon.js";
import { appFlow, go } from "../state/route.js";
import { nameOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { attempt, Notes } from "./note.js";

const problem = signal("");
/** The address that opens the app, or the text to paste into it. */
const made = signal({ url: "", token: "" });

/** @param {import("../state/route.js").AppFlow} flow */
const run = (flow) =>
  attempt(async () => {
    const { app_url: url = "", app_token: token = "" } = await signInApp(flow);
    made.value = { url, token };
    if (url !== "") location.href = url;
  }, problem);

const leave = () => {
  made.value = { url: "", token: "" };
  go("#", true);
};

export function AppFlow() {
  const flow = appFlow();
  const { url, token } = made.value;
  const name = nameOf(store.me.value);
  const next =
    token !== ""
      ? html`<p>${t("app_paste")}</p>
          <${Copyable} text=${token} label=${t("app_token")} />`
      : url !== ""
        ? html`<p>${t("app_opened")}</p>
            <p><a class="primary button" href=${url}>${t("app_open")}</a></p>`
        : html`<p>${t("app_ask")}</p>
            <button class="primary" type="button" onClick=${() => flow === undefined || void run(flow)}>
              ${t("app_sign_in", { name })}
            </button>`;
  return html`<div class="sign-in app-flow">
    <header class="top">
      <a class="brand" href="/"><${Mark} /> Spindle</a>
    </header>
    <main>
      <h1>${store.realm.value["realm_name"] ?? "Spindle"}</h1>
      <div role="status">${next}</div>
      <p class="error" role="alert">${problem}</p>
      <p class="hint"><button type="button" class="plain" onClick=${leave}>${t("app_stay")}</button></p>
    </main>
    <${Notes} />
  </div>`;
}
