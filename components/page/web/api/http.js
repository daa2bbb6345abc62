// The one place that speaks HTTP. Every operation of `api/` goes through `call` or `upload`;
// nothing else in the client calls `fetch`.
//
// Owns the header that opens the session's cookie, how parameters travel, what an error is, and
// how long to wait when the server says so. Must not know what an operation means.

/** Sent with every call: a page of another site cannot send it. */
const CLIENT = { "Spindle-Client": "web" };
const ROOT = "/api/v1";
/** How often a call is tried again after a 429 before its caller hears of it. */
const PATIENCE = 4;

/** An answer of the server that is not a success, or none at all. */
export class ApiError extends Error {
  /**
   * @param {string} message for people
   * @param {{ status?: number, code?: string, body?: Record<string, any> }} [facts]
   */
  constructor(message, { status = 0, code = "", body = {} } = {}) {
    super(message);
    this.name = "ApiError";
    /** HTTP status; 0 when no answer came. */
    this.status = status;
    /** The code of the answer, such as BAD_EVENT_QUEUE_ID; NETWORK when no answer came. */
    this.code = code;
    this.body = body;
  }

  /** Whether trying the same again later can help. */
  get isPassing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/**
 * Strings travel raw, everything else as JSON; what is undefined is left out.
 * @param {Record<string, unknown>} parameters
 * @returns {URLSearchParams}
 */
export function encode(parameters) {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return form;
}

/** @param {string} path @param {URLSearchParams} query */
const withQuery = (path, query) => (query.size > 0 ? `${path}?${query}` : path);

/**
 * Seconds to wait, of a header or of the body of a 429.
 * @param {string | null | undefined} header
 * @param {Record<string, any>} body
 */
export function retryAfter(header, body) {
  const seconds = Number(body["retry-after"] ?? header ?? 1);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 60) : 1;
}

/** @param {number} seconds @param {AbortSignal} [signal] */
export function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** @typedef {import("./operations.d.ts").Operations} Operations */
/** What an operation takes. @template {keyof Operations} O @typedef {Operations[O]["parameters"]} Parameters */
/** What it answers. @template {keyof Operations} O @typedef {Operations[O]["answer"]} Answer */

/**
 * Puts the parameters that an address names into it.
 * @param {string} template with names in braces @param {Record<string, unknown>} parameters
 * @returns {{ path: string, rest: Record<string, unknown> }}
 */
export function fill(template, parameters) {
  const rest = { ...parameters };
  const path = template.replace(/\{(\w+)\}/gu, (_, name) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  return { path, rest };
}

/**
 * @typedef {object} Options
 * @property {AbortSignal} [signal]
 * @property {number} [timeout] seconds until it counts as unanswered
 * @property {() => void} [onBegun] called when a success has begun to arrive, before its body is here
 * @property {(text: string) => void} [onText] called with the body of a success before it is read
 */

/**
 * Calls an operation and returns the body of its answer.
 * @template {keyof Operations} O
 * @param {O} operation its method and its path below /api/v1
 * @param {Parameters<O>} parameters
 * @param {Options} [options]
 * @returns {Promise<Answer<O>>}
 * @throws {ApiError} unless the answer is a success; the signal's reason when it was ended
 */
export async function call(operation, parameters, { signal, timeout = 30, ...heard } = {}) {
  const [method = "", template = ""] = operation.split(" ");
  const { path, rest } = fill(template, parameters);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await once(method, path, rest, { signal, timeout, ...heard });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429 || attempt >= PATIENCE) throw error;
      await pause(retryAfter(null, error.body), signal);
    }
  }
}

/**
 * @param {string} method @param {string} path @param {Record<string, unknown>} parameters
 * @param {Omit<Options, "timeout"> & { timeout: number }} options
 */
async function once(method, path, parameters, { signal, timeout, onBegun, onText }) {
  const form = encode(parameters);
  const isGet = method === "GET";
  const limit = AbortSignal.timeout(timeout * 1000);
  /** @type {RequestInit} */
  const request = {
    method,
    headers: CLIENT,
    cache: "no-store",
    credentials: "same-origin",
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  };
  if (!isGet) request.body = form;
  const address = ROOT + (isGet ? withQuery(path, form) : path);
  let response;
  try {
    response = await fetch(address, request);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new ApiError(String(error), { code: "NETWORK" });
  }
  if (response.ok) onBegun?.();
  return read(response, onText);
}

/** @param {Response} response @param {(text: string) => void} [onText] */
async function read(response, onText) {
  let body;
  try {
    const text = await response.text();
    if (response.ok) onText?.(text);
    body = JSON.parse(text);
  } catch {
    throw new ApiError(response.statusText, { status: response.status, code: "NO_JSON" });
  }
  if (!response.ok || body.result === "error") {
    const wait = response.headers.get("Retry-After");
    if (response.status === 429 && body["retry-after"] === undefined) body["retry-after"] = wait ?? 1;
    throw new ApiError(body.msg ?? response.statusText, { status: response.status, code: body.code ?? "", body });
  }
  return body;
}

/**
 * A public file that is JSON, such as the names of emoji.
 * @param {string} url of this server
 * @returns {Promise<any>}
 */
export async function file(url) {
  const path = new URL(url, location.href).pathname;
  try {
    return await read(await fetch(path, { credentials: "same-origin" }));
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError(String(error), { code: "NETWORK" });
  }
}

/**
 * Whether the server has a public file; what the browser keeps does not count.
 * @param {string} url of this server
 * @returns {Promise<boolean>}
 * @throws {TypeError} when no answer came
 */
export async function isThere(url) {
  const answer = await fetch(new URL(url, location.href).pathname, { method: "HEAD", cache: "no-store" });
  return answer.status !== 404;
}

/**
 * Sends one file as multipart. `fetch` says nothing about progress, so this does not use it.
 * @template {keyof Operations} O
 * @param {O} operation
 * @param {File} content
 * @param {Parameters<O>} parameters all of its address
 * @param {{ signal?: AbortSignal, onProgress?: (share: number) => void }} [options] share: 0 to 1
 * @returns {Promise<Answer<O>>}
 */
export function upload(operation, content, parameters, { signal, onProgress } = {}) {
  const [method = "", template = ""] = operation.split(" ");
  const { path, rest } = fill(template, parameters);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, ROOT + withQuery(path, encode(rest)));
    for (const [name, value] of Object.entries(CLIENT)) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.onprogress = (event) => onProgress?.(event.total > 0 ? event.loaded / event.total : 0);
    request.onload = () => {
      const body = request.response ?? {};
      if (request.status === 200 && body.result === "success") resolve(body);
      else
        reject(new ApiError(body.msg ?? request.statusText, { status: request.status, code: body.code ?? "", body }));
    };
    request.onerror = () => reject(new ApiError("network", { code: "NETWORK" }));
    request.onabort = () => reject(signal?.reason);
    signal?.addEventListener("abort", () => request.abort());
    const form = new FormData();
    form.append("file", content, content.name);
    request.send(form);
  });
}
