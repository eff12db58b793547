import type { PermissionView } from '../../../../src/base/protocol/operations/permissions.ts'

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
  if (isGranted) await navigator.serviceWorker?.register(worker).catch(() => undefined)
  localStorage.setItem(key, isGranted ? 'on' : 'off')
  return isGranted
}

/** Only to somebody who looks elsewhere; what the tool would do is not shown outside this page. */
export async function notify(
  { permissionId, team, toolName, chain }: PermissionView,
  onClick: (question: string) => void,
): Promise<void> {
  if (!wishesNotifications() || (!document.hidden && document.hasFocus())) return
  const title = `${team} asks: may ${toolName} run?`
  const options = { body: `Asked by ${chain.join(' → ')}`, tag: permissionId, icon: '/icon-192.png' }
  const registration = await navigator.serviceWorker?.getRegistration(worker)
  if (registration?.active)
    return registration.showNotification(title, { ...options, data: { question: permissionId } })
  const notification = new Notification(title, options)
  notification.addEventListener('click', () => {
    window.focus()
    onClick(permissionId)
    notification.close()
  })
}

/** Calls when a person has clicked a notification of the worker. Returns a function that ends that. */
export function onNotificationClick(open: (question: string) => void): () => void {
  const take = ({ data }: MessageEvent<{ question?: unknown }>): void => {
    if (typeof data?.question === 'string') open(data.question)
  }
  navigator.serviceWorker?.addEventListener('message', take)
  return () => navigator.serviceWorker?.removeEventListener('message', take)
}
