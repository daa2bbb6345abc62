// English: mails that the server sends.

export const mails = {
  mails: "Mails",
  mails_when: "While you use no client and have not read the messages:",
  mails_direct: "Direct messages and mentions",
  mails_followed: "Messages in followed topics",
  mails_content: "With the texts of the messages",
  mails_batching: "Wait before a mail",
  mails_sign_in: "When a new browser or program signs in",
  mails_digest: "The week in a few lines, if you have not used the chat for days",
  digests_sent: "Send a digest each week to people who have not used the chat for days",
  digests_day: "Weekday",
  mails_may_quote: "Mails may contain the texts of messages",
  forgotten_mail: "Send me a link",
  forgotten_asked:
    "If there is an account with this address, a mail with a link is on its way. The link works for an hour.",
  address_confirmed: "This is the address of your account now.",
  confirm_address: "Use this address for my account",
  stop_mails: "No more mails of this kind",
  mails_stopped: "You will get no more mails of this kind. The settings can switch them on again.",
  email_to_confirm: "A mail is on its way to this address. It counts as soon as you have opened the link in it.",
};
