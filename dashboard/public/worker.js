// Shows notifications, which telephones allow only to a worker, and opens the question that one is about. It keeps no
// page and no answer: without Iris there is nothing to show.
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data.question))
})

async function open(question) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find(({ focused }) => focused) ?? pages[0]
  if (page === undefined) return self.clients.openWindow(`/permissions?question=${encodeURIComponent(question)}`)
  await page.focus().catch(() => {})
  page.postMessage({ question })
}
