import { afterAll, beforeAll, expect, test } from 'vitest'
import { overloadedFailure, type Script } from '../../src/app/demo/script.ts'
import type { InboxRow } from '../../src/views/inbox/contract.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { asOwner } from '../support/owner.ts'
import { runCommand } from '../support/run-command.ts'
import { spoken } from '../support/world.ts'

const permissionTimeout = 600_000
const clock = new JumpingClock({ goesOn: true })
let failing = true

const script: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const message = spoken(lastUserText)
  if (failing && message.includes('fails')) return overloadedFailure
  if (message.includes('touch') && toolResults.length === 0)
    return { toolUses: [{ name: 'Bash', input: { command: 'touch made', description: 'makes a file' } }] }
  return { text: `answer to ${message}` }
}

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    script,
    clock,
    settings: { permissionTimeout, responseTimeout: 3_600_000 },
    teams: {
      frontend: {},
      backend: { env: { CLAUDE_CODE_MAX_RETRIES: '0' } },
      mobile: { grantPermission: 'ask' },
      docs: {},
    },
  })
})
afterAll(() => iris[Symbol.asyncDispose]())

interface Listed {
  readonly rows: readonly InboxRow[]
  readonly places: Record<string, number>
  readonly needs: Record<string, number>
}
const list = async (input: object = {}) => (await asOwner(iris, 'list_inbox', input)) as unknown as Listed
const mark = (input: object) => asOwner(iris, 'mark_inbox', input)
const shown = ({ rows }: Listed) =>
  rows.map(({ session: { from, to }, tier, items: [item] }) => `${from} ${to}: ${tier} ${item?.kind} ${item?.state}`)
const subjectsOf = ({ rows }: Listed, to: string) =>
  rows.find(({ session }) => session.to === to)!.items.map(({ subject }) => subject)
const settled = (turnId: string) => iris.event('turn-settled', (event) => event.turnId === turnId)

test('a failure that is done is in Done, is not counted, comes back by undo, and all that over a restart', async () => {
  const { turnId } = await ask(iris, 'backend', 'fails', { fromTeam: 'frontend' })
  const before = await list()
  expect(shown(before)).toEqual(['frontend backend: needs failed new'])
  expect(before.needs).toMatchObject({ failed: 1 })
  const subjects = [`failed:${turnId}`]
  expect(subjectsOf(before, 'backend')).toEqual(subjects)

  expect(await mark({ subjects, state: 'done' })).toMatchObject({ marked: subjects, left: [] })
  await iris.restart()
  expect(await list()).toMatchObject({ rows: [], places: { inbox: 0, done: 1 }, needs: { failed: 0 } })
  expect(shown(await list({ place: 'done' }))).toEqual(['frontend backend: news failed done'])
  expect(await callTool(iris, 'get_inbox')).toMatchObject({ needs: { failed: 0 } })

  await mark({ subjects, state: 'new' })
  expect(shown(await list())).toEqual(['frontend backend: needs failed new'])
  // Dismissed elsewhere it is done here.
  await asOwner(iris, 'dismiss_failure', { turnId })
  expect(await list()).toMatchObject({ places: { inbox: 0, done: 1 } })
  // Something new brings the conversation back.
  await ask(iris, 'backend', 'fails again', { fromTeam: 'frontend' })
  expect(await list()).toMatchObject({ places: { inbox: 1, done: 0 }, needs: { failed: 1 } })
  failing = false
  await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  failing = true
})

