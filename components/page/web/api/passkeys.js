// Passkeys: the ceremonies of WebAuthn between the server and the devices of the person.

import { t } from "../strings/text.js";
import { ApiError, call } from "./http.js";

/** The parts that convert JSON are younger than some browsers. */
const native = /** @type {any} */ (globalThis).PublicKeyCredential;
export const hasPasskeys = typeof native?.parseRequestOptionsFromJSON === "function";

/** What a device has answered, as JSON. @param {() => Promise<any>} ask */
async function ofDevice(ask) {
  try {
    return (await ask()).toJSON();
  } catch {
    // A browser hides from the page whether it has no passkey or the person has cancelled.
    throw new ApiError(t("passkey_none"), { status: 400, code: "NO_PASSKEY" });
  }
}

/** Asks for the answer of a passkey: a text that takes the place of a code. */
export async function passkeyAnswer() {
  const { options, state } = await call("POST /passkey_challenges", {});
  const credential = await ofDevice(() =>
    navigator.credentials.get({ publicKey: native.parseRequestOptionsFromJSON(options) }),
  );
  return JSON.stringify({ state, credential });
}

/**
 * Makes a passkey; answers recovery codes, if it is the first second factor.
 * @param {string} password empty where the account has none
 * @param {string} name
 */
export async function makePasskey(password, name) {
  const { options, state } = await call("POST /second_factor/passkeys", password === "" ? {} : { password });
  const credential = await ofDevice(() =>
    navigator.credentials.create({ publicKey: native.parseCreationOptionsFromJSON(options) }),
  );
  return call("POST /second_factor/passkeys/confirm", { state, credential: JSON.stringify(credential), name });
}

/** @param {number} passkey_id @param {string} code or the answer of a passkey */
export const removePasskey = (passkey_id, code) =>
  call("DELETE /second_factor/passkeys/{passkey_id}", { passkey_id, code });
