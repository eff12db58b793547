import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

interface Job {
  readonly 'runs-on': string
  readonly 'timeout-minutes': number
  readonly permissions?: unknown
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[]
}

const text = readFileSync(new URL('../../.github/workflows/ci.yml', import.meta.url), 'utf8')
const workflow = parse(text) as { readonly permissions: unknown; readonly jobs: Readonly<Record<string, Job>> }
const { linux, macos } = workflow.jobs
const commands = (job: Job | undefined) => job?.steps.flatMap(({ run }) => run ?? [])

test('GitHub runs all of .ci/run on Linux and the fast tier on macOS', () => {
  expect(linux?.['runs-on']).toMatch(/^ubuntu-/)
  expect(commands(linux)).toContain('bash .ci/run')
  expect(macos?.['runs-on']).toMatch(/^macos-/)
  expect(commands(macos)).toContain('npm run test:fast')
})

test('the workflow may only read, uses no secret, ends by itself, and names the commit of each action', () => {
  expect(workflow.permissions).toEqual({ contents: 'read' })
  expect(text).not.toMatch(/secrets\.|GITHUB_TOKEN|pull_request_target/)
  for (const job of Object.values(workflow.jobs)) {
    expect(job.permissions).toBeUndefined()
    expect(job['timeout-minutes']).toBeGreaterThan(0)
    const actions = job.steps.flatMap(({ uses }) => uses ?? [])
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
  }
})
