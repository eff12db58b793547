import { useSyncExternalStore } from 'react'
import { Draft, type DraftState } from './draft.ts'

/** The draft of this tab. It is never stored, because its content may be meant for config.yaml alone. */
export const draft = new Draft()

addEventListener('beforeunload', (event) => {
  if (draft.isEdited) event.preventDefault()
})

export function useDraft(): DraftState {
  return useSyncExternalStore(draft.subscribe, draft.current)
}
