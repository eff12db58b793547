import type { PermissionView } from '../../../../src/base/protocol/operations/permissions.ts'

const key = 'iris.notify'

export function canNotify(): boolean {
  return 'Notification' in window && Notification.permission !== 'denied'
}

export function wishesNotifications(): boolean {
  return canNotify() && Notification.permission === 'granted' && localStorage.getItem(key) === 'on'
}

/** Asks the browser for the right: only after a click of the person. Resolves with whether notifications come now. */
export async function wishNotifications(wished: boolean): Promise<boolean> {
  const isGranted = wished && (await Notification.requestPermission()) === 'granted'
  localStorage.setItem(key, isGranted ? 'on' : 'off')
  return isGranted
}

/** Only to somebody who looks elsewhere; what the tool would do is not shown outside this page. */
export function notify({ permissionId, team, toolName, chain }: PermissionView, onClick: () => void): void {
  if (!wishesNotifications() || (!document.hidden && document.hasFocus())) return
  const notification = new Notification(`${team} asks: may ${toolName} run?`, {
    body: `Asked by ${chain.join(' → ')}`,
    tag: permissionId,
  })
  notification.addEventListener('click', () => {
    window.focus()
    onClick()
    notification.close()
  })
}
