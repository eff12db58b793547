import { useSyncExternalStore } from 'react'
import { Draft, type DraftState } from './draft.ts'

/** One per tab. It is never stored: its content may be meant for config.yaml alone. */
export const draft = new Draft()

addEventListener('beforeunload', (event) => {
  if (draft.isEdited) event.preventDefault()
})

export function useDraft(): DraftState {
  return useSyncExternalStore(draft.subscribe, draft.current)
}
