import { useEffect } from 'react'
import { useConnection } from '../shared/stream/live-provider.tsx'

const restMs = 5000

/** Loads what the first view comes without, once it is there: a dialog must open at once, and while Iris is away. */
export function useLoadedLater(): void {
  const isLive = useConnection() === 'live'
  useEffect(() => {
    if (!isLive) return
    // What is loaded after this is not of the first view (its test).
    performance.mark('live')
    const timer = setTimeout(() => {
      void Promise.allSettled([
        import('./palette/palette.tsx'),
        import('../shared/message/message-form.tsx'),
        import('../shared/questions/opened/draft-form.tsx'),
        import('../shared/questions/opened/sure-of-rule.tsx'),
      ])
    }, restMs)
    return () => clearTimeout(timer)
  }, [isLive])
}
