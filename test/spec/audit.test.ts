import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { AuthContext } from '../../src/kernel/call/call.ts'
import { agentOf } from '../../src/kernel/call/principal.ts'
import { callAs } from '../support/call-as.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import type { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'
import { Installation } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'
import { Stage } from '../support/stage.ts'

interface Entry {
  readonly sequence: number
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly decision: string | null
  readonly inputHash: string | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly hash: string
}

const fromTeam = 'frontend'
const backend: AuthContext = { principal: agentOf('backend'), team: 'backend', parent: undefined }

async function entries(iris: TestIris, filter: object = {}): Promise<Entry[]> {
  const { entries } = await asOwner(iris, 'list_audit', filter)
  return (entries as Entry[]).toReversed()
}

const verified = (iris: TestIris, input: object = {}) => asOwner(iris, 'verify_audit', input)

const storeOf = ({ world }: TestIris): string => join(world.home, 'data/team-sessions.db')

function execute({ iris }: Stage, sql: string): void {
  using database = new DatabaseSync(storeOf(iris))
  database.exec(sql)
}

/** A first life of Iris with something on record. */
async function withPast(): Promise<Stage> {
  const stage = await Stage.start()
  for (const thread of ['one', 'two', 'three']) {
    await callTool(stage.iris, 'team_wake', { team: 'backend', fromTeam, thread })
  }
  return stage
}

test('who did what is on record: programs, agents that were refused, the daemon itself', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  const pair = { team: 'backend', fromTeam }
  await ask(iris, 'backend', 'hello', { fromTeam })
  await callTool(iris, 'team_sleep', pair)
  await callTool(iris, 'session_delete', { toTeam: 'backend', fromTeam })
  await callTool(iris, 'team_status')
  await expect(callAs(backend, iris, 'session_delete', { team: 'mobile' })).rejects.toMatchObject({
    code: 'not_allowed',
  })
  await expect(callAs(backend, iris, 'get_agent', { agentType: 'logger', team: 'mobile' })).rejects.toMatchObject({
    code: 'not_allowed',
  })
  const program = { actor: 'program', decision: 'allowed' }
  const listed = await entries(iris)
  expect(listed).toMatchObject([
    { actor: 'iris', action: 'daemon.started' },
    { ...program, action: 'team_sleep', subject: 'frontend→backend' },
    { ...program, action: 'session_delete', subject: 'frontend→backend' },
    { actor: 'agent:backend', action: 'call.refused', subject: 'session_delete', decision: 'refused' },
    { actor: 'agent:backend', action: 'call.refused', subject: 'get_agent', decision: 'refused' },
  ])
  for (const { inputHash } of listed.slice(1, 3)) expect(inputHash).toMatch(/^[0-9a-f]{64}$/)
  expect(await entries(iris, { team: 'backend' })).toEqual(listed.slice(1))
  expect(await entries(iris, { limit: 1 })).toEqual(listed.slice(4))
  await iris.restart()
  expect(await entries(iris)).toMatchObject([
    ...listed,
    { actor: 'iris', action: 'daemon.stopped' },
    { actor: 'iris', action: 'daemon.started' },
  ])
  expect(await verified(iris)).toMatchObject({ whole: true, entries: 7, breaks: [] })
})

test('a configuration that was saved is on record by its keys, never by its values', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  iris.world.writeConfig({ settings: { env: { SECRET_OF_MINE: 'a value nobody sees' }, queueLength: 5 } })
  await iris.event('config-reloaded')
  writeFileSync(join(iris.world.home, 'config.yaml'), 'settings: { queueLength: a value nobody sees }\n')
  await iris.event('config-rejected')
  const told = (await entries(iris)).filter(({ action }) => action.startsWith('config.'))
  expect(told).toMatchObject([
    { action: 'config.reloaded', detail: { keys: expect.arrayContaining(['settings.queueLength']) } },
    { action: 'config.rejected', detail: { keys: ['settings.queueLength'] } },
  ])
  expect(JSON.stringify(told)).not.toContain('a value nobody sees')
})

test('agents and programs can neither read the audit nor have it verified', async () => {
  await using stage = await Stage.start()
  for (const name of ['list_audit', 'verify_audit'] as const) {
    expect(await refusal(stage.iris, name, {})).toMatchObject({ code: 'not_allowed' })
    await expect(callAs(backend, stage.iris, name)).rejects.toMatchObject({ code: 'not_allowed' })
  }
})

test('a store that takes no entry lets the call be made; the entry follows when it does', async () => {
  await using stage = await withPast()
  const { iris } = stage
  const before = (await entries(iris)).length
  {
    using other = new DatabaseSync(storeOf(iris))
    other.exec('BEGIN IMMEDIATE')
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam, thread: 'one' })
    expect(await entries(iris)).toHaveLength(before)
    other.exec('ROLLBACK')
  }
  await callTool(iris, 'team_sleep', { team: 'backend', fromTeam, thread: 'two' })
  expect((await entries(iris)).slice(before)).toMatchObject([
    { action: 'team_sleep', subject: 'frontend→backend (one)' },
    { action: 'team_sleep', subject: 'frontend→backend (two)' },
  ])
})

