import { useSyncExternalStore } from 'react'

const page = document.documentElement

function subscribe(listener: () => void): () => void {
  const watch = new MutationObserver(listener)
  watch.observe(page, { attributes: true, attributeFilter: ['data-theme'] })
  return () => watch.disconnect()
}

/** The present theme of the page, for drawings in its colours. */
export function useTheme(): string | undefined {
  return useSyncExternalStore(subscribe, () => page.dataset['theme'])
}
