import { type News, newsOfAll } from './news.ts'
import { isQuiet, quietHours, timeNow } from './quiet-hours.ts'

const key = 'iris.notify'
const worker = '/worker.js'

export function canNotify(): boolean {
  return 'Notification' in window && Notification.permission !== 'denied'
}

export function wishesNotifications(): boolean {
  return canNotify() && Notification.permission === 'granted' && localStorage.getItem(key) === 'on'
}

/** Asks the browser for the right: only after a click of the person. Resolves with whether notifications come now. */
export async function wishNotifications(wished: boolean): Promise<boolean> {
  const isGranted = wished && (await Notification.requestPermission()) === 'granted'
  // Telephones let only a worker notify. Where it cannot be started the page does it.
  const registration = isGranted && (await navigator.serviceWorker?.register(worker).catch(() => undefined))
  if (registration) await started(registration)
  localStorage.setItem(key, isGranted ? 'on' : 'off')
  return isGranted
}

/** Resolves when the worker can notify, or has failed to start: a question in between would be shown by the page. */
async function started({ installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const starting = installing ?? waiting
  const isOver = (): boolean => ['activated', 'redundant'].includes(starting?.state ?? 'activated')
  while (!isOver()) await new Promise((resolve) => starting?.addEventListener('statechange', resolve, { once: true }))
}

const seenKey = 'iris.notified'
const mostSeen = 300
/** What comes within this time is one notification. In milliseconds. */
const gatherMs = 1000
let gathered: News[] = []
let gathering = false

/** Notifies a person who is not looking at the page, once over all tabs. Several at the same moment are one notification. */
export function notify(news: readonly News[], onClick: (path: string) => void): void {
  if (!wishesNotifications() || news.length === 0) return
  // Who looks at Iris sees it there.
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

/** Calls when a person has clicked a notification of the worker. Returns a function that ends that. */
export function onNotificationClick(open: (path: string) => void): () => void {
  const take = ({ data }: MessageEvent<{ path?: unknown }>): void => {
    if (typeof data?.path === 'string') open(data.path)
  }
  navigator.serviceWorker?.addEventListener('message', take)
  return () => navigator.serviceWorker?.removeEventListener('message', take)
}
