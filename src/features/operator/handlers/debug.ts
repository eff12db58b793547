import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Secrets } from '../../../base/lib/secrets.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { pairText } from '../../../base/protocol/pair.ts'
import type { ProcessFacts } from '../../../kernel/accept/session-handle.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type PairParts, pairOf } from '../../../kernel/call/pair.ts'
import type { Launcher } from '../../../kernel/pool/launch.ts'
import { workingTeam } from '../../../platform/config/former-teams.ts'
import type { SessionRow } from '../../../platform/store/sessions.ts'
import { type NamedSessionParts, namedSession } from '../../conversations/handlers/named-session.ts'
import type { debugSession } from '../contract/debug.ts'

/** The dependencies of these operations. */
export interface DebugParts extends PairParts, NamedSessionParts {
  readonly clock: Clock
  readonly launcher: Pick<Launcher, 'agents' | 'programs' | 'setups'>
  readonly secrets: Secrets
}

type Input = z.output<typeof debugSession.input>
type Output = z.output<typeof debugSession.output>

const maxWords = 2000

/**
 * debug_session. The stored texts already hide the secrets that were known at the time. Secrets that were learned since
 * are hidden here.
 */
export async function debug(input: Input, call: Call, parts: DebugParts): Promise<Output> {
  const { sessions, sessionList, launcher, secrets, clock, config } = parts
  const row = await rowOf(input, call, parts)
  const { from, to, thread, sessionId, status } = row
  const isTeam = workingTeam(config(), to) !== undefined
  const { command, snapshot } = sessionList.launchOf(row)
  return secrets.hideIn({
    from,
    to,
    thread,
    sessionId,
    status,
    launchCommand: command,
    teamSnapshot: snapshot === null ? null : (JSON.parse(snapshot) as Record<string, unknown>),
    terminalCommand: isTeam ? launcher.programs.terminalCommand(to, sessionId) : null,
    isolation: isTeam ? (await launcher.programs.isolationsOf([to])).get(to)! : null,
    process: processOf(sessions.processOf(row)),
    timestamp: clock.now(),
  })
}

async function rowOf({ sessionId, ...input }: Input, call: Call, parts: DebugParts): Promise<SessionRow> {
  if (sessionId === undefined) {
    const pair = await pairOf(input, call, parts)
    const session = await parts.sessions.of(pair).status()
    if (session) return session
    const what = `${pairText(pair)} has no conversation.`
    throw new IrisError('unknown_session', what, 'list_sessions lists them.')
  }
  return namedSession(sessionId, parts)
}

function processOf({ processState: state, process }: ProcessFacts): Output['process'] {
  if (process === undefined) return { state }
  const { pid, resumed, toolsRunning, stderr } = process
  return {
    state,
    pid,
    resumed,
    toolsRunning: [...toolsRunning],
    ...(stderr !== '' && { lastWords: stderr.slice(-maxWords) }),
  }
}
