// What stands before the caret and may be completed. Pure.

/** @typedef {{ sign: string, word: string, start: number, channel?: string }} Token channel: whose topics are meant, or how its name begins */

/** What stands before the cursor and may be completed. @param {string} before @returns {Token | null} */
export function tokenOf(before) {
  const command = /^\/((?:[a-z][a-z0-9-]*)?)$/u.exec(before);
  if (command !== null) return { sign: "/", word: command[1] ?? "", start: 0 };
  // A channel that was completed is followed by a blank.
  const topic =
    /#\*\*([^*>\n]+)(?:\*\* ?)?>([^*\n]{0,60})$/u.exec(before) ??
    /(?<=^|[\s([{"'/])#([^\s@#*>][^@#*>\n]{0,60})>([^*\n]{0,60})$/u.exec(before);
  if (topic !== null) return { sign: ">", channel: topic[1] ?? "", word: topic[2] ?? "", start: topic.index };
  const found = /(?:^|[\s([{"'/])(?<sign>@_?|#|:)(?<word>[^\s@#:*][^@#:*\n]{0,40}|)$/u.exec(before);
  const { sign, word } = found?.groups ?? {};
  if (sign === undefined || word === undefined) return null;
  if (sign === ":" && !/^[\w+-]{2,}$/u.test(word)) return null;
  if (word.split(" ").length > 3) return null;
  return { sign, word, start: before.length - sign.length - word.length };
}
