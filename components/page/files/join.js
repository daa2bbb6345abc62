// Joining: asks what is behind the link, sends the form, shows how to connect.
// The password goes to this server and is kept nowhere; markup is never built from text.

import { offerCopying } from "./copy.js";

const element = (id) => document.getElementById(id);
const key = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const fields = ["full-name", "email", "password"].map(element);

/** Calls the operation; what people should know of a failure is the text of the error. */
async function call(query, options = {}) {
  let answer;
  try {
    answer = await fetch(`/api/v1/invites/join${query}`, { cache: "no-store", credentials: "omit", ...options });
  } catch {
    throw new Error("The server does not answer. Try again in a moment.");
  }
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  if (answer.status === 429) throw new Error("Too many requests; wait a little and try again.");
  throw new Error(body.msg ? `${body.msg}.` : `The server answers with status ${answer.status}.`);
}

/** Shows what is wrong, with the form if there is one. */
function complain(text) {
  element("problem").textContent = text;
}

function showDoorway({ realm_name: name, email, invited_by: inviter }) {
  element("title").textContent = `Join ${name}`;
  document.title = `Join ${name} · Spindle`;
  element("lede").textContent = inviter
    ? `${inviter} invites you. Say who you are and choose a password; then connect a client of your choice.`
    : "Say who you are and choose a password; then connect a client of your choice.";
  if (email) {
    element("email").value = email;
    element("email").readOnly = true;
    element("email-hint").hidden = false;
  }
  element("join").hidden = false;
  element("full-name").focus();
}

function showAccount({ email, api_key: apiKey }) {
  element("join").hidden = true;
  for (const field of fields) field.value = "";
  element("title").textContent = "Welcome";
  element("lede").textContent = "Your account is ready. What you need now is below; the key is shown this once.";
  element("own-email").textContent = email;
  element("own-key").textContent = apiKey;
  element("account").hidden = false;
  element("account-title").focus();
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
    showAccount(await call("", { method: "POST", body }));
  } catch (error) {
    complain(error.message);
  } finally {
    element("send").disabled = false;
  }
}

element("join").addEventListener("submit", (event) => {
  event.preventDefault();
  join();
});
offerCopying();
try {
  showDoorway(await call(key ? `?${new URLSearchParams({ key })}` : ""));
} catch (error) {
  element("lede").textContent = "You cannot join with this address.";
  complain(error.message);
}
