import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contracts, operationNames } from '../../src/features/contracts.ts'
import { ask, callTool, type Endpoint } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude } from '../support/fake-claude.ts'
import { deliveredUuids, effects, overlappingWriters } from '../support/oracle.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { fillDisk, pathIn, withSmallDisk } from '../support/small-disk.ts'
import { createWorld, type World } from '../support/world.ts'

/** A disk of its own for all of IRIS_HOME: store, write-ahead log, transcripts, search index, config.yaml. */
const kibibytes = 3 * 1024

let fake: FakeClaudeSetup
let world: World
let daemon: DaemonProcess
let owner: Endpoint
let home: string

beforeAll(async () => {
  const tool = { name: 'Bash', input: { command: 'make' } }
  fake = fakeClaude({
    script: (file) => ({
      flushDelayMs: 0,
      rules: [
        {
          when: 'work',
          steps: [
            { partial: 'hm' },
            { waitForFile: file('gate') },
            { tool: { name: 'Read', during: [{ appendFile: { path: file('effects'), line: 'done' } }] } },
            { text: 'worked' },
          ],
        },
        { when: 'question', steps: [{ tool }, { text: '{{lastToolResult}}' }] },
      ],
    }),
  })
  world = await createWorld({
    teams: ['backend', 'frontend', 'mobile', 'asker'],
    settings: { claudePath: fake.claudePath, env: { ...fake.env } },
  })
  daemon = await DaemonProcess.start(world, 'none', '', withSmallDisk(world.home, kibibytes))
  home = pathIn(daemon.pid, world.home)
  owner = { port: daemon.port, token: daemon.owner }
})

afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  fake[Symbol.dispose]()
})

/** What the store holds. It is copied out: SQLite resolves the path of a file that only another process can see. */
function rows(sql: string): Record<string, unknown>[] {
  using scratch = scratchDirectory()
  const copy = join(scratch.path, 'store.db')
  for (const end of ['', '-wal']) {
    const from = join(home, `data/team-sessions.db${end}`)
    if (existsSync(from)) copyFileSync(from, copy + end)
  }
  using store = new DatabaseSync(copy)
  return store.prepare(sql).all()
}

interface Reply extends Record<string, unknown> {
  readonly error?: { readonly code: string; readonly message: string; readonly remedy: string }
}

/** As the owner, also what is no tool. */
async function call(name: string, args: object): Promise<Reply> {
  const { isTool, routes } = contracts[name as keyof typeof contracts]
  if (isTool !== false || routes.length === 0) return callTool(owner, name, args)
  const [method, path] = routes[0]!.split(' ')
  const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' }
  const filled = path!.replace(/\{(\w+)\}/g, (_, key: string) => String((args as Record<string, unknown>)[key]))
  const rest = Object.fromEntries(Object.entries(args).filter(([key]) => !path!.includes(`{${key}}`)))
  const query = method === 'GET' ? `?${new URLSearchParams(rest as Record<string, string>)}` : ''
  const url = `http://127.0.0.1:${owner.port}${filled}${query}`
  const body = method === 'GET' ? {} : { body: JSON.stringify(rest) }
  const response = await fetch(url, { method: method!, headers, ...body })
  const said = (await response.json()) as Reply
  return response.ok ? said : { error: said as unknown as NonNullable<Reply['error']> }
}

/** While nothing can be written it is the store, and never a fault of Iris. */
function mustBeTheStore(reply: Reply, name: string): void {
  expect({ name, ...reply }).toMatchObject({ name, error: { code: 'store_unavailable' } })
}

