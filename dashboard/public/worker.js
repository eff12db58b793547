// Shows notifications, which telephones allow only to a worker, and opens the page that one is about. It keeps no
// page and no answer: without Iris there is nothing to show.
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
