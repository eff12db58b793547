import type { PermissionView } from '../../../base/protocol/operations/permissions.ts'
import type { SwitchboardSession } from '../../../base/protocol/operations/switchboard.ts'
import { listed, type Seen } from './state.ts'

export const panes = ['sessions', 'live', 'questions', 'log'] as const
export type Pane = (typeof panes)[number]

/** Where the person is, and what they have chosen. */
export interface View {
  /** That which the keys are for. */
  readonly pane: Pane
  /** That which fills the screen; then the keys are for it. */
  readonly opened: Pane | undefined
  readonly sessionId: string | undefined
  readonly permissionId: string | undefined
  /** The first row that is shown of a text; undefined where it begins, or, of what grows, at its end. */
  readonly top: number | undefined
  readonly isHelp: boolean
  /** Why a tool is denied, while it is being typed. */
  readonly reason: string | undefined
  /** What came of the last answer, until the next key. */
  readonly note: string
}

export const firstView: View = {
  ...{ pane: 'sessions', opened: undefined, sessionId: undefined, permissionId: undefined, top: undefined },
  ...{ isHelp: false, reason: undefined, note: '' },
}

export function activePane({ opened, pane }: View): Pane {
  return opened ?? pane
}

/** The chosen one; before somebody chooses, one that works. */
export function chosenSession(seen: Seen, { sessionId }: View): SwitchboardSession | undefined {
  const sessions = listed(seen)
  return (
    sessions.find((session) => session.sessionId === sessionId) ??
    sessions.find(({ runningTurnId }) => runningTurnId !== undefined) ??
    sessions[0]
  )
}

/** The chosen one; the one that is opened stays the one even when it waits no more. */
export function chosenQuestion({ questions }: Seen, { permissionId, opened }: View): PermissionView | undefined {
  const chosen = questions.find((question) => question.permissionId === permissionId)
  return chosen ?? (opened === 'questions' ? undefined : questions[0])
}
