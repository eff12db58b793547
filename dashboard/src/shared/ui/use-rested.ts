import { useEffect, useState } from 'react'

/** A value once it has not changed for a while, so that typing does not cause a request for each letter. */
export function useRested<Value>(value: Value, restMs = 200): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs)
    return () => clearTimeout(timer)
  }, [value, restMs])
  return rested
}
