import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude } from '../support/fake-claude.ts'
import { Installation, type Program } from '../support/program.ts'

const slow = 90_000

let claude: FakeClaudeSetup
let iris: Installation
beforeAll(async () => {
  claude = fakeClaude({
    script: (file) => ({
      rules: [
        {
          when: 'gated',
          steps: [
            { appendFile: { path: file('effects'), line: '{{message}}' } },
            { waitForFile: file('go') },
            { text: 'done' },
          ],
        },
        { steps: [{ text: 'fine' }] },
      ],
    }),
  })
  const team = { claudePath: claude.claudePath, env: { ...claude.env } }
  iris = await Installation.create({ teams: { frontend: team, backend: team, mobile: team } })
  await iris.startDaemon()
}, slow)
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  claude[Symbol.dispose]()
})

const bridge = (): Program => iris.start(['mcp'], { cwd: iris.world.directory('frontend') })
const call = (id: number, args: object): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'send_message', arguments: { timeout: 0, ...args } } })}\n`
const answersOf = (program: Program) =>
  program.stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
const answer = (program: Program, id: number) =>
  eventually(() => answersOf(program).find((said) => said.id === id), `answer ${id}`)
const rows = (where: string) => iris.rows(`SELECT id, outcome, answer FROM turns WHERE ${where} ORDER BY sequence`)
const connections = (): number =>
  readFileSync('/proc/net/unix', 'latin1')
    .split('\n')
    .filter((row) => row.endsWith(` ${join(iris.world.home, 'daemon.sock')}`) && row.split(' ')[5] === '03').length

test('bridges that are killed in the middle of calls lose no turn and double none; a key finds the answer', {
  timeout: slow,
}, async () => {
  const bridges = ['backend', 'mobile', 'backend', 'mobile', 'backend'].map((toTeam, n) => {
    const program = bridge()
    program.child.stdin.write(call(1, { toTeam, message: `gated ${n}`, thread: `t${n}`, idempotencyKey: `key ${n}` }))
    return program
  })
  await eventually(
    () => claude.oracle().filter(({ event }) => event === 'message').length === bridges.length,
    'all are at work',
  )
  for (const { child } of bridges) child.kill('SIGKILL')
  await Promise.all(bridges.map(({ ended }) => ended))
  await eventually(() => connections() === 0, 'the daemon lets go of them')
  expect(rows("message LIKE 'gated%' AND state = 'settled'")).toEqual([])
  const next = bridge()
  next.child.stdin.write(call(1, { toTeam: 'backend', message: 'gated 0', thread: 't0', idempotencyKey: 'key 0' }))
  claude.open('go')
  const { result } = await answer(next, 1)
  const ended = await eventually(() => {
    const turns = rows("message LIKE 'gated%' AND outcome = 'completed'")
    return turns.length === bridges.length && turns
  }, 'an end of each')
  expect(result.structuredContent).toMatchObject({ response: 'done' })
  expect(ended.map(({ id }) => id)).toContain(result.structuredContent.turnId)
  expect(readFileSync(claude.file('effects'), 'utf8').trim().split('\n')).toHaveLength(bridges.length)
  next.child.stdin.end()
  await next.ended
})

test('a bridge that is fed what is no message answers it, and goes on', { timeout: slow }, async () => {
  const program = bridge()
  const { stdin } = program.child
  for (const line of [
    'no json',
    '{"jsonrpc":"2.0","id":1,',
    '[]',
    'null',
    '\0'.repeat(1000),
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    `{"jsonrpc":"2.0","id":2,"method":"ping","params":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`,
    `{"jsonrpc":"2.0","id":3,"method":"ping","params":{${Array.from({ length: 10_000 }, (_, n) => `"k${n}":1`).join()}}}`,
  ])
    stdin.write(`${line}\n`)
  stdin.write(Buffer.from([0x22, 0xff, 0xc3, 0x28, 0x22, 0x0a]))
  const piece = Buffer.alloc(2 ** 20, 'x')
  for (let sent = 0; sent < 100; sent += 1)
    if (!stdin.write(piece)) await new Promise((resolve) => stdin.once('drain', resolve))
  stdin.write('\n')
  for (const odd of ['"id":4.5', '"id":5,"params":"x"', '"id":6,"more":1', '"id":{}', '"id":null'])
    stdin.write(`{"jsonrpc":"2.0","method":"ping",${odd}}\n`)
  for (const id of [4.5, 5, 6]) expect(await answer(program, id)).toMatchObject({ error: { code: -32_600 } })
  stdin.write(call(9, { toTeam: 'backend', message: 'hello' }))
  expect((await answer(program, 9)).result.structuredContent).toMatchObject({ response: 'fine' })
  for (const said of answersOf(program)) expect(said).toHaveProperty('jsonrpc', '2.0')
  expect(answersOf(program).filter(({ error }) => error?.message.includes('"id" is text'))).toHaveLength(5)
  const { child } = program
  // 100 MB were said: kept, they would be seen.
  const resident = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))!
  expect(Number(resident[1])).toBeLessThan(400 * 1024)
  stdin.end()
  expect(await program.ended).toMatchObject({ code: 0 })
  expect(rows("message NOT LIKE 'gated%'")).toMatchObject([{ outcome: 'completed', answer: 'fine' }])
})
