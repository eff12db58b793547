import { useSyncExternalStore } from 'react'
import { Draft, type DraftState } from './draft.ts'

/** One for this tab. Nothing of it is stored: it may hold what is meant for config.yaml alone. */
export const draft = new Draft()

addEventListener('beforeunload', (event) => {
  if (draft.isEdited) event.preventDefault()
})

export function useDraft(): DraftState {
  return useSyncExternalStore(draft.subscribe, draft.current)
}
