import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import type { IrisEvent, PublishedEvent } from '../../src/base/protocol/event.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { makeRepository } from '../support/git.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { asOwner } from '../support/owner.ts'
import { count, reads } from '../support/page-waits.ts'
import { spoken } from '../support/world.ts'

type Decision = Extract<
  IrisEvent['type'],
  | 'answers-drifted'
  | 'answer-outdated'
  | 'answer-kept'
  | 'files-collided'
  | 'warmed-ahead'
  | 'process-kept'
  | 'turn-overtook'
  | 'fault-found'
  | 'fault-healed'
  | 'reflected'
  | 'suggestion-decided'
>

interface Shown {
  readonly audit: string
  /** The message that it concerns, and its line in `iris why`; absent: it concerns none. */
  readonly why?: readonly [message: string, line: string]
  readonly page: string
}

/** Each decision of Iris: its entry in the audit, its line in `iris why`, its place on the page Insight. */
const shown: Readonly<Record<Decision, Shown>> = {
  'answers-drifted': {
    audit: 'answers.drifted',
    why: ['first', 'a.ts, which the answer relied on, has changed'],
    page: 'a.ts changed',
  },
  'answer-outdated': {
    audit: 'answer.outdated',
    why: ['first', 'A file that this answer relied on had changed'],
    page: '1 answer went out of date, because a file behind it changed',
  },
  'answer-kept': {
    audit: 'answer.kept',
    why: ['first', 'The answer was reused: once'],
    page: '1 answer was reused',
  },
  'files-collided': { audit: 'files.collided', why: ['second', 'It was about to change b.ts'], page: '1 collision: ' },
  'warmed-ahead': {
    audit: 'process.warmed',
    why: ['first', 'Its process was started early'],
    page: '1 process was started ahead of time. 1 got a message',
  },
  'process-kept': {
    audit: 'process.kept',
    why: ['second', 'Its process was kept'],
    page: '1 process was kept for messages that were expected sooner. 1 got one',
  },
  'turn-overtook': {
    audit: 'turn.overtook',
    why: ['second', 'It got a process before turn'],
    page: '1 time, a message with a short answer ran first.',
  },
  'fault-found': { audit: 'fault.found', why: ['held', 'Iris found a fault: '], page: 'lost link, frontend→backend' },
  'fault-healed': { audit: 'fault.healed', why: ['held', 'The fault is healed.'], page: 'Healed in ' },
  reflected: { audit: 'insight.reflected', page: 'Weekly reflection' },
  'suggestion-decided': { audit: 'decide_suggestion', page: 'dismissed' },
}

const clock = new JumpingClock({ goesOn: true })
const pair = { from: 'frontend', to: 'backend', thread: 'main' }
const gate = Promise.withResolvers<void>()
const published: PublishedEvent[] = []
const turns: Record<string, string> = {}
let iris: TestIris
let sessionId: string
let browser: TestBrowser
let tab: Tab

/** "read" reads a.ts; "held" waits for the test. */
const script: Script = async ({ conversation: { lastUserText, step } }) => {
  const said = spoken(lastUserText)
  if (said === 'read' && step === 0)
    return { toolUses: [{ name: 'Read', input: { file_path: join(iris.world.directory('backend'), 'a.ts') } }] }
  if (said === 'held') await gate.promise
  return { text: 'src/orders.ts has it.' }
}

const say = (message: string, more: object = {}) => ask(iris, 'backend', message, { fromTeam: 'frontend', ...more })
const publish = (event: object): void => iris.daemon.parts.publish(event as IrisEvent)

async function stepsOf(message: string): Promise<string[]> {
  const { steps } = (await asOwner(iris, 'trace_turn', { turnId: turns[message] })) as { steps: { text: string }[] }
  return steps.map(({ text }) => text)
}

