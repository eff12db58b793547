import type { Broken } from '../../base/protocol/broken.ts'

/** The last saved config.yaml, if Iris does not use it. */
export function brokenConfiguration(problem: string | undefined): Broken[] {
  if (problem === undefined) return []
  const remedy = 'Correct it and save it. Until then the former configuration is in force.'
  return [{ kind: 'configuration', teams: [], what: `config.yaml has a mistake: ${problem}`, remedy }]
}
