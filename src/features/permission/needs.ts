import type { Need, UrgentSession } from '../../base/protocol/inbox-needs.ts'
import type { Questions } from './questions.ts'

/** Agents that ask whether they may use a tool. */
export function openQuestions(urgent: readonly UrgentSession[], questions: Pick<Questions, 'ofSession'>): Need[] {
  return urgent.flatMap(({ id: row, session: { sessionId } }): Need[] => {
    const question = questions.ofSession(row)
    if (question === undefined) return []
    const { id, toolName, askedAt, deadline, turn } = question
    const about = { permissionId: id, toolName, deadline, ...(turn !== null && { turnId: turn }) }
    return [{ kind: 'question', id, sessionId, at: askedAt, ...about }]
  })
}
