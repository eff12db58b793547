// Shows notifications, which telephones allow only to a worker, and opens the page that one is about. Where Iris does
// not answer it shows a page that says so. It keeps no page and no answer.
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => {
  event.waitUntil(self.registration.navigationPreload?.enable())
})

// The browser asks for the page itself (a navigation preload): a request of the worker would look as if it came from
// the dashboard, also where another site leads here, which Iris refuses. Without preloads the browser goes its own way.
self.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.mode !== 'navigate' || request.method !== 'GET' || !self.registration.navigationPreload) return
  if (new URL(request.url).pathname === '/login') return
  event.respondWith(asked(event))
})

async function asked(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request))
  } catch {
    return away()
  }
}

/** Loads again by itself once Iris answers. Nothing in it comes from outside. */
function away() {
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Iris isn't responding</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.25rem }
  code { font-family: ui-monospace, monospace }
</style>
<main>
<h1>Iris isn't responding</h1>
<p>Run <code>iris start</code> in a terminal if it is not running.</p>
<p>This page reloads automatically once Iris is back.</p>
</main>
<script>
  // Any answer will do. A reload by the clock would interrupt who reads or hears this.
  setInterval(() => fetch('/icon.svg', { method: 'HEAD' }).then(() => location.reload(), () => {}), 2000)
</script>
</html>`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'",
  }
  return new Response(page, { status: 503, headers })
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data.path))
})

async function open(path) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find(({ focused }) => focused) ?? pages[0]
  if (page === undefined) return self.clients.openWindow(path)
  await page.focus().catch(() => {})
  page.postMessage({ path })
}
