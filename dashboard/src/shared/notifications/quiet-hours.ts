/** The hours of the day in which notifications make no sound, as `HH:MM`; an empty text if no hours are chosen. */
export interface QuietHours {
  readonly from: string
  readonly to: string
}

const kept = 'iris.notify.quiet'
const timeOfDay = /^\d\d:\d\d$/
const none: QuietHours = { from: '', to: '' }

/** Kept in this browser, like the wish for notifications. */
export function quietHours(): QuietHours {
  const [from = '', to = ''] = (localStorage.getItem(kept) ?? '').split('-')
  return timeOfDay.test(from) && timeOfDay.test(to) ? { from, to } : none
}

export function keepQuietHours({ from, to }: QuietHours): void {
  localStorage.setItem(kept, `${from}-${to}`)
}

/** Whether it is quiet at this time of day; hours that begin in the evening continue past midnight. Pure. */
export function isQuiet({ from, to }: QuietHours, now: string): boolean {
  if (from === '' || to === '' || from === to) return false
  return from < to ? from <= now && now < to : from <= now || now < to
}

/** The time of day, in the form of `QuietHours`. */
export function timeNow(at: Date): string {
  return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}
