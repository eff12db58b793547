import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import type { SwitchboardSession } from '../../../base/protocol/session-view.ts'
import { listed, type Seen } from './state.ts'

export const panes = ['sessions', 'live', 'questions', 'log'] as const
export type Pane = (typeof panes)[number]

/** Where the person is, and what they have chosen. */
export interface View {
  /** The pane that gets the keys, unless one is opened. */
  readonly pane: Pane
  /** The pane that fills the screen, and then gets the keys. */
  readonly opened: Pane | undefined
  readonly sessionId: string | undefined
  readonly permissionId: string | undefined
  /** The first visible row of a text. Undefined for its beginning, or for the end of a growing text. */
  readonly top: number | undefined
  readonly isHelp: boolean
  /** The reason of a denial, while the person types it. */
  readonly reason: string | undefined
  /** The result of the last answer, until the next key. */
  readonly note: string
}

export const firstView: View = {
  pane: 'sessions',
  opened: undefined,
  sessionId: undefined,
  permissionId: undefined,
  top: undefined,
  isHelp: false,
  reason: undefined,
  note: '',
}

export function activePane({ opened, pane }: View): Pane {
  return opened ?? pane
}

/** The chosen session; without a choice, a session that is working, or else the first one. */
export function chosenSession(seen: Seen, { sessionId }: View): SwitchboardSession | undefined {
  const sessions = listed(seen)
  return (
    sessions.find((session) => session.sessionId === sessionId) ??
    sessions.find(({ runningTurnId }) => runningTurnId !== undefined) ??
    sessions[0]
  )
}

/**
 * The chosen question; by default the first one. Once an opened question has been decided, this is undefined and never
 * another question.
 */
export function chosenQuestion({ questions }: Seen, { permissionId, opened }: View): PermissionView | undefined {
  const chosen = questions.find((question) => question.permissionId === permissionId)
  return chosen ?? (opened === 'questions' ? undefined : questions[0])
}
