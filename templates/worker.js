/* Shows a page that says so when there is no network. Nothing else is answered from here. */
const NAME = "{{ name|escapejs }}";
const FILES = [{% for file in files %}"{{ file|escapejs }}"{% if not forloop.last %}, {% endif %}{% endfor %}];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const old = (names) => Promise.all(names.filter((name) => name !== NAME).map((name) => caches.delete(name)));
  event.waitUntil(caches.keys().then(old).then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const kept = request.mode === "navigate" ? "/offline/" : FILES.includes(new URL(request.url).pathname) && request;
  if (kept) event.respondWith(fetch(request).catch(() => caches.match(kept)));
});
