import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { reliabilityPromises, securityPromises } from '../tiers/promises.ts'
import { root } from './plan.ts'
import { strictKindOf } from './strict-kinds.ts'
import { isTitled, type Known, type Unsteady } from './verdict.ts'

export function readUnsteady(): readonly Unsteady[] {
  return JSON.parse(readFileSync(join(root, 'test/tiers/unsteady.json'), 'utf8')) as Unsteady[]
}

/** What the repository says of its tests. */
export function readKnown(): Known {
  const shown = [...reliabilityPromises(), ...securityPromises()].flatMap(({ tests }) => tests)
  return {
    unsteady: readUnsteady(),
    showsPromise: (file, test) => shown.some((each) => each.file === file && isTitled(each.title, test)),
    strictKind: (file) => strictKindOf(file, readFileSync(join(root, file), 'utf8')),
  }
}
