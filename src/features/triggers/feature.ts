import { randomBytes } from 'node:crypto'
import { every } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { Environment } from '../../platform/config/home.ts'
import type { Vitals } from '../../platform/metrics/vitals.ts'
import type { Store } from '../../platform/store/store.ts'
import { list, test } from './handlers.ts'
import { TriggerRows } from './rows.ts'
import { TriggerNews, type TriggerNewsParts } from './trigger-news.ts'
import { TriggerSecrets } from './trigger-secrets.ts'
import { Triggers, type TriggersParts } from './triggers.ts'

interface Needs
  extends Pick<TriggersParts, 'config' | 'clock' | 'turns' | 'pool' | 'callLimit' | 'refusals'>,
    Omit<TriggerNewsParts, 'sessions'> {
  readonly log: Log
  readonly env: Environment
  readonly secrets: Pick<Secrets, 'add'>
  readonly database: Store
  readonly sessionRegistry: TriggersParts['sessions'] & TriggerNewsParts['sessions']
  readonly vitals: Pick<Vitals, 'calls'>
}

const hourMs = 3_600_000

/** Events of outside programs that become messages. config.yaml says whose events, and for which team. */
export const triggers = feature('triggers', (parts: Needs) => {
  const { config, clock, env, secrets, sessionRegistry, vitals } = parts
  const log = parts.log.for('triggers')
  const news = new TriggerNews({ ...parts, log, sessions: sessionRegistry })
  const newWord = (): string => randomBytes(12).toString('hex')
  const taking = new Triggers({
    ...parts,
    log,
    newWord,
    rows: new TriggerRows(parts.database),
    secrets: new TriggerSecrets({ home: config().home, env, hidden: secrets }),
    sessions: sessionRegistry,
    calls: vitals.calls,
    tell: (trigger) => news.tell(trigger),
  })
  const tidy = (): void => {
    taking.tidy().catch((error: unknown) => log.warn(`triggers were not tidied up: ${String(error)}`))
  }
  let endHours = (): void => {}
  const reading = { config, env, triggers: taking, newWord }
  return {
    gives: { triggers: taking },
    handlers: { list_triggers: () => list(reading), test_trigger: (input) => test(input, reading) },
    begin: () => {
      tidy()
      endHours = every(clock, hourMs, tidy)
    },
    quiet: () => endHours(),
  }
})
