// Joining: reads the invitation, sends the form, and opens the chat. A person who has joined already gets a key for other
// clients in exchange for the password.
// Passwords go to this server and are kept nowhere; markup is never built from text.

import { offerCopying } from "./copy.js";

const element = (id) => document.getElementById(id);
const key = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const fields = ["full-name", "email", "password", "user", "secret"].map(element);

/** Calls an operation; what people should know of a failure is the text of the error. */
async function call(path, options = {}) {
  let answer;
  try {
    answer = await fetch(`/api/v1${path}`, { cache: "no-store", credentials: "omit", ...options });
  } catch {
    throw new Error("The server does not answer. Try again in a moment.");
  }
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  if (body.code === "AUTHENTICATION_FAILED") throw new Error("The address and the password do not belong together.");
  if (answer.status === 429) throw new Error("Too many requests; wait a little and try again.");
  throw new Error(body.msg ? `${body.msg}.` : `The server answers with status ${answer.status}.`);
}

/** Which field a reason is about, by the words of the server. */
const ABOUT = [
  ["password", /password/iu],
  ["full-name", /\bname\b/iu],
  ["email", /e-?mail|address/iu],
];

/** Shows what is wrong next to the field that it is about, which gets the focus; else below the form. */
function complain(text) {
  const form = element("join");
  const problem = element("problem");
  const [name] = (!form.hidden && ABOUT.find(([, words]) => words.test(text))) || [];
  for (const field of fields) field.removeAttribute("aria-invalid");
  (name ? element(name).parentElement : form).after(problem);
  problem.textContent = text;
  if (!name) return;
  element(name).setAttribute("aria-invalid", "true");
  element(name).focus();
}

function showInvitation({ realm_name: name, email, invited_by: inviter }) {
  element("title").textContent = `Join ${name}`;
  document.title = `Join ${name} · Spindle`;
  element("lede").textContent = inviter
    ? `${inviter} invites you. Say who you are and choose a password; then chat in this browser.`
    : "Say who you are and choose a password; then chat in this browser.";
  if (email) {
    element("email").value = email;
    element("email").readOnly = true;
    element("email-hint").hidden = false;
  }
  element("join").hidden = false;
  element("full-name").focus();
}

/** Shows the file with a key. */
function showAccount({ email, api_key: apiKey }) {
  element("join").hidden = true;
  element("again").hidden = true;
  complain("");
  for (const field of fields) field.value = "";
  element("title").textContent = "Welcome";
  element("lede").textContent = "Here is a new key for your account; it is shown this once.";
  element("own-email").textContent = email;
  element("own-key").textContent = apiKey;
  element("account").hidden = false;
  element("account-title").focus();
}

/** Offers the file as one to save; no other address than this page's own learns of it. */
function download() {
  // As text the browser would add an ending to its name.
  const type = "application/octet-stream";
  const address = URL.createObjectURL(new Blob([`${element("zuliprc").textContent}\n`], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "zuliprc";
  link.click();
  // Not before the browser has read it.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function signIn() {
  const body = new URLSearchParams({ username: element("user").value.trim(), password: element("secret").value });
  element("sign-in-error").textContent = "";
  element("get-key").disabled = true;
  try {
    const account = await call("/fetch_api_key", { method: "POST", body });
    showAccount(account);
  } catch (error) {
    element("sign-in-error").textContent = error.message;
    element("secret").focus();
    element("secret").select();
  } finally {
    element("get-key").disabled = false;
  }
}

async function join() {
  const body = new URLSearchParams({
    full_name: element("full-name").value,
    email: element("email").value.trim(),
    password: element("password").value,
  });
  if (key) body.set("key", key);
  complain("");
  element("send").disabled = true;
  try {
    // This browser is signed in as well, by a cookie that no script can read.
    const browser = { headers: { "Spindle-Client": "web" }, credentials: "same-origin" };
    await call("/invites/join", { method: "POST", body, ...browser });
    // "Back" does not lead to a form that was sent.
    location.replace("/");
  } catch (error) {
    element("send").disabled = false;
    complain(error.message);
  }
}

element("join").addEventListener("submit", (event) => {
  event.preventDefault();
  join();
});
element("sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  signIn();
});
element("download").addEventListener("click", download);
offerCopying();
try {
  // Proxies log addresses, so the key is not in one.
  showInvitation(await call("/invites/join", key ? { headers: { "Spindle-Invitation": encodeURI(key) } } : {}));
} catch (error) {
  element("lede").textContent = "You cannot join with this address.";
  complain(error.message);
}
// Also beside the form: a link for many stays good for others.
element("again").hidden = !element("account").hidden;
