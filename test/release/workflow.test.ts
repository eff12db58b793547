import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

interface Job {
  readonly 'runs-on': string
  readonly 'timeout-minutes': number
  readonly permissions?: unknown
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

const textOf = (name: string) => readFileSync(new URL(`../../.github/workflows/${name}.yml`, import.meta.url), 'utf8')
const workflowOf = (name: string) => parse(textOf(name)) as Workflow
const commands = (job: Job | undefined) => job?.steps.flatMap(({ run }) => run ?? [])

test('GitHub runs all of .ci/run on Linux and the fast tier on macOS', () => {
  const { linux, macos } = workflowOf('ci').jobs
  expect(linux?.['runs-on']).toMatch(/^ubuntu-/)
  expect(commands(linux)).toContain('bash .ci/run')
  expect(macos?.['runs-on']).toMatch(/^macos-/)
  expect(commands(macos)).toContain('npm run test:fast')
})

test('GitHub runs npm run nightly once a day', () => {
  const { on, jobs } = workflowOf('nightly')
  expect(on['schedule']).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }])
  expect(commands(jobs['linux'])).toContain('npm run nightly')
})

test.each(['ci', 'nightly'])(
  'the workflow %s may only read, uses no secret, ends by itself, and names the commit of each action',
  (name) => {
    const { permissions, jobs } = workflowOf(name)
    expect(permissions).toEqual({ contents: 'read' })
    expect(textOf(name)).not.toMatch(/secrets\.|GITHUB_TOKEN|pull_request_target/)
    for (const job of Object.values(jobs)) {
      expect(job.permissions).toBeUndefined()
      expect(job['timeout-minutes']).toBeGreaterThan(0)
      const actions = job.steps.flatMap(({ uses }) => uses ?? [])
      expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
    }
  },
)
