import { useCallback, useEffect, useRef, useState } from 'react'

/** Long enough for a press that was meant for what was here before. */
const quietMs = 700

/**
 * `isQuiet` is true for a moment after `hush` and after the window gets the focus: keys and clicks are ignored then.
 */
export function useQuiet() {
  const [isQuiet, setQuiet] = useState(false)
  // A key may come before the state has been rendered.
  const quietNow = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const hush = useCallback(() => {
    const turn = (isOn: boolean): void => {
      quietNow.current = isOn
      setQuiet(isOn)
    }
    turn(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => turn(false), quietMs)
  }, [])
  useEffect(() => {
    window.addEventListener('focus', hush)
    return () => {
      window.removeEventListener('focus', hush)
      clearTimeout(timer.current)
    }
  }, [hush])
  return { isQuiet, quietNow, hush }
}
