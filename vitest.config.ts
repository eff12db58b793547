import { accessSync, constants } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { notedForks } from './test/gate/noted-forks.ts'
import { inPlannedOrder, plannedProjects, readPlan } from './test/gate/plan.ts'
import { Recorder } from './test/gate/recorder.ts'
import { deadlineMs } from './test/support/eventually.ts'
import { isNightly } from './test/support/tier.ts'
import { elsewhereAtNight, elsewhereTests } from './test/tiers/elsewhere.ts'
import { fastTests, readTestedFiles } from './test/tiers/fast.ts'
import { thoroughTests } from './test/tiers/thorough.ts'
import { TierTimes } from './test/tiers/tier-times.ts'

/** What a program of test/gate wants of this run. */
const plan = readPlan()

const ofMinutes = [
  ...['probe-faults', 'hosts-cable', 'dashboard-pages', 'long-call', 'package', 'dashboard-switchboard', 'release'],
  ...['many-machines-takeover', 'probe', 'chat-crowds', 'hosts-restart', 'crash', 'injections', 'endings'],
]

/** Tests of minutes go first, so that the others run beside them and nobody waits for one of them at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    if (plan?.files) return inPlannedOrder(sorted, plan)
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      ofMinutes.some((name) => moduleId.endsWith(`/${name}.test.ts`))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** Where files are memory: tests that commit to a store or make many files are two to ten times as quick there. */
function memoryDirectory(): string | undefined {
  try {
    accessSync('/dev/shm', constants.R_OK | constants.W_OK | constants.X_OK)
    return '/dev/shm'
  } catch {
    return undefined
  }
}

const fast = fastTests(readTestedFiles())
const memory = memoryDirectory()

const shared = {
  environment: 'node',
  pool: plan ? notedForks : 'forks',
  // A wait that runs out says what it awaited, before the test ends without a word.
  testTimeout: 2 * deadlineMs,
  hookTimeout: 2 * deadlineMs,
  retry: 0,
  expect: { poll: { timeout: deadlineMs } },
} as const

const real = {
  ...shared,
  setupFiles: [
    'test/tiers/count-processor.ts',
    'test/tiers/name-waiting-timers.ts',
    'test/tiers/one-process-a-signal.ts',
    'test/tiers/seed.ts',
    'test/tiers/leaves-nothing.ts',
  ],
  // Most of these tests wait for children rather than compute. With one worker more than cores, two cores were busy for 64 % of a run.
  maxWorkers: availableParallelism() + 2,
  sequence: { groupOrder: 1 },
  // Node itself loads the files, from its cache of compiled code: a quarter of the work of a file with few children.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: ['--require', join(import.meta.dirname, 'scripts/compile-cache.cjs')],
}

function projectsOf(mode: string) {
  const quick = {
    ...shared,
    name: 'fast',
    include: [...fast],
    setupFiles: [
      'test/tiers/count-processor.ts',
      'test/tiers/in-memory-only.ts',
      'test/tiers/seed.ts',
      'test/tiers/leaves-nothing.ts',
    ],
    // Files share a process and its modules: importing them again for each file took more than half of the time.
    isolate: false,
    maxWorkers: availableParallelism(),
    sequence: { groupOrder: 0 },
    ...(memory && { env: { TMPDIR: memory } }),
  }
  const standard = {
    ...real,
    name: 'standard',
    // Here imports matter too. The files of the thorough tier spend their time in programs, so each has its own process.
    isolate: false,
    include: ['src/**/*.test.ts', 'dashboard/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...fast, ...thoroughTests],
    ...(mode !== 'all' && { env: { IRIS_TESTS: 'standard' } }),
  }
  const rest = [
    { ...real, name: 'thorough', include: [...thoroughTests] },
    {
      ...real,
      name: 'elsewhere',
      include: [...(isNightly ? elsewhereAtNight : elsewhereTests)],
      env: { IRIS_TEST_TEAMS: 'elsewhere' },
    },
  ]
  const projects = [quick, standard, ...(mode === 'all' ? rest : [])].map((test) => ({ test }))
  return plan ? plannedProjects(projects, plan) : projects
}

// `--mode all` is everything; without, what `npm test` runs.
export default defineConfig(({ mode }) => ({
  test: {
    sequence: { sequencer: LongestFirst },
    bail: 0,
    reporters: ['default', new TierTimes(), ...(plan ? [new Recorder(plan)] : [])],
    tags: [{ name: 'thorough', description: 'Runs in `npm run test:all` only: see test/tiers/thorough.ts.' }],
    ...(mode !== 'all' && { tagsFilter: ['!thorough'] }),
    projects: projectsOf(mode),
  },
}))
