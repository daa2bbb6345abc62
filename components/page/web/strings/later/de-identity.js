// German: company accounts, and the ways to sign in.

/** @type {Record<keyof typeof import("./en-identity.js").identity, string>} */
export const identity = {
  company_account: "Firmenkonto",
  sign_in_with: "Mit {name} anmelden",
  company_accounts: "Firmenkonten",
  company_accounts_none: "Sie haben sich noch nicht mit einem Firmenkonto angemeldet.",
  disconnect_account: "Trennen",
  ways_to_sign_in: "Wege der Anmeldung",
  way_password: "Adresse und Passwort",
  way_passkey: "Passkeys, ohne Passwort",
  ways_hint:
    "Ein Weg bleibt immer offen. Wenn nichts mehr geht, kann der Betrieb des Servers der Inhaberin oder dem Inhaber einen Link machen.",
  failed_state:
    "Diese Anmeldung hat nicht in diesem Browser begonnen oder zu lange gedauert. Bitte noch einmal versuchen.",
  failed_denied: "Die Anmeldung wurde beim Firmenkonto abgebrochen.",
  failed_unreachable: "Der Dienst für Firmenkonten antwortet nicht. Bitte später noch einmal versuchen.",
  failed_failed:
    "Die Anmeldung mit dem Firmenkonto ist gescheitert. Bitte noch einmal versuchen oder die Verwaltung fragen.",
  failed_off: "Dieser Weg der Anmeldung ist abgeschaltet.",
  failed_no_address: "Das Firmenkonto hat keine E-Mail-Adresse, deshalb lässt sich kein Konto dafür finden.",
  failed_unverified: "Die E-Mail-Adresse des Firmenkontos ist dort nicht bestätigt.",
  failed_domain: "Adressen dieser Domain sind hier nicht zugelassen.",
  failed_no_account: "Mit dieser Adresse gibt es noch kein Konto. Bitten Sie die Verwaltung um eine Einladung.",
  failed_bound:
    "Das Konto mit dieser Adresse gehört zu einem anderen Firmenkonto. Die Inhaber der Organisation können dieses trennen.",
  failed_deactivated: "Dieses Konto ist deaktiviert.",
  failed_realm_deactivated: "Diese Organisation ist deaktiviert.",
  failed_full: "Auf dem Server ist kein Platz mehr. Bitte sagen Sie dem Betrieb Bescheid.",
};
