import { useState } from 'react'

const kept = 'iris.inbox.keys'

/** Keys that are a single letter or digit can be switched off, for people who dictate or press keys by accident. */
export function useLetters() {
  const [hasLetters, setLetters] = useState(() => localStorage.getItem(kept) !== 'off')
  const change = (isOn: boolean): void => {
    localStorage.setItem(kept, isOn ? 'on' : 'off')
    setLetters(isOn)
  }
  return { hasLetters, change }
}
