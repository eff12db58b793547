import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Ending, Program, processesOf } from '../support/program.ts'
import { scratchDirectory } from '../support/scratch.ts'

const slow = 90_000

/** The demo with an environment that holds next to nothing; `directory` is where it may write. */
function startDemo(directory: string, ...options: readonly string[]): Program {
  return new Program(['demo', ...options], { cwd: directory, env: { PATH: '/usr/bin:/bin', TMPDIR: directory } })
}

function answersIn({ stdout }: Ending): string[] {
  return [...stdout.matchAll(/^backend answers +(.*)$/gm)].map(([, answer]) => answer!)
}

function pathIn({ stdout }: Ending, label: string): string {
  return new RegExp(`^${label} +(/.*)$`, 'm').exec(stdout)?.[1] ?? ''
}

test('the demo shows the main job with the real Claude Code and leaves nothing running', {
  timeout: slow,
}, async () => {
  using scratch = scratchDirectory()
  const ending = await startDemo(scratch.path).ended
  expect(ending).toMatchObject({ code: 0, stderr: '' })

  const home = pathIn(ending, 'IRIS_HOME')
  const api = readFileSync(home.replace(/iris$/, 'projects/backend/src/api.ts'), 'utf8')
  const port = /port = (\d+)/.exec(api)?.[1]
  const transcript = readFileSync(pathIn(ending, 'Transcript'), 'utf8')
  const uses = transcript
    .split('\n')
    .flatMap((line) => /"name":"(\w+)","input":\{"file_path":"[^"]*"/.exec(line)?.[1] ?? [])
  expect(uses).toEqual(['Read'])
  expect(transcript).toContain(`export const port = ${port}`)
  expect(answersIn(ending)).toEqual([
    expect.stringContaining(`port ${port}. POST /orders creates an order`),
    'You first asked: “Which port does your API listen on, and which call creates an order?”',
    expect.stringContaining(`Port ${port}.`),
    `{"port":${port}}`,
  ])
  expect(ending.stdout).toMatch(/^Real +Claude Code \d+\.\d+\.\d+, /m)
  expect(ending.stdout).not.toContain('\u001B')
  expect(processesOf(scratch.path)).toEqual([])
})

test('for programs the demo says as JSON what was asked and answered, and tells of itself on stderr', {
  tags: ['thorough'],
  timeout: slow,
}, async () => {
  using scratch = scratchDirectory()
  const { code, stdout, stderr } = await startDemo(scratch.path, '--json').ended
  expect({ code, told: JSON.parse(stdout) }).toMatchObject({
    code: 0,
    told: {
      live: false,
      directory: expect.stringContaining(scratch.path),
      exchanges: Array(4).fill({
        question: expect.any(String),
        response: expect.any(String),
        ms: expect.any(Number),
      }),
    },
  })
  expect(stderr).toContain('backend answers')
  expect(processesOf(scratch.path)).toEqual([])
})

test('an interrupted demo ends everything it started', { tags: ['thorough'], timeout: slow }, async () => {
  using scratch = scratchDirectory()
  const demo = startDemo(scratch.path)
  await eventually(() => demo.stdout.includes('frontend asks'), 'the first question')
  demo.child.kill('SIGTERM')
  expect(await demo.ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: The demo was interrupted/m),
  })
  expect(processesOf(scratch.path)).toEqual([])
})
