import type { Log } from '../../base/lib/log.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { OwnProcesses } from '../../kernel/pool/own-processes.ts'
import type { Pool } from '../../kernel/pool/pool.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { Config } from '../../platform/config/config.ts'
import { takeOverEvents } from './events.ts'
import { attach, type TakeOverParts } from './handlers.ts'
import { openElsewhere } from './needs.ts'
import { TakeOvers, type TakeOversParts } from './take-overs.ts'

interface Needs extends TakeOverParts, Omit<TakeOversParts, 'letGo' | 'log' | 'own' | 'sessions'> {
  readonly config: () => Config
  readonly log: Log
  readonly pool: Pool
  readonly sessionRegistry: Sessions
  readonly sessions: TakeOverParts['sessions']
  readonly startedProcesses: OwnProcesses
}

/** A person opens a conversation of Iris in a terminal: Iris ends its own process, and messages wait until the person leaves. */
export const takeOver = feature('take-over', { events: takeOverEvents }, (parts: Needs) => {
  const { config, log, pool, sessionRegistry, startedProcesses } = parts
  const takeOvers = new TakeOvers({
    ...parts,
    sessions: sessionRegistry,
    own: startedProcesses,
    log: log.for('pool'),
    letGo: (session) => pool.retire(session, 'a person has opened its conversation', pool.unused(session)),
  })
  return {
    gives: { takeOvers },
    seams: { holders: takeOvers },
    needs: openElsewhere,
    handlers: { session_attach: (input, call) => attach(input, call, parts) },
    /**
     * Makes Iris notice take-overs at once from then on. Other machines are contacted only when there is something to
     * do.
     */
    begin() {
      const here = [...config().teams.values()].filter(({ remote }) => remote === undefined)
      return Promise.all(here.map(({ name }) => takeOvers.refresh(name)))
    },
    ended: () => takeOvers.end(),
    close: () => takeOvers.close(),
  }
})
