export interface Draft {
  readonly text: string
  /** The key under which the text was sent, while it is unknown whether it arrived. */
  readonly key: string | undefined
}

const none: Draft = { text: '', key: undefined }

/** The text that was written and not sent. It outlives a reload of the page. */
export function keptDraft(place: string): Draft {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? 'null') as Partial<Draft> | null
    return typeof kept?.text === 'string' ? { text: kept.text, key: kept.key } : none
  } catch {
    return none
  }
}

export function keepDraft(place: string, draft: Draft): void {
  if (draft.text === '') forgetDraft(place)
  else localStorage.setItem(place, JSON.stringify(draft))
}

export function forgetDraft(place: string): void {
  localStorage.removeItem(place)
}

/** Where the draft of a message to a team is kept. */
export function draftTo(toTeam: string, thread: string): string {
  const place = `iris-draft ${toTeam} ${thread}`
  return place
}
