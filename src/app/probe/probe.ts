import { asking } from './asking.ts'
import { askingOverHttp } from './asking-over-http.ts'
import { bridging } from './bridging.ts'
import { clauseNames } from './clauses.ts'
import { comingBack } from './coming-back.ts'
import { delegating } from './delegating.ts'
import { interrupting } from './interrupting.ts'
import { refuseManaged } from './loopback.ts'
import { playScene, type Scene, type Target, type Verdict } from './scene.ts'
import { talking } from './talking.ts'
import { unsolicited } from './unsolicited.ts'

/** The slowest scenes come first. */
export const scenes: readonly Scene[] = [
  talking,
  comingBack,
  interrupting,
  asking,
  delegating,
  askingOverHttp,
  unsolicited,
  bridging,
]

/**
 * Limits for one wait and for the whole probe. A probe usually takes about ten seconds, and several times that on a
 * busy machine.
 */
const patienceMs = 30_000
const maxMs = 90_000
/** More scenes at once would slow each other down. */
const atOnce = 2

/**
 * Tests everything that Iris relies on with this `claude` and a scripted model on the loopback interface, so it costs
 * nothing and contacts nobody. Resolves with a verdict for every clause. Clauses that are not tested within 90 s, or
 * before `signal` aborts, are untried. Throws `not_allowed` if managed settings could make `claude` contact other
 * machines.
 */
export async function probe(target: Omit<Target, 'patienceMs'>): Promise<readonly Verdict[]> {
  refuseManaged()
  const signal = AbortSignal.any([target.signal, AbortSignal.timeout(maxMs)])
  const next = scenes.values()
  const verdicts: Verdict[] = []
  const worker = async (): Promise<void> => {
    for (const scene of next) verdicts.push(...(await playScene(scene, { ...target, patienceMs, signal })))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return clauseNames.flatMap((name) => verdicts.filter(({ clause }) => clause === name))
}
