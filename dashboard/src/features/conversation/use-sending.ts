import { useRef, useState } from 'react'
import { call, Problem } from '../../shared/api/operations.ts'

type Sending =
  | { readonly kind: 'idle' | 'sending' }
  | { readonly kind: 'sent'; readonly sessionId: string }
  | { readonly kind: 'failed'; readonly problem: Problem }

/**
 * A message as it is being written: kept in this browser until it is sent. Sent again after a failure it is the same
 * message, whether or not the first try arrived.
 */
export function useSending(to: string, thread: string) {
  const place = `iris-draft ${to} ${thread}`
  const [draft, keep] = useState(() => localStorage.getItem(place) ?? '')
  const [state, setState] = useState<Sending>({ kind: 'idle' })
  const key = useRef<string>(undefined)
  const setDraft = (text: string): void => {
    key.current = undefined
    keep(text)
    if (text === '') localStorage.removeItem(place)
    else localStorage.setItem(place, text)
    setState({ kind: 'idle' })
  }
  const send = async (): Promise<void> => {
    if (state.kind === 'sending' || draft.trim() === '') return
    key.current ??= crypto.randomUUID()
    setState({ kind: 'sending' })
    try {
      const message = { toTeam: to, thread, message: draft }
      const { sessionId } = await call('quick_message', message, { idempotencyKey: key.current })
      setDraft('')
      setState({ kind: 'sent', sessionId })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setState({ kind: 'failed', problem: error })
    }
  }
  return { draft, setDraft, send, state }
}
