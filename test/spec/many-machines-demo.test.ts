import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { DaemonProcess } from '../support/daemon-process.ts'
import { deadlineMs, eventually } from '../support/eventually.ts'
import { Program, processesOf } from '../support/program.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { createWorld } from '../support/world.ts'

test('iris cluster demo joins three hosts with the real Claude Code, goes on when one is killed, and leaves nothing running', {
  timeout: 120_000,
}, async () => {
  using scratch = scratchDirectory()
  const env = { PATH: '/usr/bin:/bin', TMPDIR: scratch.path }
  const { code, stdout, stderr } = await new Program(['cluster', 'demo', '--json'], { cwd: scratch.path, env }).ended
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({
    answers: [
      { from: 'backend@studio', response: expect.stringContaining('POST /orders creates an order') },
      { from: 'backend@studio', response: expect.stringContaining('You first asked: “Which port') },
      {
        // The conversation is the same one, and another host continues with it.
        response: expect.stringContaining('I remember it from our conversation'),
        news: expect.stringContaining('tower has taken the conversation over'),
      },
    ],
  })
  expect(processesOf(scratch.path)).toEqual([])
})

// After the first line of these the next daemon is starting, and after the second one the bridge is.
test.each([
  ['while a daemon starts', /nats-server +nats:/],
  ['when all have started', /tower +pid/],
])(
  'iris cluster demo that is killed with -9 %s leaves no server and no daemon',
  {
    tags: ['thorough'],
    timeout: 3 * deadlineMs,
  },
  async (_when, line) => {
    using scratch = scratchDirectory()
    const env = { PATH: '/usr/bin:/bin', TMPDIR: scratch.path }
    const demo = new Program(['cluster', 'demo'], { cwd: scratch.path, env })
    const failed = demo.ended.then(({ stderr }) => Promise.reject(new Error(`The demo ended early: ${stderr}`)))
    await Promise.race([eventually(() => line.test(demo.stdout), `the demo prints ${line.source}`), failed])
    failed.catch(() => {})
    expect(processesOf(scratch.path).length).toBeGreaterThanOrEqual(2)
    demo.child.kill('SIGKILL')
    await demo.ended
    await eventually(() => processesOf(scratch.path).length === 0, `nothing is left of ${scratch.path}`)
  },
)

test('without cluster in config.yaml a daemon loads no code for NATS', async () => {
  await using world = await createWorld({ teams: ['frontend'] })
  const noted = join(world.root, 'loaded.json')
  const hook = fileURLToPath(new URL('../support/note-loaded.ts', import.meta.url))
  const env = { ...world.env, NODE_OPTIONS: `--import ${hook}`, NOTE_LOADED: noted }
  {
    await using _daemon = await DaemonProcess.start({ ...world, env })
  }
  const loaded: string[] = JSON.parse(readFileSync(noted, 'utf8'))
  expect(loaded.some((name) => name.includes('/src/kernel/accept/'))).toBe(true)
  expect(loaded.filter((name) => /nats/.test(name.replace(/^.*\/(src|node_modules)\//, '')))).toEqual([])
})