beforeAll(async () => {
  const free = { grantPermission: 'yes', dangerous: true }
  iris = await TestIris.start({
    claude: 'fake',
    script,
    clock,
    insight: { reflectWeekly: true },
    teams: { frontend: {}, backend: free },
  })
  iris.daemon.events$.subscribe((event) => void published.push(event))
  const project = iris.world.directory('backend')
  writeFileSync(join(project, 'a.ts'), 'one\n')
  makeRepository(project)
  const watched = { fresh: 'ifChanged', onChange: 'atOnce' }
  const first = await say('read', watched)
  await iris.daemon.parts.keptAnswers.noted()
  turns['first'] = first.turnId
  sessionId = first.sessionId
  await say('read', watched)

  // Which process stays or starts is decided in load-balancing and warm-ahead, a collision in collisions.
  const ids = { ...pair, sessionId: first.sessionId }
  publish({ type: 'warmed-ahead', ...pair, asker: 'mobile' })
  publish({ type: 'process-kept', ...ids, instead: { ...pair, to: 'frontend' } })
  const second = await say('Where are orders defined?')
  turns['second'] = second.turnId
  publish({ type: 'turn-overtook', ...ids, turnId: second.turnId, overtaken: first.turnId })
  publish({ type: 'files-collided', ...ids, turnId: second.turnId, otherTurnId: first.turnId, path: 'b.ts' })
  await say('Where are orders defined?')

  const { turnId: held } = await callTool(iris, 'send_message', {
    toTeam: 'backend',
    fromTeam: 'frontend',
    message: 'held',
    timeout: -1,
  })
  turns['held'] = String(held)
  await iris.event('turn-delivered', ({ turnId }) => turnId === held)
  publish({ type: 'link-lost', ...ids, teamName: 'backend', host: 'studio', why: 'cut' })
  publish({ type: 'link-restored', ...ids, teamName: 'backend', host: 'studio', lostMs: 1 })
  gate.resolve()
  await callTool(iris, 'message_status', { turnId: held, timeout: 0 })

  await asOwner(iris, 'list_drift', {})
  writeFileSync(join(project, 'a.ts'), 'another one\n')
  await eventually(() => clock.pending(15_000) > 0, 'the files are compared again and again')
  await clock.jump(15_000)
  await iris.event('answer-outdated')
  const { askedTwice } = (await asOwner(iris, 'reflect', {})) as { askedTwice: { suggestionId: string }[] }
  await asOwner(iris, 'decide_suggestion', { suggestionId: askedTwice[0]!.suggestionId, decision: 'refuse' })
  await clock.jump(7 * 86_400_000)
  await iris.event('reflected')
  browser = await TestBrowser.start()
  tab = await browser.open(iris, { path: '/insight' })
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

const containing = (text: string): RegExp => new RegExp(text.replaceAll('.', '\\.'))

test.each(Object.entries(shown))('%s is an event, an entry of the audit, in why, and on the page', async (type, at) => {
  expect(published.map((event) => event.type)).toContain(type)
  const { entries } = (await asOwner(iris, 'list_audit', {})) as { entries: { action: string }[] }
  expect(entries.map(({ action }) => action)).toContain(at.audit)
  const [message, line] = at.why ?? []
  const steps = message === undefined ? [] : await stepsOf(message)
  expect(steps.some((text) => text.includes(line ?? ''))).toBe(line !== undefined)
  await reads(tab.page.locator('main'), 'innerText', containing(at.page))
})

test('the answer that is out of date is marked in its conversation, with the file', async () => {
  await using conversation = await browser.open(iris, { path: `/conversations/${sessionId}` })
  const marks = conversation.page.getByRole('list', { name: 'Changed since this answer' })
  await marks.first().getByText('a.ts').waitFor()
  await count(marks, 1)
})

test('the page names all kinds of which it found nothing in one sentence', async () => {
  const main = tab.page.locator('main')
  const empty = 'No suggestions of these kinds: Asked repeatedly, Rules that would have saved permission requests, '
  await reads(main, 'innerText', containing(empty))
  await reads(main, 'innerText', /^((?!No suggestions).)*No suggestions((?!No suggestions).)*$/s)
  await tab.page.getByRole('region', { name: 'Answers out of date' }).waitFor()
  expect(await tab.barriers()).toEqual([])
})
