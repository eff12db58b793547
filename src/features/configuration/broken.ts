import type { Broken } from '../../base/protocol/broken.ts'

/** The last saved config.yaml, if Iris does not use it. */
export function brokenConfiguration(problem: string | undefined): Broken[] {
  if (problem === undefined) return []
  const remedy = 'Fix the file and save it. Until then, Iris keeps using the previous configuration.'
  return [{ kind: 'configuration', teams: [], what: `config.yaml has a mistake: ${problem}`, remedy }]
}
