import { traceparentOut } from '../../features/traces/handlers/trace-link.ts'
import { Operations } from '../../kernel/call/operations.ts'
import { fill } from '../../kernel/session/seams.ts'
import { hostFor } from './control-handler.ts'
import { openFeatures } from './features.ts'
import { openKernel } from './kernel.ts'
import type { Composed } from './surroundings.ts'

export type Composition = ReturnType<typeof compose>

/** Iris without its adapters: the kernel, the features in its seams, and the turns that a former daemon accepted. */
export function compose(composed: Composed) {
  const kernel = openKernel(composed)
  const features = openFeatures(kernel)
  const { parts } = features
  const operations = new Operations(features.handlers, {
    ...parts,
    afterCall: features.afterCall,
    traceparentOf: (result) => traceparentOut(result, parts),
  })
  const called = { ...parts, operations }
  fill(kernel.seams, 'daemon', { control: { of: (session, start) => hostFor(session, start, called) } }, () => {})
  kernel.orchestrator.load()
  return { features, operations, parts }
}

/** The last step of a stop, before the store closes. */
export function closeAll(features: Composition['features'], { ends }: Pick<Composition['parts'], 'ends'>): void {
  features.close()
  ends.close()
}
