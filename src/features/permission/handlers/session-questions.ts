import type { z } from 'zod'
import { elicitationHook } from '../../../claude/driver/elicitation-hooks.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { settingsHere } from '../../../kernel/pool/settings-files.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { AskingSessions } from '../asking-sessions.ts'
import type { sessionQuestions } from '../contract/permissions.ts'
import type { Questions } from '../questions.ts'

export interface SessionQuestionsParts {
  readonly config: () => Config
  readonly questions: Pick<Questions, 'open'>
  readonly askingSessions: AskingSessions
}

type Found = z.output<typeof sessionQuestions.output>

/** session_questions: what the bridge of a session shows there. */
export async function ofSession(
  { console, known, directory, configDirectory }: z.output<typeof sessionQuestions.input>,
  { signal }: Call,
  { config, questions, askingSessions }: SessionQuestionsParts,
): Promise<Found> {
  const isOn = async (): Promise<boolean> => {
    if (!config().settings.elicitation) return false
    return elicitationHook((await settingsHere(directory, configDirectory)).files) === undefined
  }
  const look = async (): Promise<Found | undefined> => {
    const below = questions.open().filter((question) => askingSessions.isBelow(question, console))
    // The settings files are read only if the result depends on them.
    const isAsked = known === undefined || below.length > 0 ? await isOn() : config().settings.elicitation
    const permissions = isAsked ? below : []
    if (known === undefined) return { isOn: isAsked, permissions }
    const ids = new Set(permissions.map(({ permissionId }) => permissionId))
    const isSame = ids.size === new Set(known).size && known.every((id) => ids.has(id))
    return isSame ? undefined : { isOn: isAsked, permissions }
  }
  return (await askingSessions.until(look, signal)) ?? { isOn: true, permissions: [] }
}
