import { type News, newsOfAll } from './news.ts'
import { isQuiet, quietHours, timeNow } from './quiet-hours.ts'
import { wishesNotifications, worker } from './wish.ts'

const seenKey = 'iris.notified'
const mostSeen = 300
/** News items within this time, in milliseconds, become one notification. */
const gatherMs = 1000
let gathered: News[] = []
let gathering = false

/**
 * Notifies a person who is not looking at the page, from one tab only. Several news items at the same moment become one
 * notification.
 */
export function notify(news: readonly News[], onClick: (path: string) => void): void {
  if (!wishesNotifications() || news.length === 0) return
  // A person who is looking at Iris sees the news there.
  if (!document.hidden && document.hasFocus()) return remember(news)
  gathered.push(...news)
  if (gathering) return
  gathering = true
  setTimeout(() => {
    const all = gathered
    gathered = []
    gathering = false
    void tell(all, onClick)
  }, gatherMs)
}

async function tell(all: readonly News[], onClick: (path: string) => void): Promise<void> {
  const news = newsOfAll(all, new Set(seenTags()))
  remember(all)
  if (news === undefined) return
  const { title, body, tag, path } = news
  const silent = isQuiet(quietHours(), timeNow(new Date()))
  const options = { body, tag, silent, icon: '/icon-192.png' }
  const registration = await navigator.serviceWorker?.getRegistration(worker)
  if (registration?.active) return registration.showNotification(title, { ...options, data: { path } })
  const notification = new Notification(title, options)
  notification.addEventListener('click', () => {
    window.focus()
    onClick(path)
    notification.close()
  })
}

function remember(news: readonly News[]): void {
  const tags = new Set([...seenTags(), ...news.map(({ tag }) => tag)])
  localStorage.setItem(seenKey, JSON.stringify([...tags].slice(-mostSeen)))
}

/** What this browser has shown; nothing if that cannot be read. */
function seenTags(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(seenKey) ?? '[]')
    return Array.isArray(kept) ? kept.map(String) : []
  } catch {
    return []
  }
}
