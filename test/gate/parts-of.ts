import { bothVersions } from '../support/real-claude.ts'

const [, older] = bothVersions

export interface TimedTest {
  readonly name: string
  readonly tags: readonly string[]
  readonly ms: number
}

/**
 * The processor time of a file by the parts of `.ci/run`, in seconds: a file of the standard tier also has tests of the thorough tier, and
 * tests with the older Claude Code. Only the time of a file is measured, so each test counts as much as it lasted.
 */
export function partsOf(project: string, processor: number, tests: readonly TimedTest[]): Record<string, number> {
  const whole = tests.reduce((sum, { ms }) => sum + ms, 0)
  if (whole === 0) return { [project]: processor }
  const parts: Record<string, number> = {}
  for (const test of tests) {
    const part = partOf(project, test)
    parts[part] = (parts[part] ?? 0) + (processor * test.ms) / whole
  }
  return parts
}

function partOf(project: string, { name, tags }: TimedTest): string {
  if (project !== 'standard') return project
  if (name.includes(older)) return 'elsewhere'
  return tags.includes('thorough') ? 'thorough' : project
}
