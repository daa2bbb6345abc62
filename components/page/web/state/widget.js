// Polls and to-do lists: what the submessages of a message add up to. Pure.
//
// What does not fit is passed over, as every client does: all have to come to the same result.

/** @typedef {import("../types.js").Message["submessages"]} Submessages */
/** @typedef {{ key: string, name: string, votes: number[] }} Option */
/** @typedef {{ key: string, name: string, about: string, isDone: boolean }} Task */
/** @typedef {{ kind: "poll", question: string, options: Option[] }} Poll */
/** @typedef {{ kind: "todo", title: string, tasks: Task[] }} Todo */

/** As many as an index of a new one can say. */
const MOST = 1000;

/** @param {string} content @returns {any} */
function parsed(content) {
  try {
    return JSON.parse(content) ?? {};
  } catch {
    return {};
  }
}

/** @param {unknown} value */
const isText = (value) => typeof value === "string" && value.trim() !== "";

/** @param {Option[]} options @param {string} key @param {string} name */
function addOption(options, key, name) {
  const isThere = options.some((one) => one.key === key || one.name === name);
  if (!isThere && options.length < MOST) options.push({ key, name, votes: [] });
}

/** @param {any} begin @param {Submessages} deeds @param {number} author @returns {Poll} */
function pollOf(begin, deeds, author) {
  /** @type {Poll} */
  const poll = { kind: "poll", question: String(begin.question ?? ""), options: [] };
  for (const [at, name] of (begin.options ?? []).entries()) addOption(poll.options, `canned,${at}`, String(name));
  for (const { sender_id, content } of deeds) {
    const deed = parsed(content);
    if (deed.type === "new_option" && isText(deed.option) && Number.isInteger(deed.idx))
      addOption(poll.options, `${sender_id},${deed.idx}`, deed.option);
    else if (deed.type === "question" && sender_id === author && isText(deed.question)) poll.question = deed.question;
    else if (deed.type === "vote") {
      const option = poll.options.find((one) => one.key === deed.key);
      if (option === undefined) continue;
      option.votes = option.votes.filter((id) => id !== sender_id);
      if (deed.vote === 1) option.votes.push(sender_id);
    }
  }
  return poll;
}

/** @param {Task[]} tasks @param {string} key @param {any} task */
function addTask(tasks, key, { task, desc, completed }) {
  const isThere = tasks.some((one) => one.key === key || one.name === task);
  if (!isThere && tasks.length < MOST)
    tasks.push({ key, name: String(task), about: String(desc ?? ""), isDone: completed === true });
}

/** @param {any} begin @param {Submessages} deeds @param {number} author @returns {Todo} */
function todoOf(begin, deeds, author) {
  /** @type {Todo} */
  const todo = { kind: "todo", title: String(begin.task_list_title ?? ""), tasks: [] };
  for (const [at, task] of (begin.tasks ?? []).entries()) addTask(todo.tasks, `${at},canned`, task);
  for (const { sender_id, content } of deeds) {
    const deed = parsed(content);
    if (deed.type === "new_task" && isText(deed.task) && Number.isInteger(deed.key))
      addTask(todo.tasks, `${deed.key},${sender_id}`, deed);
    else if (deed.type === "new_task_list_title" && sender_id === author && isText(deed.title)) todo.title = deed.title;
    else if (deed.type === "strike") {
      const task = todo.tasks.find((one) => one.key === deed.key);
      if (task !== undefined) task.isDone = !task.isDone;
    }
  }
  return todo;
}

/**
 * @param {Submessages} submessages
 * @param {number} author who has sent the message
 * @returns {Poll | Todo | null} null: it is neither
 */
export function widgetOf(submessages, author) {
  const [first, ...deeds] = submessages.toSorted((a, b) => a.id - b.id);
  if (first === undefined) return null;
  const { widget_type: type, extra_data } = parsed(first.content);
  if (type === "poll") return pollOf(extra_data ?? {}, deeds, author);
  return type === "todo" ? todoOf(extra_data ?? {}, deeds, author) : null;
}

/**
 * An index that the person has not used yet.
 * @param {Submessages} submessages @param {number} me @param {"idx" | "key"} field
 */
export function nextIndex(submessages, me, field) {
  const used = submessages.filter((one) => one.sender_id === me).map((one) => parsed(one.content)[field]);
  return 1 + Math.max(0, ...used.filter(Number.isInteger));
}