describe('IRIS_HOME on a disk that is full', () => {
  let running: string
  let questioned: string
  let permissionId: string
  let configText: Reply

  test('refuses each message and notice as store_unavailable, and says "left" of nothing that it loses', async () => {
    await ask(daemon, 'backend', 'hello')
    await ask(daemon, 'backend', 'hello', { thread: 'other' })
    running = String((await callTool(daemon, 'quick_message', { toTeam: 'mobile', message: 'work' }))['turnId'])
    questioned = String((await callTool(daemon, 'quick_message', { toTeam: 'asker', message: 'question' }))['turnId'])
    const asked = await eventually(async () => {
      const { permissions } = await call('list_permissions', {})
      return (permissions as { permissionId: string }[])[0]
    }, 'a question')
    permissionId = asked.permissionId
    // Its delivery is a commit too.
    const begun = async () => (await call('message_status', { turnId: running }))['delivered'] === true
    await eventually(begun, 'the work has begun')
    configText = await call('get_config', {})
    const left: string[] = []
    const makeRoom = fillDisk(home)
    for (let n = 0; n < 200; n += 1) {
      const message = `notice ${n} ${'x'.repeat(500)}`
      const reply = (await callTool(daemon, 'notify', { toTeam: 'backend', message, thread: 'quiet' })) as Reply
      if (reply['status'] === 'left') left.push(message)
      else mustBeTheStore(reply, 'notify')
    }
    expect(left.length).toBeLessThan(100)
    for (const toTeam of ['backend', 'frontend', 'frontend']) {
      const reply = await callTool(daemon, 'send_message', { toTeam, message: 'hello', timeout: 0 })
      mustBeTheStore(reply, toTeam)
      expect(reply['error']).toMatchObject({ message: expect.stringContaining('Not accepted: nothing was sent.') })
    }
    makeRoom()
    expect(rows('SELECT text FROM notices ORDER BY id').map(({ text }) => text)).toEqual(left)
  })

  test('refuses every verb that has to write in the same way', async () => {
    const makeRoom = fillDisk(home)
    // The write-ahead log may have a page left that nobody uses.
    const large = 'full'.repeat(2000)
    const to = { toTeam: 'frontend' }
    const text = `${String(configText['text'])}# ${'x'.repeat(9000)}\n`
    const mustWrite = {
      send_message: { ...to, message: large, timeout: 0 },
      ask_message: { ...to, message: large },
      quick_message: { ...to, message: large },
      notify: { ...to, message: large },
      viewer_send: { team: 'backend', conversation: 'first', message: large },
      team_wake: { team: 'frontend' },
      team_launch: { team: 'frontend' },
      session_fork: { toTeam: 'backend', newThread: 'fork' },
      session_reboot: { team: 'backend', thread: 'other' },
      session_delete: { team: 'backend', thread: 'other' },
      answer_permission: { permissionId, decision: 'allow' },
      save_config: { text, hash: configText['hash'] },
    }
    for (const [name, args] of Object.entries(mustWrite)) mustBeTheStore(await call(name, args), name)

    const mayDoWithout = {
      // The double has no agents.
      invoke_agent: { team: 'frontend', agentName: 'general-purpose', prompt: large },
      team_wake_all: {},
      team_sleep: { team: 'backend' },
      session_attach: { team: 'backend' },
      session_cancel: { team: 'frontend' },
      // No message failed here, no channel is configured, and no rule was granted.
      retry_message: { turnId: running },
      dismiss_failure: { turnId: running },
      mark_inbox: { subjects: ['failed:none'], state: 'done' },
      change_channel: { channel: 'none', action: 'allow', who: '1' },
      replay_skipped: { channel: 'none' },
      test_callback: { callback: 'none' },
      replay_callback: { callback: 'none', since: 0 },
      enable_callback: { callback: 'none' },
      revoke_rule: { grant: 1 },
      decide_suggestion: { suggestionId: 'none', decision: 'refuse' },
      promote_turn: { turnId: running },
      revoke_login: { loginId: 'all' },
      create_token: { program: 'ci', teams: ['backend'] },
      rotate_token: { program: 'ci' },
      revoke_token: { program: 'ci' },
      forget_host: { host: 'none' },
      forget_unreachable_hosts: {},
      drain_host: {},
      leave_cluster: {},
      keep_servers: {},
      viewer_stop: { turnId: running },
      return_value: { value: 1 },
      chat_reply: { text: 'x' },
      chat_react: { reaction: '👍' },
      chat_send_file: { path: 'x' },
      // Only a bridge that names its session may.
      late_answers: { take: true },
      permissions__approve: { tool_name: 'Bash', input: {}, tool_use_id: 'none' },
    }
    for (const [name, args] of Object.entries(mayDoWithout)) {
      expect([name, (await call(name, args)).error?.code]).not.toEqual([name, 'internal'])
    }
    const onlyRead = {
      team_status: {},
      get_health: {},
      list_sessions: {},
      get_logs: {},
      search_messages: { query: 'hello' },
      list_events: {},
    }
    for (const [name, args] of Object.entries(onlyRead)) {
      expect([name, (await call(name, args)).error?.code]).not.toEqual([name, 'internal'])
    }
    const writing = operationNames.filter((name) => !contracts[name].readOnly)
    expect(Object.keys({ ...mustWrite, ...mayDoWithout }).toSorted()).toEqual(writing.toSorted())
    makeRoom()
  })

  test('gives what runs its answer, and runs no tool whose start cannot be recorded', async () => {
    const makeRoom = fillDisk(home)
    fake.open('gate')
    const status = await call('message_status', { turnId: running, timeout: 0 })
    expect(status).toMatchObject({ status: 'completed', response: 'worked' })
    makeRoom()
  })

  test('takes everything again as soon as there is room, without a restart: nothing lost, nothing run twice', async () => {
    await call('answer_permission', { permissionId, decision: 'allow' })
    const answered = await call('message_status', { turnId: questioned, timeout: 0 })
    expect(answered).toMatchObject({ status: 'completed' })
    for (const toTeam of ['backend', 'frontend', 'mobile', 'asker']) {
      expect(await ask(daemon, toTeam, 'and now?')).toMatchObject({ status: 'completed' })
    }
    expect(await ask(daemon, 'backend', 'other', { thread: 'other' })).toMatchObject({ status: 'completed' })
    const settled = () => rows(`SELECT id FROM turns WHERE state <> 'settled'`).length === 0
    await eventually(settled, 'every end is recorded')
    const ends = `SELECT COUNT(*) FROM journal WHERE turn = turns.id AND type = 'turn-settled'`
    expect(rows(`SELECT id FROM turns WHERE (${ends}) <> 1`)).toEqual([])
    const turns = rows('SELECT id, outcome FROM turns ORDER BY sequence')
    expect(turns.map(({ outcome }) => outcome)).toEqual(turns.map(() => 'completed'))
    expect(deliveredUuids(fake.oracle()).toSorted()).toEqual(turns.map(({ id }) => String(id)).toSorted())
    expect(effects(fake.oracle()).length).toBeLessThanOrEqual(1)
    expect(overlappingWriters(fake.oracle())).toEqual([])
    expect((await call('search_messages', { query: 'hello' }))['error']).toBeUndefined()
    expect(await call('verify_audit', {})).toMatchObject({ whole: true })
    expect(daemon.log).not.toMatch(/Unhandled|TypeError/)
  })
})
