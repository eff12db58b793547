import { type KeyboardEvent, useSyncExternalStore } from 'react'

/** What Enter does in a conversation; Shift+Enter does the other. */
export type EnterDoes = 'send' | 'line'

const place = 'iris.enter'
const listeners = new Set<() => void>()

function chosen(): EnterDoes {
  return localStorage.getItem(place) === 'line' ? 'line' : 'send'
}

/** The setting of this browser, and a function that changes it. */
export function useEnterDoes(): readonly [EnterDoes, (wanted: EnterDoes) => void] {
  const does = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, chosen)
  const choose = (wanted: EnterDoes): void => {
    localStorage.setItem(place, wanted)
    for (const listener of listeners) listener()
  }
  return [does, choose]
}

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'> & {
  readonly nativeEvent: Pick<globalThis.KeyboardEvent, 'isComposing' | 'keyCode'>
}

/**
 * Whether a key in the field of a conversation sends what is in it. Never while an input method is composing, because
 * Enter then accepts its suggestion. `isTouch`: on a touch keyboard, which has no Shift+Enter, Enter always begins a
 * new line. Pure.
 */
export function isForSending(event: Key, does: EnterDoes, isTouch: boolean): boolean {
  const { key, shiftKey, ctrlKey, metaKey, altKey, nativeEvent } = event
  // Some browsers end the composition before they report its key, which then has the code 229.
  if (key !== 'Enter' || altKey || nativeEvent.isComposing || nativeEvent.keyCode === 229) return false
  if (ctrlKey || metaKey) return true
  return !isTouch && shiftKey === (does === 'line')
}

/** Whether people type on the screen. */
export function isTouchKeyboard(): boolean {
  return !matchMedia('(pointer: fine)').matches
}
