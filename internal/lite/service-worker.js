// The service worker of the site, in place of JupyterLite's: it keeps what was fetched, so that the
// site works without a network when it was visited once. Files whose names tell their content are
// taken from what is kept; of all others the network is asked first. Pages ask it to keep more:
//
//	{kind: 'keep', urls}
'use strict';
const CACHE = 'hierml-site';
const scope = new URL('.', location.href);
const named = url => /\/static-[0-9a-f]{16}\/|\.[0-9a-f]{7,}\.\w+$/.test(url.pathname);

self.addEventListener('install', event => event.waitUntil(self.skipWaiting()));
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', event => {
  const { request } = event, url = new URL(request.url);
  if (url.pathname === '/api/service-worker-heartbeat') event.respondWith(new Response('ok'));
  else if (request.method === 'GET' && url.href.startsWith(scope.href) && !request.headers.has('range')) event.respondWith(answer(event, request, url));
});

self.addEventListener('message', event => {
  if (event.data?.kind === 'keep') event.waitUntil(keep(event.data.urls));
});

async function answer(event, request, url) {
  const cache = await caches.open(CACHE);
  // A page is the same whatever notebook its address names.
  const kept = () => cache.match(request, { ignoreSearch: request.mode === 'navigate' });
  if (named(url)) {
    const response = await kept();
    if (response) return response;
  }
  try {
    const response = await fetch(request);
    if (response.status === 200) event.waitUntil(cache.put(request.mode === 'navigate' ? url.origin + url.pathname : request, response.clone()));
    return response;
  } catch (error) {
    const response = await kept();
    if (response) return response;
    throw error;
  }
}

async function keep(urls) {
  const cache = await caches.open(CACHE);
  for (const url of urls) {
    if (!url.startsWith(scope.href) || await cache.match(url)) continue;
    // One after the other, as nobody waits for them; what cannot be had now is asked for again.
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === 200) await cache.put(url, response);
  }
}