test('an answer that its caller received is no news; one that nobody waited for is, until it is fetched', async () => {
  await ask(iris, 'docs', 'hello')
  expect(await list()).toMatchObject({ places: { inbox: 0 } })
  const { turnId } = await callTool(iris, 'quick_message', { toTeam: 'docs', message: 'later on' })
  await settled(String(turnId))
  const news = await list()
  expect(shown(news)).toEqual(['external docs: news answer new'])
  expect(news.rows[0]!.items[0]).toMatchObject({ message: 'later on', text: 'answer to later on' })
  expect(await list({ query: 'LATER docs' })).toMatchObject({ rows: [{}] })
  expect(await list({ query: 'nothing like it' })).toMatchObject({ rows: [] })

  await mark({ subjects: subjectsOf(news, 'docs'), state: 'opened' })
  await iris.restart()
  expect(shown(await list())).toEqual(['external docs: news answer opened'])
  await clock.jump(86_400_000)
  expect(await list()).toMatchObject({ places: { inbox: 0 } })
  expect(shown(await list({ place: 'done' }))).toContain('external docs: news answer done')

  const second = await callTool(iris, 'quick_message', { toTeam: 'docs', message: 'once more' })
  await settled(String(second['turnId']))
  expect(await list()).toMatchObject({ places: { inbox: 1 } })
  await callTool(iris, 'message_status', { turnId: second['turnId'] })
  expect(await list()).toMatchObject({ places: { inbox: 0 } })
})

test('a question is not done but answered, is put off at most until shortly before it is denied, and stays as expired', async () => {
  const { turnId } = await callTool(iris, 'quick_message', { toTeam: 'mobile', fromTeam: 'frontend', message: 'touch' })
  const { permission } = await iris.event('permission:request')
  const subjects = [`question:${permission.permissionId}`]
  expect(await mark({ subjects: [...subjects, 'answer:none'], state: 'done' })).toMatchObject({
    marked: [],
    left: [{ subject: subjects[0], why: expect.stringContaining('deny it') }, { subject: 'answer:none' }],
  })
  await mark({ subjects, state: 'later', until: permission.askedAt + 86_400_000 })
  expect(await list()).toMatchObject({ places: { inbox: 0, later: 1 }, needs: { waiting: 0 } })
  const [putOff] = (await list({ place: 'later' })).rows
  expect(putOff!.items[0]!.until).toBe(permission.deadline - 300_000)

  await clock.jump(permissionTimeout - 300_000)
  expect(await list()).toMatchObject({ places: { inbox: 1, later: 0 }, needs: { waiting: 1 } })
  expect(await mark({ subjects, state: 'later', until: permission.deadline })).toMatchObject({ marked: [] })

  await clock.jump(300_000)
  await settled(String(turnId))
  expect(shown(await list())).toEqual(['frontend mobile: needs expired new'])
  await iris.restart()
  const expired = await list({ place: 'expired' })
  expect(expired).toMatchObject({ places: { inbox: 1, expired: 1 }, needs: { expired: 1 } })
  expect(expired.rows[0]!.items[0]).toMatchObject({ toolName: 'Bash', permissionId: permission.permissionId })
  const typed = await runCommand(iris.world, ['status'])
  expect(typed.stdout).toContain('1 needs you: 1 permission request expired.')
  await mark({ subjects: subjectsOf(expired, 'mobile'), state: 'done' })
  expect(await list()).toMatchObject({ places: { inbox: 0, expired: 0 } })
  expect((await runCommand(iris.world, ['status'])).stdout).not.toContain('need')
})

test('a pinned conversation stays on top of the inbox, whatever happens in it', async () => {
  const { sessionId } = await ask(iris, 'docs', 'hello', { fromTeam: 'mobile' })
  const subjects = [`conversation:${sessionId}`]
  await mark({ subjects, pinned: true })
  await iris.restart()
  expect((await list()).rows).toMatchObject([{ tier: 'pinned', isPinned: true, items: [], session: { sessionId } }])
  expect(await list()).toMatchObject({ places: { inbox: 0 } })
  expect(await mark({ subjects, state: 'done' })).toMatchObject({ marked: [] })
  await mark({ subjects, pinned: false })
  expect(await list()).toMatchObject({ rows: [] })
})

test('a mark that says nothing, or puts off without a time, is refused', async () => {
  for (const wrong of [{}, { state: 'later' }, { state: 'done', until: 1 }])
    await expect(mark({ subjects: ['answer:none'], ...wrong })).rejects.toThrow(/mark_inbox/)
})
