// Signing in: a name and a password, or a link. A link takes one click, since its sender chooses the account.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/http.js";
import { getServerSettings, signIn } from "../api/sessions.js";
import { Mark } from "../elements/icon.js";
import { connect } from "../state/link.js";
import { go, signInToken } from "../state/route.js";
import { t } from "../strings/text.js";

/** @type {import("@preact/signals-core").Signal<Record<string, any> | null>} */
const server = signal(null);
const problem = signal("");
const isBusy = signal(false);

/** @param {Parameters<typeof signIn>[0]} proof */
async function enter(proof) {
  isBusy.value = true;
  problem.value = "";
  try {
    await signIn(proof);
    if (signInToken() !== undefined) go("#", true);
    connect();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problem.value = sayWhy(error, proof.sign_in_token !== undefined);
  } finally {
    isBusy.value = false;
  }
}

/** @param {ApiError} error @param {boolean} byLink */
function sayWhy(error, byLink) {
  if (error.status === 0) return t("no_answer");
  if (error.status === 429) return t("too_many_attempts");
  if (byLink) return t("link_is_used");
  return error.code === "AUTHENTICATION_FAILED" || error.status === 401 ? t("wrong_password") : error.message;
}

/** @param {SubmitEvent} event */
function submit(event) {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  void enter({ username: String(form.get("username")).trim(), password: String(form.get("password")) });
}

async function learn() {
  try {
    server.value = await getServerSettings();
  } catch {
    server.value = null;
  }
}

export function SignIn() {
  useEffect(() => void learn(), []);
  const token = signInToken();
  const name = server.value?.["realm_name"] ?? "Spindle";
  const mayJoin = server.value?.["realm_invite_required"] === false;
  document.title = name;
  return html`<div class="sign-in">
    <header class="top">
      <a class="brand" href="/"><${Mark} /> Spindle</a>
      <nav><a href="/connect">${t("other_clients")}</a></nav>
    </header>
    <main>
      <h1>${name}</h1>
      ${
        token === undefined
          ? null
          : html`<div class="by-link">
              <button
                class="primary"
                type="button"
                disabled=${isBusy.value}
                onClick=${() => void enter({ sign_in_token: token })}
              >
                ${t("sign_in_by_link", { name })}
              </button>
              <p class="hint">${t("link_names_account")}</p>
            </div>`
      }
      <form onSubmit=${submit} autocomplete="on">
        <label
          >${t("email")}
          <input name="username" type="email" autocomplete="username" spellcheck=${false} required autofocus
        /></label>
        <label
          >${t("password")} <input name="password" type="password" autocomplete="current-password" required
        /></label>
        <p class="error" role="alert">${problem}</p>
        <button class="primary" type="submit" disabled=${isBusy.value}>${t("sign_in")}</button>
      </form>
      <p class="hint">${mayJoin ? html`<a href="/join">${t("join")}</a>` : t("need_invitation")}</p>
    </main>
  </div>`;
}
