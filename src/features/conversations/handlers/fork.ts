import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { mainThread } from '../../../base/protocol/pair.ts'
import { knownTeam } from '../../../kernel/accept/admission.ts'
import type { SessionHandles } from '../../../kernel/accept/session-handle.ts'
import { askerOf } from '../../../kernel/call/asker.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type NamedTurnParts, namedTurn } from '../../../kernel/call/named-turn.ts'
import type { Launcher } from '../../../kernel/pool/launch.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { sessionFork } from '../contract/fork.ts'

/** The dependencies of these operations. */
export interface ForkParts extends NamedTurnParts {
  readonly config: () => Config
  readonly clock: Clock
  /** Conversations by their pairs. */
  readonly sessions: SessionHandles
  readonly launcher: Pick<Launcher, 'agents' | 'programs' | 'setups'>
}

export async function forkSession(
  { toTeam, fromTeam, thread = mainThread, newThread, fromTurn }: z.output<typeof sessionFork.input>,
  call: Call,
  parts: ForkParts,
): Promise<z.output<typeof sessionFork.output>> {
  const { config, clock, launcher, sessions } = parts
  knownTeam(toTeam, config())
  const pair = { from: askerOf(call.auth, fromTeam, config()), to: toTeam, thread }
  const last = fromTurn === undefined ? undefined : namedTurn(fromTurn, parts)
  const forked = await sessions.of(pair).fork(newThread, last)
  const { originSession, originMessage } = forked
  return {
    from: forked.from,
    to: forked.to,
    thread: forked.thread,
    sessionId: forked.sessionId,
    teamPath: config().teams.get(toTeam)!.realPath,
    terminalCommand: launcher.programs.terminalCommand(toTeam, forked.sessionId),
    origin: {
      thread,
      sessionId: originSession!,
      lastMessage: originMessage!,
      terminalCommand: launcher.programs.terminalCommand(toTeam, originSession!),
    },
    timestamp: clock.now(),
  }
}
