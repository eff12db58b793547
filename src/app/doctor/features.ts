import { z } from 'zod'
import { FeatureView } from '../../base/protocol/feature-view.ts'
import { askDaemon } from './ask-daemon.ts'
import type { CheckContext, Diagnosis } from './check-context.ts'

const check = 'features'
const Health = z.object({ features: z.array(FeatureView) })

/** Which features the running Iris has, where each takes part in a message, and which of them failed. */
export async function features(context: CheckContext): Promise<readonly Diagnosis[]> {
  const answer = Health.safeParse(await askDaemon(context, '/api/health'))
  // Either no daemon is running, or it is of an older version, which another check reports.
  if (!answer.success) return []
  const { features: all } = answer.data
  const off = all.filter((each) => !each.isOn).map((each) => each.name)
  const on = all.filter((each) => each.isOn).map(withSeams)
  const detail = `on: ${on.join(', ')}${off.length > 0 ? `; not configured: ${off.join(', ')}` : ''}`
  return [{ check, state: 'ok', detail }, ...all.filter((each) => each.faults > 0).map(failed)]
}

function withSeams({ name, seams }: FeatureView): string {
  return seams.length > 0 ? `${name} (${seams.join(', ')})` : name
}

function failed({ name, faults }: FeatureView): Diagnosis {
  const detail = `${name} failed ${faults === 1 ? 'once' : `${faults} times`} since Iris started, and Iris continued without it`
  return { check, state: 'warn', detail, remedy: 'iris logs --level error' }
}