describe('a store that is rebuilt', () => {
  test('keeps the audit, which goes on with what happened', async () => {
    await using stage = await withPast()
    const { iris } = stage
    const old = await entries(iris)
    const { head } = (await verified(iris)) as { head: { hash: string } }
    await iris.daemon.stop(0)
    writeFileSync(`${storeOf(iris)}.damaged`, 'a page is wrong\n')
    await iris.restart()
    const now = await entries(iris)
    expect(now.slice(0, old.length)).toEqual(old)
    const rebuilt = now.find(({ action }) => action === 'store.rebuilt')
    expect(rebuilt).toMatchObject({
      actor: 'iris',
      detail: { why: 'a page is wrong', entries: old.length + 1, gaps: [] },
    })
    expect(await verified(iris, { head: head.hash })).toMatchObject({ whole: true, headFound: true, breaks: [] })
  })

  test('says in the audit what was lost of it, and nothing else is excused by that', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await withPast()
    const { iris } = stage
    const { head } = (await verified(iris)) as { head: { hash: string } }
    await iris.daemon.stop(0)
    const noTriggers = 'DROP TRIGGER audit_is_never_changed; DROP TRIGGER audit_is_never_deleted;'
    execute(stage, `${noTriggers} DELETE FROM audit WHERE sequence = 2`)
    await iris.restart()
    const rebuilt = (await entries(iris)).find(({ action }) => action === 'store.rebuilt')!
    expect(rebuilt.detail).toMatchObject({ why: 'the trigger audit_is_never_changed is missing', gaps: [3] })
    const gap = { sequence: 3, problem: 'does_not_follow', explainedBy: rebuilt.sequence }
    expect(await verified(iris, { head: head.hash })).toMatchObject({ whole: true, headFound: true, breaks: [gap] })

    execute(stage, `${noTriggers} DELETE FROM audit WHERE sequence = 3`)
    const other = { sequence: 4, problem: 'does_not_follow', explainedBy: null }
    expect(await verified(iris)).toMatchObject({ whole: false, breaks: [other] })
    const unknown = '0'.repeat(64)
    expect(await verified(iris, { head: unknown })).toMatchObject({ whole: false, headFound: false })
  })

  test('of which nothing can be read begins its audit with that', { tags: ['thorough'] }, async () => {
    await using stage = await withPast()
    const { iris } = stage
    const { head } = (await verified(iris)) as { head: { hash: string } }
    await iris.daemon.stop(0)
    writeFileSync(storeOf(iris), 'no database at all, '.repeat(1000))
    await iris.restart()
    expect(await entries(iris)).toMatchObject([
      { sequence: 1, action: 'store.rebuilt', detail: { entries: 0, head: null } },
      { action: 'daemon.started' },
    ])
    expect(await verified(iris, { head: head.hash })).toMatchObject({ whole: false, headFound: false, breaks: [] })
  })
})

test('a person lists the audit and has it verified in the terminal, exit code included', {
  tags: ['thorough'],
}, async () => {
  using claude = fakeClaude()
  const team = { claudePath: claude.claudePath, env: claude.env }
  await using iris = await Installation.create({ teams: { frontend: team, backend: team } })
  expect(await runCommand(iris.world, ['audit', 'verify'])).toMatchObject({ code: 0, stdout: 'The audit is empty.\n' })
  await iris.startDaemon()
  const endpoint = { port: iris.daemon()!.port, token: iris.world.token() }
  await callTool(endpoint, 'team_wake', { team: 'backend', fromTeam, thread: 'one' })
  await refusal(endpoint, 'list_audit', {})
  const { code, stdout } = await iris.run(['audit', '--team', 'backend'])
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^\S+ \S+ \([^)]+\) {2}program {2}team_wake {2}frontend→backend \(one\) {2}allowed\n$/,
    ),
  })
  const { entries } = JSON.parse(
    (await runCommand(iris.world, ['audit', '--json', '--limit', '1', '--since', '2020-01-01'])).stdout,
  )
  expect(entries).toMatchObject([{ actor: 'program', action: 'call.refused' }])
  expect(await runCommand(iris.world, ['audit', '--since', 'yesterdy'])).toMatchObject({ code: 2 })

  const whole = await iris.run(['audit', 'verify'])
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining('All 3 entries') })
  const head = /Head: ([0-9a-f]{64})/.exec(whole.stdout)![1]!
  expect(await runCommand(iris.world, ['audit', 'verify', '--head', head])).toMatchObject({ code: 0 })
  const database = new DatabaseSync(join(iris.world.home, 'data/team-sessions.db'))
  database.exec(`DROP TRIGGER audit_is_never_changed; UPDATE audit SET actor = 'owner' WHERE sequence = 2`)
  database.close()
  expect(await runCommand(iris.world, ['audit', 'verify', '--head', head])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Entry 2 of the audit was changed.'),
  })
})
