import { traceparentOut } from '../../features/traces/handlers/trace-link.ts'
import { hostFor } from '../../kernel/call/control-handler.ts'
import { Operations } from '../../kernel/call/operations.ts'
import { fill } from '../../kernel/session/seams.ts'
import type { Session } from '../../kernel/session/session.ts'
import { openFeatures } from './features.ts'
import { openKernel } from './kernel.ts'
import { servePipe } from './serve-pipe.ts'
import type { Composed } from './surroundings.ts'

export type Composition = ReturnType<typeof compose>

/**
 * Iris without its adapters: the kernel, the features in its seams, and the turns that a former daemon accepted.
 * `leftOut` names the features to leave out: see `Composition`.
 */
export function compose(composed: Composed, leftOut?: ReadonlySet<string>) {
  const kernel = openKernel(composed)
  const features = openFeatures(kernel, leftOut)
  const { parts } = features
  const operations = new Operations(features.handlers, {
    ...parts,
    afterCall: features.afterCall,
    traceparentOf: (result) => traceparentOut(result, parts),
  })
  const called = { ...parts, serve: (session: Session) => servePipe(session, operations, parts) }
  fill(kernel.seams, 'daemon', { control: { of: (session, start) => hostFor(session, start, called) } }, () => {})
  kernel.orchestrator.load()
  return { features, operations, parts }
}

/** The last step of a stop, before the store closes. */
export function closeAll(
  features: Composition['features'],
  { ends, sums }: Pick<Composition['parts'], 'ends' | 'sums'>,
): void {
  features.close()
  ends.close()
  void sums.close()
}
