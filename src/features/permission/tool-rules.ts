import type { ToolRules } from '../../kernel/session/tool-seams.ts'
import type { Policy } from './policy.ts'
import type { Questions } from './questions.ts'
import { refusal } from './refusal.ts'

/** The policy and the questions, in the form in which the kernel consults them about each tool. */
export function rulesOf(policy: Policy, questions: Questions): ToolRules {
  return {
    listsFor: (session) => policy.listsFor(session),
    look: (session, start) =>
      policy.look(session, start)?.then(
        () => undefined,
        (error: unknown) => {
          const said = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
          return refusal(session.to, start.toolName, said)
        },
      ),
    refusal: (session, tool) => policy.refusal(session, tool),
    denial: (session, tool) => policy.denial(session, tool),
    evaluate: (session, question) => policy.evaluate(session, question),
    ask: (asker, mode, question, signal, isRepeated) => questions.ask(asker, mode, question, signal, isRepeated),
    processStarts({ row: { id } }, startId) {
      const isOver = (row: { session: number; processStart: string }): boolean =>
        row.session === id && row.processStart !== startId
      questions.endThose(isOver, 'the process that asked has ended')
    },
  }
}
