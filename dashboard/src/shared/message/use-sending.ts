import { useState } from 'react'
import { call, Problem } from '../api/operations.ts'
import { forgetDraft, keepDraft, keptDraft } from './draft.ts'
import { useFiles } from './use-files.ts'

type Sending =
  | { readonly kind: 'idle' | 'sending' }
  | { readonly kind: 'sent'; readonly sessionId: string; readonly changes: readonly string[] }
  | { readonly kind: 'failed'; readonly problem: Problem }

/**
 * A message as it is being written: kept in this browser until it is sent. Sent again after a failure it is the same
 * message, whether or not the first try arrived. Its files are kept as long as the page.
 */
export function useSending(to: string, thread: string) {
  const place = `iris-draft ${to} ${thread}`
  const [draft, setDraft] = useState(() => keptDraft(place))
  const [state, setState] = useState<Sending>({ kind: 'idle' })
  const change = (text: string): void => {
    const changed = { text, key: undefined }
    setDraft(changed)
    keepDraft(place, changed)
    setState({ kind: 'idle' })
  }
  const files = useFiles(() => change(draft.text))
  /** Resolves with the id of the conversation, or with nothing where it was not sent. */
  const send = async (): Promise<string | undefined> => {
    if (state.kind === 'sending' || draft.text.trim() === '') return undefined
    const { text, key = crypto.randomUUID() } = draft
    setDraft({ text, key })
    // Loaded anew, the page has no files any more, so that it is another message.
    keepDraft(place, { text, key: files.files.length === 0 ? key : undefined })
    setState({ kind: 'sending' })
    const attachments = files.files.map(({ name, data }) => ({ name, data }))
    try {
      const { sessionId = '', changes = [] } = await call(
        'quick_message',
        { toTeam: to, thread, message: text, ...(attachments.length > 0 && { attachments }) },
        { idempotencyKey: key },
      )
      forgetDraft(place)
      files.clear()
      setDraft({ text: '', key: undefined })
      setState({ kind: 'sent', sessionId, changes })
      return sessionId
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setState({ kind: 'failed', problem: error })
      return undefined
    }
  }
  return { draft: draft.text, setDraft: change, files, send, state }
}
