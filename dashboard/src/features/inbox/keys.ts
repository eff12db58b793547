/** What a key does in the inbox. */
export type KeyAction =
  | 'next'
  | 'previous'
  | 'open'
  | 'peek'
  | 'leave'
  | 'allow'
  | 'deny'
  | 'request'
  | 'done'
  | 'later'
  | 'retry'
  | 'undo'
  | 'select'
  | 'help'

/** Keys that move the focus and open a row; they still work when single letters are switched off. */
const plain: Readonly<Record<string, KeyAction>> = {
  ArrowDown: 'next',
  ArrowUp: 'previous',
  Enter: 'open',
  ' ': 'peek',
  Escape: 'leave',
}
export const letters: Readonly<Record<string, KeyAction>> = {
  j: 'next',
  k: 'previous',
  1: 'allow',
  2: 'deny',
  // The same keys as on the buttons of a request.
  a: 'allow',
  d: 'deny',
  // Answers that apply more than once need a second key: the first one only moves the focus to the request.
  s: 'request',
  p: 'request',
  w: 'request',
  e: 'done',
  h: 'later',
  r: 'retry',
  z: 'undo',
  x: 'select',
  '?': 'help',
}

interface Pressed {
  readonly key: string
  readonly repeat: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
}

interface Where {
  /** Whether the row itself has the focus, and not something in it. */
  readonly isRow: boolean
  /** Whether the focus is in a request, which itself handles the keys shown on its buttons. */
  readonly isRequest: boolean
  /** Whether the focus is in a field or a choice. */
  readonly isField: boolean
  /** Whether single letters and digits are switched on. */
  readonly hasLetters: boolean
}

/** What a key means where it was pressed; undefined if it is not for the list. Pure. */
export function keyAction(pressed: Pressed, { isRow, isRequest, isField, hasLetters }: Where): KeyAction | undefined {
  const { key, repeat, ctrlKey, metaKey, altKey } = pressed
  if (isField || ctrlKey || metaKey || altKey || (isRequest && 'aspwd'.includes(key))) return undefined
  const moves = plain[key] ?? (hasLetters ? letters[key] : undefined)
  const isMove = moves === 'next' || moves === 'previous'
  if (moves === undefined || (repeat && !isMove)) return undefined
  // Buttons and links handle these keys themselves.
  return !isRow && (key === 'Enter' || key === ' ') ? undefined : moves
}

export const stillMs = 500

/**
 * Whether a row has been in sight and unmoved for a while, because a key that was meant for another row must not count.
 */
export class Stillness {
  readonly #places = new Map<string, { top: number; since: number }>()

  /** Records where a row is now. `top`: pixels from the top of the window; undefined if the row is out of sight. */
  note(id: string, top: number | undefined, now: number): void {
    const before = this.#places.get(id)
    if (top === undefined) this.#places.delete(id)
    else if (before === undefined || Math.abs(before.top - top) > 1) this.#places.set(id, { top, since: now })
  }

  isStill(id: string, now: number): boolean {
    const place = this.#places.get(id)
    return place !== undefined && now - place.since >= stillMs
  }
}

/**
 * The row that gets the focus when the focused row leaves: the next one that is still there, or else the last. Pure.
 */
export function nextFocus(
  before: readonly string[],
  now: readonly string[],
  focused: string | undefined,
): string | undefined {
  if (focused === undefined || now.includes(focused)) return focused
  const next = before.slice(before.indexOf(focused)).find((id) => now.includes(id))
  return next ?? now.at(-1)
}
