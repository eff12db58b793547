import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { firstView } from '../support/first-view.ts'
import { TestIris } from '../support/iris.ts'
import { count, evaluates } from '../support/page-waits.ts'
import { claudeBinary } from '../support/real-claude.ts'
import { firstIn } from '../support/tier.ts'
import { usedWorld } from '../support/used-world.ts'
import { createWorld, spoken, type World } from '../support/world.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await TestBrowser.start()
})
afterAll(() => browser[Symbol.asyncDispose]())

/** Stays half-way in its answer to "hold" until the gate opens. */
function gatedScript() {
  const gate = Promise.withResolvers<void>()
  const script: Script = ({ conversation: { lastUserText } }) => {
    const said = spoken(lastUserText)
    return said === 'hold' ? { stream: heldText('Half', gate.promise, ' and half') } : { text: `You said: ${said}` }
  }
  return { script, open: gate.resolve }
}

const teams = { backend: { description: 'the API', color: '#2563eb' }, frontend: {}, mobile: {} }
const fromTeam = 'frontend'
const switchboard = { path: '/switchboard' }

const row = ({ page }: Tab, from: string, to: string): Locator =>
  page.locator('tr[data-session]').filter({ hasText: new RegExp(`${from}.*${to}`) })

async function choose({ page }: Tab, from: string, to: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${from} to ${to}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

const notice = ({ page }: Tab, text: string | RegExp): Promise<void> => page.getByText(text).last().waitFor()

describe('a message that runs', () => {
  test('shows on the map and in the table as it goes, and so does the end of its process', async () => {
    const { script, open } = gatedScript()
    await using iris = await TestIris.start({ claude: 'either', script, teams })
    await using tab = await browser.open(iris, switchboard)
    await tab.page.getByText('No messages yet.').waitFor()
    for (const [from, to] of [
      ['mobile', 'backend'],
      ['backend', 'frontend'],
      ['external', 'mobile'],
    ] as const) {
      await ask(iris, to, 'hello', { fromTeam: from })
    }
    const answered = ask(iris, 'backend', 'hold', { fromTeam })
    const session = row(tab, 'frontend', 'backend')
    await session.getByText('working').waitFor()
    await tab.page.locator('[data-edge="frontend backend"][data-now="true"]').waitFor()
    await ask(iris, 'backend', 'next', { fromTeam, timeout: -1 })
    await tab.page
      .getByRole('button', {
        name: /^backend: 1 working; 1 queued; asks frontend \(1 today\); is asked by .*frontend \(now\)/,
      })
      .waitFor()
    await tab.page.getByText('4 of 10 processes').waitFor()
    expect(await tab.barriers()).toEqual([])
    open()
    await answered
    await session.getByText('idle').waitFor()
    await tab.page.locator('[data-edge="frontend backend"][data-now="false"]').waitFor()
    await session.getByRole('meter', { name: 'Context of frontend to backend' }).waitFor()
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    await session.getByText('asleep').waitFor()
    await tab.page.getByText('3 of 10 processes').waitFor()
    expect(tab.troubles).toEqual([])
  })
})

describe('what can be done with a conversation', () => {
  test('is done by its buttons, and what Iris answered is said', async () => {
    await using iris = await TestIris.start({ claude: 'fake', script: gatedScript().script, teams })
    const { sessionId } = await ask(iris, 'backend', 'hello', { fromTeam })
    await using tab = await browser.open(iris, switchboard)
    const session = row(tab, 'frontend', 'backend')
    await session.getByText('idle').waitFor()
    await choose(tab, 'frontend', 'backend', 'Put to sleep')
    await notice(tab, 'frontend → backend is asleep.')
    await session.getByText('asleep').waitFor()
    await choose(tab, 'frontend', 'backend', 'Wake')
    await notice(tab, 'frontend → backend is awake.')
    await session.getByText('idle').waitFor()

    await choose(tab, 'frontend', 'backend', 'Fork')
    await tab.page.getByLabel('Thread of the new conversation').fill('review')
    await tab.page.getByRole('button', { name: 'Fork' }).click()
    await notice(tab, /was forked: thread review/)
    await session.filter({ hasText: '#review' }).waitFor()

    await choose(tab, 'frontend', 'backend', 'Start over')
    const dialog = tab.page.getByRole('dialog')
    await dialog.getByText('the conversation with its 1 message is archived').waitFor()
    await dialog.getByRole('button', { name: 'Start over' }).click()
    await notice(tab, /has started over/)
    await tab.page.locator(`tr[data-session="${sessionId}"]`).waitFor({ state: 'detached' })
    await tab.page.getByLabel('Show archived').check()
    await tab.page.locator(`tr[data-session="${sessionId}"]`).getByText('archived').first().waitFor()

    await choose(tab, 'frontend', 'backend, thread review', 'Delete')
    await dialog.getByLabel(/Delete its transcripts too/).check()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await notice(tab, /is archived; the next message opens a new one/)
    await session.filter({ hasText: '#review' }).getByText('archived').first().waitFor()
    expect(tab.troubles).toEqual([])
  })

  test('says what would be lost before anything is, as that changes, and forces only what it said', async () => {
    const { script, open } = gatedScript()
    await using iris = await TestIris.start({ claude: 'fake', script, teams })
    const held = ask(iris, 'backend', 'hold', { fromTeam })
    await iris.event('turn-delivered')
    await using tab = await browser.open(iris, switchboard)
    await row(tab, 'frontend', 'backend').getByText('working').waitFor()
    await choose(tab, 'frontend', 'backend', 'Put to sleep')
    const dialog = tab.page.getByRole('dialog')
    await dialog.getByText('The message that backend is working on is cancelled.').waitFor()
    await count(dialog.getByText('waiting message continues afterwards'), 0)
    const next = await ask(iris, 'backend', 'next', { fromTeam, timeout: -1 })
    await dialog.getByText('The waiting message continues afterwards').waitFor()
    expect(await tab.barriers()).toEqual([])
    await tab.page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(iris.daemon.parts.orchestrator.turn(next.turnId)).toBeDefined()

    await choose(tab, 'frontend', 'backend', 'Stop the running message')
    await dialog.getByRole('button', { name: 'Stop the running message' }).click()
    await notice(tab, /was interrupted. What it had already done is not undone/)
    expect((await held).status).toBe('cancelled')
    open()
  })

  test('goes by the keyboard alone, and the focus is where one left it', async () => {
    await using iris = await TestIris.start({ claude: 'fake', script: gatedScript().script, teams })
    await ask(iris, 'backend', 'hello', { fromTeam })
    await using tab = await browser.open(iris, switchboard)
    const { page } = tab
    await row(tab, 'frontend', 'backend').getByText('idle').waitFor()
    const labelOfFocus = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent'
    const focused = () => page.evaluate(labelOfFocus)
    const goTo = async (label: string, key: string): Promise<void> => {
      for (let pressed = 0; pressed < 60; pressed += 1) {
        if (String(await focused()).startsWith(label)) return
        await page.evaluate('window.left = document.activeElement')
        await page.keyboard.press(key)
        // A menu moves the focus a moment after its key: a second key in that moment would go past what is looked for.
        await evaluates(page, 'document.activeElement !== window.left', true)
      }
      throw new Error(`${key} does not come to ${label}`)
    }
    const tabTo = (label: string) => goTo(label, 'Tab')
    await tabTo('backend: awake')
    await page.keyboard.press('ArrowDown')
    const next = 'frontend: asleep; asks backend'
    await evaluates(page, `(${labelOfFocus}).startsWith('${next}')`, true)
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Team frontend' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Team frontend' }).waitFor({ state: 'detached' })
    const actions = 'Actions for frontend to backend'
    await tabTo(actions)
    // The dialog is loaded at the first time, and there at the second.
    for (const _ of ['loaded', 'there']) {
      await page.keyboard.press('Enter')
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
      await goTo('Delete', 'ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      expect(await focused()).toBe('Cancel')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await focused()).toBe(actions)
    }
  })

  test('is taken over by a command that one copies', async () => {
    await using iris = await TestIris.start({ script: gatedScript().script, teams })
    const { sessionId } = await ask(iris, 'backend', 'hello', { fromTeam })
    await using tab = await browser.open(iris, { ...switchboard, permissions: ['clipboard-read', 'clipboard-write'] })
    await row(tab, 'frontend', 'backend').waitFor()
    await choose(tab, 'frontend', 'backend', 'Continue in terminal…')
    await notice(tab, /^Copied/)
    const copied = await tab.page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe(`cd ${iris.world.directory('backend')} && ${claudeBinary('2.1.330')} --resume ${sessionId}`)
  })

  test('is done for a whole team, or all of them', async () => {
    await using iris = await TestIris.start({ claude: 'fake', script: gatedScript().script, teams })
    await using tab = await browser.open(iris, switchboard)
    await tab.page.getByRole('button', { name: 'Wake all teams' }).click()
    await tab.page.getByRole('dialog').getByText('each of the 3 teams').waitFor()
    await tab.page.getByRole('button', { name: 'Wake all', exact: true }).click()
    await notice(tab, /^3 of 3 woken/)
    await tab.page.getByText('3 of 10 processes').waitFor()
    await tab.page.getByRole('button', { name: /^mobile: awake/ }).click()
    await tab.page.getByRole('button', { name: 'Put to sleep (1)' }).click()
    await notice(tab, '1 of mobile’s processes put to sleep.')
    await tab.page.getByText('2 of 10 processes').waitFor()
    await tab.page.getByText('1 of 3 conversations').waitFor()
    expect(
      iris.daemon.parts.pool
        .holders()
        .map(({ to }) => to)
        .toSorted(),
    ).toEqual(['backend', 'frontend'])
  })

  test('a refusal is shown where it was asked for, with what to do', async () => {
    await using iris = await TestIris.start({ claude: 'fake', script: gatedScript().script, teams })
    await ask(iris, 'backend', 'hello', { fromTeam })
    await callTool(iris, 'send_message', { toTeam: 'backend', fromTeam, thread: 'taken', message: 'x', timeout: 0 })
    await using tab = await browser.open(iris, switchboard)
    await row(tab, 'frontend', 'backend').first().waitFor()
    await choose(tab, 'frontend', 'backend', 'Fork')
    await tab.page.getByLabel('Thread of the new conversation').fill('taken')
    await tab.page.getByRole('button', { name: 'Fork' }).click()
    const refusal = tab.page.getByRole('dialog').getByRole('alert')
    await refusal.getByText(/taken/).waitFor()
    // What happened, and what to do.
    await count(refusal.locator('p'), 2)
  })
})

