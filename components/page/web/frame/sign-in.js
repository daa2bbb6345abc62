// Signing in: a name and a password, or a link. A link takes one click, since its sender chooses the account. Another
// kind of link sets a new password first; others, in mails, confirm a new address or switch mails off.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/http.js";
import { hasPasskeys, passkeyAnswer } from "../api/passkeys.js";
import { confirmAddress, getServerSettings, signIn, unsubscribe, usePasswordLink } from "../api/sessions.js";
import { Mark } from "../elements/icon.js";
import { connect } from "../state/link.js";
import { addressToken, go, mailsToken, passwordToken, placeAfterSignIn } from "../state/route.js";
import { signInFailure, signInToken } from "../state/route.js";
import { t } from "../strings/text.js";
import { Providers } from "./company.js";
import { Forgotten } from "./forgotten.js";
import { pending, SecondStep } from "./second-step.js";

/** @type {import("@preact/signals-core").Signal<Record<string, any> | null>} */
const server = signal(null);
const problem = signal("");
const isBusy = signal(false);

/** @param {(second_factor?: string) => Promise<unknown>} signsIn @param {boolean} byLink */
async function enter(signsIn, byLink) {
  isBusy.value = true;
  problem.value = "";
  try {
    await signsIn();
    pending.value = null;
    if (signInToken() !== undefined || passwordToken() !== undefined) go(placeAfterSignIn(), true);
    else if (signInFailure() !== undefined) go("#", true);
    connect();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The first step was right. An empty code is asked for again.
    if (error.code === "SECOND_FACTOR_REQUIRED") pending.value = (code) => enter(() => signsIn(code), byLink);
    else problem.value = sayWhy(error, byLink);
  } finally {
    isBusy.value = false;
  }
}

/** @param {ApiError} error @param {boolean} byLink */
function sayWhy(error, byLink) {
  if (error.status === 0) return t("no_answer");
  if (error.status === 429) return t("too_many_attempts");
  if (error.code === "NO_PASSKEY") return error.message;
  if (error.code === "INVALID_SECOND_FACTOR") return t("factor_wrong");
  if (byLink) return error.status === 401 ? t("link_is_used") : error.message;
  return error.code === "AUTHENTICATION_FAILED" || error.status === 401 ? t("wrong_password") : error.message;
}

/** @param {string | undefined} second_factor */
const factor = (second_factor) => (second_factor === undefined ? {} : { second_factor });

/** @param {SubmitEvent} event */
function submit(event) {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  const proof = { username: String(form.get("username")).trim(), password: String(form.get("password")) };
  void enter((second_factor) => signIn({ ...proof, ...factor(second_factor) }), false);
}

/** @param {{ token: string, name: string }} properties */
function NewPassword({ token, name }) {
  const send = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const password = String(form.get("new_password"));
    void enter((second_factor) => usePasswordLink(token, password, second_factor), true);
  };
  return html`<form class="new-password" onSubmit=${send}>
      <p class="hint">${t("link_sets_password")}</p>
      <input hidden readonly name="username" autocomplete="username" />
      <label
        >${t("new_password")}
        <input
          name="new_password"
          type="password"
          autocomplete="new-password"
          minlength="6"
          maxlength="100"
          required
          autofocus
      /></label>
      <p class="error" role="alert">${problem}</p>
      <button class="primary" type="submit" disabled=${isBusy.value}>${t("set_password_for", { name })}</button>
    </form>
    <p class="hint"><a href="#">${t("sign_in")}</a></p>`;
}

const isDone = signal(false);

/**
 * What a link in a mail does: with one click, since programs open such links as well.
 * @param {{ run: () => Promise<unknown>, name: string, done: string }} properties
 */
function OneClick({ run, name, done }) {
  const act = async () => {
    isBusy.value = true;
    problem.value = "";
    try {
      await run();
      isDone.value = true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem.value = sayWhy(error, true);
    } finally {
      isBusy.value = false;
    }
  };
  return html`<div class="one-click">
      ${
        isDone.value
          ? html`<p role="status">${done}</p>`
          : html`<button class="primary" type="button" disabled=${isBusy.value} onClick=${() => void act()}>
              ${name}
            </button>`
      }
      <p class="error" role="alert">${problem}</p>
    </div>
    <p class="hint"><a href="#">${t("go_on")}</a></p>`;
}

