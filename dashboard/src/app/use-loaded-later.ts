import { useEffect } from 'react'
import { useConnection } from '../shared/stream/live-provider.tsx'

const restMs = 5000

/** Loads what the first view comes without, once it is there: a dialog must open at once, and while Iris is away. */
export function useLoadedLater(): void {
  const isLive = useConnection() === 'live'
  useEffect(() => {
    if (!isLive) return
    const timer = setTimeout(() => {
      void Promise.allSettled([
        import('./palette/palette.tsx'),
        import('../shared/message/message-form.tsx'),
        import('../shared/questions/draft-form.tsx'),
      ])
    }, restMs)
    return () => clearTimeout(timer)
  }, [isLive])
}
