// German: mails that the server sends.

/** @type {Record<keyof typeof import("./en-mails.js").mails, string>} */
export const mails = {
  mails: "Mails",
  mails_when: "Solange Sie kein Programm offen und die Nachrichten nicht gelesen haben:",
  mails_direct: "Direktnachrichten und Erwähnungen",
  mails_followed: "Nachrichten in Themen, denen Sie folgen",
  mails_content: "Mit dem Text der Nachrichten",
  mails_batching: "Wartezeit bis zur Mail",
  mails_sign_in: "Wenn sich ein neuer Browser oder ein neues Programm anmeldet",
  mails_digest: "Die Woche in wenigen Zeilen, wenn Sie den Chat einige Tage nicht benutzt haben",
  digests_sent: "Wöchentliche Zusammenfassung an Personen, die den Chat einige Tage nicht benutzt haben",
  digests_day: "Wochentag",
  mails_may_quote: "Mails dürfen den Text von Nachrichten enthalten",
  forgotten_mail: "Link zusenden",
  forgotten_asked:
    "Wenn es ein Konto mit dieser Adresse gibt, ist eine Mail mit einem Link unterwegs. Er gilt eine Stunde.",
  address_confirmed: "Dies ist jetzt die Adresse Ihres Kontos.",
  confirm_address: "Diese Adresse für mein Konto verwenden",
  stop_mails: "Keine Mails dieser Art mehr",
  mails_stopped: "Sie erhalten keine Mails dieser Art mehr. In den Einstellungen lassen sie sich wieder einschalten.",
  email_to_confirm: "Eine Mail ist an diese Adresse unterwegs. Sie gilt, sobald Sie den Link darin geöffnet haben.",
};