test('two tabs show the same, whichever of them did it', async () => {
  await using iris = await TestIris.start({ claude: 'fake', script: gatedScript().script, teams })
  await ask(iris, 'backend', 'hello', { fromTeam })
  await using one = await browser.open(iris, switchboard)
  const two = await one.another('/switchboard')
  await row(two, 'frontend', 'backend').getByText('idle').waitFor()
  await choose(one, 'frontend', 'backend', 'Delete')
  await choose(two, 'frontend', 'backend', 'Delete')
  const left = two.page.getByRole('dialog')
  await left.getByText('The next message opens a new conversation.').waitFor()
  await one.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  // A pair may have another conversation by now: what was asked about this one does not reach it.
  await left.getByText('It was archived in the meantime').waitFor()
  await left.getByRole('button', { name: 'Delete', disabled: true }).waitFor()
  await left.getByRole('button', { name: 'Cancel' }).click()
  await two.page.getByText('No messages yet.').waitFor()
  await one.page.getByText('No messages yet.').waitFor()
})

test('a daemon that was killed and comes back is followed: nothing blocks, and nothing is missed', async () => {
  await using world = await createWorld({ claude: 'fake', teams, script: gatedScript().script })
  const first = await DaemonProcess.start(world)
  await ask(first, 'backend', 'one', { fromTeam })
  await using tab = await browser.open({ port: first.port, token: first.token, world }, switchboard)
  const session = row(tab, 'frontend', 'backend')
  await session.getByText('idle').waitFor()
  await first.kill()
  await tab.page.getByText('Disconnected').waitFor()
  await tab.page.getByText("Iris isn't responding.").waitFor()
  await tab.page.getByLabel('Find in names, threads and ids').fill('back')
  await tab.page.getByText('1 of 1 conversation').waitFor()
  await choose(tab, 'frontend', 'backend', 'Put to sleep')
  await notice(tab, /Iris can't be reached/)

  world.writeConfig({ settings: { httpPort: first.port } })
  await using second = await DaemonProcess.start(world)
  await ask(second, 'backend', 'two', { fromTeam })
  await tab.live()
  await tab.page.getByText("Iris isn't responding.").waitFor({ state: 'detached' })
  await session.getByText('idle').waitFor()
  await session.getByRole('cell', { name: '2', exact: true }).waitFor()
  await ask(second, 'backend', 'three', { fromTeam })
  await session.getByRole('cell', { name: '3', exact: true }).waitFor()
  expect(tab.troubles).toEqual([])
}, 90_000)

describe('many', () => {
  let world: World
  let daemon: DaemonProcess
  beforeAll(async () => {
    world = await usedWorld({ teams: 60, sessions: 1000, turnsEach: 1 })
    daemon = await DaemonProcess.start(world)
  })
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })
  const owned = () => ({ port: daemon.port, token: daemon.token, world })

  test('of sixty teams the busiest are shown, in a third of the height: no label touches another one', async () => {
    await using tab = await browser.open(owned(), { ...switchboard, width: 1280, height: 900 })
    await tab.page.getByRole('button', { name: /^47 quieter teams/ }).waitFor()
    const boxes = await Promise.all(
      (await tab.page.locator('[data-participant] text').all()).map((label) => label.boundingBox()),
    )
    expect(boxes).toHaveLength(15)
    const touching = boxes.flatMap((a, index) => boxes.slice(index + 1).filter((b) => overlap(a!, b!)))
    expect(touching).toEqual([])
    const map = (await tab.page.locator('svg[role="group"]').boundingBox())!
    for (const box of boxes) expect(isInside(box!, map)).toBe(true)
    expect(map.height).toBeLessThanOrEqual(300)
    // Pointing at a team shows only its own edges.
    const pointed = tab.page.locator('[data-participant]').first()
    const name = (await pointed.getAttribute('data-participant'))!
    await pointed.hover()
    const opacities = await tab.page
      .locator('[data-edge]')
      .evaluateAll((edges) =>
        edges.map((edge) => [edge.getAttribute('data-edge'), Number(edge.getAttribute('opacity'))] as const),
      )
    for (const [edge, opacity] of opacities) {
      const isOwn = edge!.split(' ').includes(name)
      expect(`${edge} ${isOwn ? opacity > 0.1 : opacity < 0.1}`).toBe(`${edge} true`)
    }
  })

  test('of a thousand conversations only those in sight are in the page, and all can be found', async () => {
    await using tab = await browser.open(owned(), switchboard)
    await tab.page.getByText('1000 conversations').waitFor()
    await tab.page.locator('tr[data-session]').nth(59).waitFor({ state: 'detached' })
    await tab.page.getByLabel('Find in names, threads and ids').fill('t999')
    await tab.page.getByText('#t999').waitFor()
    await tab.page.keyboard.press('Control+k')
    await tab.page.getByRole('dialog').getByRole('combobox').fill('t999')
    await tab.page.getByRole('option', { name: /^Conversation.*#t999/ }).waitFor()
    await tab.page.keyboard.press('Escape')
    await tab.page.getByLabel('Find in names, threads and ids').fill('')
    await tab.page.getByRole('button', { name: 'Context' }).click()
    await tab.page.locator('tr[aria-rowindex="2"]').getByText('100%').waitFor()
    await tab.page.getByRole('region', { name: 'Conversations' }).evaluate((table) => table.scrollTo(0, 1e6))
    await tab.page.locator('tr[aria-rowindex="1001"]').waitFor()
    await tab.page.locator('tr[data-session]').nth(59).waitFor({ state: 'detached' })
    expect(await tab.barriers()).toEqual([])
  })

  test('what the first view loads is less than 200 kB, gzipped', async () => {
    await using tab = await browser.open(owned(), { path: '/logs' })
    const { files, gzipBytes, shownMs } = await firstView(tab)
    expect(files.some((file) => file.endsWith('.css'))).toBe(true)
    expect(gzipBytes).toBeLessThan(200_000)
    expect(gzipBytes).toBeGreaterThan(50_000)
    console.log(
      `first view of 1000 conversations: ${Math.round(shownMs)} ms, ${Math.round(gzipBytes / 1000)} kB gzipped`,
    )
  })
})

describe.each(firstIn(['light', 'dark'] as const))('on a telephone, %s', (colorScheme) => {
  test('conversations are cards, everything fits, and all can be done', async () => {
    await using iris = await TestIris.start({ claude: 'fake', script: gatedScript().script, teams })
    await ask(iris, 'backend', 'hello', { fromTeam })
    await using tab = await browser.open(iris, { ...switchboard, width: 360, height: 740, colorScheme })
    const card = tab.page.locator('li[data-session]')
    await card.getByText('idle').waitFor()
    expect(await tab.fitsWidth()).toBe(true)
    expect(await tab.barriers()).toEqual([])
    await count(tab.page.locator('[data-participant]'), 0)
    await choose(tab, 'frontend', 'backend', 'Delete')
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await notice(tab, /is archived/)
    await card.waitFor({ state: 'detached' })
    expect(await tab.fitsWidth()).toBe(true)
    expect(tab.troubles).toEqual([])
  })
})

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

function isInside(a: Box, b: Box): boolean {
  return a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height
}
