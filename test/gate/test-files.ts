import { elsewhereAtNight } from '../tiers/elsewhere.ts'
import { fastTests, readTestedFiles } from '../tiers/fast.ts'
import { thoroughTests } from '../tiers/thorough.ts'
import type { TestFile } from './plan.ts'

/** Everything that `npm run nightly` runs. */
export function allTestFiles(files = readTestedFiles(), fast = new Set(fastTests(files))): readonly TestFile[] {
  const tierOf = (file: string): string => {
    if (fast.has(file)) return 'fast'
    return thoroughTests.includes(file) ? 'thorough' : 'standard'
  }
  const tests = files.map(({ path }) => path).filter((path) => /^(src|dashboard|test)\/.*\.test\.ts$/.test(path))
  return [
    ...tests.map((file) => ({ project: tierOf(file), file })),
    ...elsewhereAtNight.map((file) => ({ project: 'elsewhere', file })),
  ]
}
