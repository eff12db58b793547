const wishKey = 'iris.notify'
/** The service worker, which shows notifications where the page may not. */
export const worker = '/worker.js'

export function canNotify(): boolean {
  return 'Notification' in window && Notification.permission !== 'denied'
}

export function wishesNotifications(): boolean {
  return canNotify() && Notification.permission === 'granted' && localStorage.getItem(wishKey) === 'on'
}

/**
 * Asks the browser for the permission; call it only after a click by the person. Resolves to whether notifications will
 * be shown.
 */
export async function wishNotifications(wished: boolean): Promise<boolean> {
  const isGranted = wished && (await Notification.requestPermission()) === 'granted'
  // On phones only a worker may notify. If it cannot be started, the page does it.
  const registration = isGranted && (await navigator.serviceWorker?.register(worker).catch(() => undefined))
  if (registration) await started(registration)
  localStorage.setItem(wishKey, isGranted ? 'on' : 'off')
  return isGranted
}

/**
 * Resolves when the worker can notify, or has failed to start: until then, the page itself would show a notification.
 */
async function started({ installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const starting = installing ?? waiting
  const isOver = (): boolean => ['activated', 'redundant'].includes(starting?.state ?? 'activated')
  while (!isOver()) await new Promise((resolve) => starting?.addEventListener('statechange', resolve, { once: true }))
}

/** Calls `open` when a person has clicked a notification of the worker. Returns a function that ends this. */
export function onNotificationClick(open: (path: string) => void): () => void {
  const take = ({ data }: MessageEvent<{ path?: unknown }>): void => {
    if (typeof data?.path === 'string') open(data.path)
  }
  navigator.serviceWorker?.addEventListener('message', take)
  return () => navigator.serviceWorker?.removeEventListener('message', take)
}