/** @param {string} token */
const NewAddress = (token) =>
  html`<${OneClick} run=${() => confirmAddress(token)} name=${t("confirm_address")} done=${t("address_confirmed")} />`;

/** @param {string} token */
const NoMoreMails = (token) =>
  html`<${OneClick} run=${() => unsubscribe(token)} name=${t("stop_mails")} done=${t("mails_stopped")} />`;

async function learn() {
  try {
    server.value = await getServerSettings();
  } catch {
    server.value = null;
  }
}

/** @param {{ token: string, name: string }} properties */
const ByLink = ({ token, name }) =>
  html`<div class="by-link">
    <button
      class="primary"
      type="button"
      disabled=${isBusy.value}
      onClick=${() => void enter((second_factor) => signIn({ sign_in_token: token, ...factor(second_factor) }), true)}
    >
      ${t("sign_in_by_link", { name })}
    </button>
    <p class="hint">${t("link_names_account")}</p>
    <p class="error" role="alert">${problem}</p>
  </div>`;

/** @param {{ mayJoin: boolean, sendsMail: boolean }} properties */
const ByPassword = ({ mayJoin, sendsMail }) =>
  html`<form onSubmit=${submit} autocomplete="on">
      <label
        >${t("email")}
        <input name="username" type="email" autocomplete="username" spellcheck=${false} required autofocus
      /></label>
      <label>${t("password")} <input name="password" type="password" autocomplete="current-password" required /></label>
      ${signInToken() === undefined ? html`<p class="error" role="alert">${problem}</p>` : null}
      <button class="primary" type="submit" disabled=${isBusy.value}>${t("sign_in")}</button>
    </form>
    <${Forgotten} sendsMail=${sendsMail} />
    <p class="hint">${mayJoin ? html`<a href="/join">${t("join")}</a>` : t("need_invitation")}</p>`;

/** Whether the server and the organization take passkeys. */
const hasPasskeyWay = () => hasPasskeys && server.value?.["authentication_methods"]?.["passkey"] === true;

const WithPasskey = () =>
  html`<div class="with-passkey">
    <button
      type="button"
      class="plain"
      disabled=${isBusy.value}
      onClick=${() => void enter(async () => signIn({ passkey: await passkeyAnswer() }), false)}
    >
      ${t("passkey_sign_in")}
    </button>
    ${signInToken() === undefined && server.value?.["email_auth_enabled"] === false ? html`<p class="error" role="alert">${problem}</p>` : null}
  </div>`;

/** @param {{ token: string | undefined, name: string }} properties */
function Choice({ token, name }) {
  const mayJoin = server.value?.["realm_invite_required"] === false;
  const sendsMail = server.value?.["mail_enabled"] === true;
  return html`${token === undefined ? null : html`<${ByLink} token=${token} name=${name} />`}
    ${hasPasskeyWay() ? html`<${WithPasskey} />` : null}
    <${Providers} methods=${server.value?.["external_authentication_methods"] ?? []} />
    ${
      server.value?.["email_auth_enabled"] === false
        ? null
        : html`<${ByPassword} mayJoin=${mayJoin} sendsMail=${sendsMail} />`
    }`;
}

export function SignIn() {
  useEffect(() => void learn(), []);
  const token = signInToken();
  const reset = passwordToken();
  const address = addressToken();
  const mails = mailsToken();
  const name = server.value?.["realm_name"] ?? "Spindle";
  document.title = name;
  useEffect(() => {
    pending.value = null;
  }, [token, reset]);
  const step = pending.value;
  const part =
    step !== null
      ? html`<${SecondStep} enter=${step} problem=${problem} isBusy=${isBusy.value} hasPasskeyWay=${hasPasskeyWay()} />`
      : reset !== undefined
        ? html`<${NewPassword} token=${reset} name=${name} />`
        : address !== undefined
          ? NewAddress(address)
          : mails !== undefined
            ? NoMoreMails(mails)
            : html`<${Choice} token=${token} name=${name} />`;
  return html`<div class="sign-in">
    <header class="top">
      <a class="brand" href="/"><${Mark} /> Spindle</a>
      <nav><a href="/connect">${t("other_clients")}</a></nav>
    </header>
    <main>
      <h1>${name}</h1>
      ${part}
    </main>
  </div>`;
}
