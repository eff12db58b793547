import type { Clock } from '../../base/lib/clock.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { Config } from '../../platform/config/config.ts'
import { give, type TypedParts } from './handlers.ts'
import { Schemas } from './schemas.ts'
import { TypedAsks } from './typed-asks.ts'

interface Needs extends TypedParts {
  readonly config: () => Config
  readonly clock: Clock
}

/** Answers that are values: the schema of a message or of its team, and the value that the agent gives. */
export const typed = feature('typed', (parts: Needs) => {
  const asks = new TypedAsks(parts, new Schemas(parts.clock.machine))
  return {
    gives: { typed: asks },
    seams: { contracts: asks },
    handlers: { return_value: (input, call) => give(input, call, parts) },
    close: () => asks.close(),
  }
})
