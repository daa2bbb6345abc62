// The offline shell: keeps the page and the files of the web client that it was made of, and answers
// with them only while the server does not answer.
//
// The page is always asked of the server first, so a newer server is a newer page at once; its files
// have their content in their address and cannot be stale. Must not answer anything else: what people
// have written is never kept here.

const SHELL = "spindle-shell";
const PAGE = "/";
/** Files of the client, of any version. */
const FILE = /^\/web\/([0-9a-f]+)\//u;
/** What a proxy says while the server restarts. */
const UNREACHABLE = [502, 503, 504];

/** Addresses of files in the page. @param {string} markup */
const filesIn = (markup) => [...new Set(markup.match(/\/web\/[0-9a-f]+\/[\w./-]+/gu) ?? [])];

/** Files that the page does not name, and a page needs. @param {string} root */
const besides = (root) => ["worker.js", "strings/en.js", "strings/de.js"].map((name) => root + name);

/** Keeps a page with all its files, and forgets those of other versions. @param {Response} page */
async function keep(page) {
  const markup = await page.clone().text();
  const files = filesIn(markup);
  const root = FILE.exec(files[0] ?? "")?.[0];
  if (!page.ok || root === undefined) return;
  const cache = await caches.open(SHELL);
  // It is kept last: all its files are there.
  const before = await cache.match(PAGE);
  if ((await before?.text()) === markup) return;
  const known = await cache.keys();
  const isKnown = (path) => known.some((request) => new URL(request.url).pathname === path);
  await cache.addAll([...files, ...besides(root)].filter((path) => !isKnown(path)));
  // Last: a page whose files are not all here would be none.
  await cache.put(PAGE, page);
  const old = known.filter(({ url }) => {
    const { pathname } = new URL(url);
    return pathname !== PAGE && !pathname.startsWith(root);
  });
  await Promise.all(old.map((request) => cache.delete(request)));
}

/** @param {any} event */
async function navigated(event) {
  try {
    const page = await fetch(event.request);
    if (UNREACHABLE.includes(page.status)) return (await caches.match(PAGE)) ?? page;
    event.waitUntil(keep(page.clone()).catch(() => undefined));
    return page;
  } catch (error) {
    const kept = await caches.match(PAGE);
    if (kept === undefined) throw error;
    return kept;
  }
}

/** @param {Request} request */
async function file(request) {
  const kept = await caches.match(request.url);
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  if (answer.ok) {
    const cache = await caches.open(SHELL);
    await cache.put(request.url, answer.clone());
  }
  return answer;
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  // A browser that knows routes reads files from the cache itself, without an event here for each of a hundred.
  // What is not in it comes from the network, or from the browser's own cache.
  const route = { condition: { urlPattern: { pathname: "/web/*" } }, source: { cacheName: SHELL } };
  event.waitUntil(event.addRoutes?.(route).catch(() => undefined));
  event.waitUntil(fetch(PAGE).then(keep));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate" && pathname === PAGE) event.respondWith(navigated(event));
  else if (FILE.test(pathname)) event.respondWith(file(request));
});
