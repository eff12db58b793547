import { type Standing, standingOf } from '../../../../src/base/protocol/standing.ts'
import { askerName } from '../../shared/format/asker.ts'
import type { Session } from './changes.ts'

export interface Filter {
  /** The team that asks or answers. */
  readonly team: string | undefined
  readonly standing: Standing | undefined
  readonly text: string
  readonly withArchived: boolean
}

export const everything: Filter = { team: undefined, standing: undefined, text: '', withArchived: false }

export function isEverything({ team, standing, text }: Filter): boolean {
  return team === undefined && standing === undefined && text.trim() === ''
}

/** Searches names, threads, ids and process ids for the text; each of its words must occur. */
export function filtered(sessions: readonly Session[], { team, standing, text }: Filter): Session[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return sessions.filter((session) => {
    const { from, to, thread, sessionId, pid } = session
    if (team !== undefined && from !== team && to !== team) return false
    if (standing !== undefined && standingOf(session) !== standing) return false
    const searched = [askerName(from), to, thread, sessionId, pid ?? ''].join(' ').toLowerCase()
    return words.every((word) => searched.includes(word))
  })
}
