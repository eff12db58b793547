import { useState } from 'react'
import { Problem } from '../api/operations.ts'
import { forgetDraft, keepDraft, keptDraft } from './draft.ts'
import { useFiles } from './opened/use-files.ts'

type Sending<Sent> =
  | { readonly kind: 'idle' | 'sending' }
  | { readonly kind: 'sent'; readonly sent: Sent }
  | { readonly kind: 'failed'; readonly problem: Problem }

export interface Outgoing {
  readonly message: string
  readonly attachments?: { readonly name: string; readonly data: string }[]
}

/**
 * A message as it is being written: kept in this browser until it is sent. After a failure, sending it again counts as
 * the same message, whether or not the first try arrived. The page keeps its files until it is closed.
 */
export function useSending<Sent>(place: string, deliver: (outgoing: Outgoing, key: string) => Promise<Sent>) {
  const [draft, setDraft] = useState(() => keptDraft(place))
  const [state, setState] = useState<Sending<Sent>>({ kind: 'idle' })
  const change = (text: string): void => {
    const changed = { text, key: undefined }
    setDraft(changed)
    keepDraft(place, changed)
    setState({ kind: 'idle' })
  }
  const files = useFiles(() => change(draft.text))
  /** Resolves with the sent message, or with nothing if it was not sent. */
  const send = async (): Promise<Sent | undefined> => {
    if (state.kind === 'sending' || draft.text.trim() === '') return undefined
    const { text, key = crypto.randomUUID() } = draft
    setDraft({ text, key })
    // A reloaded page no longer has the files, so its message is a different one.
    keepDraft(place, { text, key: files.files.length === 0 ? key : undefined })
    setState({ kind: 'sending' })
    const attachments = files.files.map(({ name, data }) => ({ name, data }))
    try {
      const sent = await deliver({ message: text, ...(attachments.length > 0 && { attachments }) }, key)
      forgetDraft(place)
      files.clear()
      setDraft({ text: '', key: undefined })
      setState({ kind: 'sent', sent })
      return sent
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setState({ kind: 'failed', problem: error })
      return undefined
    }
  }
  return { draft: draft.text, setDraft: change, files, send, state }
}
