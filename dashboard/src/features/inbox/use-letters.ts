import { useState } from 'react'

const kept = 'iris.inbox.keys'

/** Single letters and digits can be switched off, for those who dictate or whose keys slip. */
export function useLetters() {
  const [hasLetters, setLetters] = useState(() => localStorage.getItem(kept) !== 'off')
  const change = (isOn: boolean): void => {
    localStorage.setItem(kept, isOn ? 'on' : 'off')
    setLetters(isOn)
  }
  return { hasLetters, change }
}
