import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PermissionView } from '../../src/base/protocol/permission-view.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { obeying, orders } from '../support/obeying-model.ts'
import { answerPermission, asOwner } from '../support/owner.ts'
import { evaluates, reads } from '../support/page-waits.ts'
import { firstIn } from '../support/tier.ts'

const fromTeam = 'frontend'
const permissionTimeout = 600_000
const clock = new JumpingClock({ goesOn: true })

let browser: TestBrowser
let iris: TestIris
beforeAll(async () => {
  browser = await TestBrowser.start()
  const settings = { permissionTimeout, responseTimeout: 3_600_000 }
  iris = await TestIris.start({
    claude: 'fake',
    script: obeying,
    settings,
    clock,
    teams: ['frontend', 'backend', 'mobile'],
  })
})
afterAll(async () => {
  await iris[Symbol.asyncDispose]()
  await browser[Symbol.asyncDispose]()
})

const file = (name: string, team = 'backend') => join(iris.world.directory(team), name)

/** Has an agent ask whether it may run this command; `answered` is what came of it. */
async function asks(command: string, team = 'backend', thread = command) {
  const message = orders({ name: 'Bash', input: { command, description: 'as told' } })
  const answered = ask(iris, team, message, { fromTeam, thread: threadOf(thread) })
  const { permission } = await iris.event(
    'permission:request',
    (event) => event.permission.input['command'] === command,
  )
  return { permission, answered: answered.then(({ response }) => response) }
}

const threadOf = (text: string) => text.replaceAll(/\W+/g, '-').slice(0, 20)
const cardOf = (page: Page, { permissionId }: PermissionView) => page.locator(`[data-permission="${permissionId}"]`)
const stateOf = async ({ permissionId }: PermissionView) => {
  const { permissions } = (await asOwner(iris, 'list_permissions', { state: 'all' })) as {
    permissions: PermissionView[]
  }
  return permissions.find((each) => each.permissionId === permissionId)
}

/** Opens the screen and waits for its stream, because earlier events cannot be announced. */
async function opened(view: Parameters<TestBrowser['open']>[1] = {}): Promise<Tab> {
  const tab = await browser.open(iris, { path: '/permissions', ...view })
  await tab.live()
  return tab
}

/** Keys count in the card that has the focus, once the page has been quiet. */
async function choose(tab: Tab, permission: PermissionView): Promise<void> {
  const card = cardOf(tab.page, permission)
  await card.focus()
  await card.and(tab.page.locator('[data-keys=ready]')).waitFor()
}

test('nothing waits: the screen says so, and what comes is there by itself and counted', async () => {
  await using tab = await opened()
  const { page } = tab
  await page.getByText('No permission requests wait for you.').waitFor()
  const { permission, answered } = await asks('echo one | tee one.txt')
  await cardOf(page, permission).waitFor()
  await page.getByRole('link', { name: 'Permissions 1 waiting' }).waitFor()
  await evaluates(page, 'document.title', '(1) Permissions · Iris')

  await choose(tab, permission)
  await page.keyboard.press('a')
  await page.getByText("You allowed backend's command.").waitFor()
  expect(await answered).toBe('one')
  expect(readFileSync(file('one.txt'), 'utf8')).toBe('one\n')
  await page.getByText('No permission requests wait for you.').waitFor()
  await evaluates(page, 'document.title', 'Permissions · Iris')
  expect(await stateOf(permission)).toMatchObject({ state: 'allowed', decidedBy: 'owner', scope: 'once' })
  expect(tab.troubles).toEqual([])
})

test('what waited before the page was opened is there: the oldest first, whole, with all that is to be known', {
  tags: ['thorough'],
}, async () => {
  const tricky = 'rm -rf "\u202e" ../other | cat'
  const older = await asks(tricky)
  await clock.jump(60_000)
  const newer = await asks('echo two | tee two.txt', 'mobile')
  await using tab = await opened()
  const { page } = tab
  const card = cardOf(page, older.permission)
  await card.waitFor()
  const ids = await page
    .locator('[data-permission]')
    .evaluateAll((cards) => cards.map((each) => each.dataset['permission']))
  expect(ids).toEqual([older.permission.permissionId, newer.permission.permissionId])
  const text = (await card.textContent()) ?? ''
  expect(text).toContain('rm -rf "‹U+202E›" ../other')
  expect(text).not.toContain('\u202e')
  await reads(card.locator('mark'), 'textContent', '‹U+202E›')
  for (const said of ['frontend → backend', iris.world.directory('backend'), 'reaches outside the project']) {
    expect(text).toContain(said)
  }
  expect(text).toMatch(/Denied in [89] min if unanswered/)
  expect(await tab.barriers()).toEqual([])

  await card.getByText('Remember this answer').click()
  await card.getByLabel('Reason (sent to the agent)').fill('keep to your project')
  await choose(tab, older.permission)
  await page.keyboard.press('d')
  expect(await older.answered).toMatch(/^refused: .*keep to your project/)
  await answerPermission(iris, newer.permission, 'allow')
  await newer.answered
})

test('answered in one tab it goes from the other, which says who answered', { tags: ['thorough'] }, async () => {
  const { permission, answered } = await asks('echo three | tee three.txt')
  await using tab = await opened()
  const other = await tab.another('/permissions')
  await other.live()
  await cardOf(other.page, permission).waitFor()
  await cardOf(tab.page, permission).getByRole('button', { name: 'Allow once' }).click()
  await other.page.getByText("You allowed backend's command.").waitFor()
  expect(await answered).toBe('three')
  await other.page.getByText('No permission requests wait for you.').waitFor()
  await other.page.getByText('Recent decisions').click()
  await other.page
    .getByText(/You allowed backend's command\..*frontend → backend/)
    .first()
    .waitFor()
})

test('unanswered until its deadline it is denied, and goes', { tags: ['thorough'] }, async () => {
  const { permission, answered } = await asks('echo four | tee four.txt')
  await using tab = await opened()
  await cardOf(tab.page, permission).waitFor()
  await clock.jump(permissionTimeout)
  // The stream may have been cut by the jump, and its reader told by a snapshot: so not by a notice.
  await cardOf(tab.page, permission).waitFor({ state: 'detached' })
  await tab.page.getByText('Recent decisions').click()
  await tab.page
    .getByText(/Nobody answered in time: Iris denied backend's command\./)
    .first()
    .waitFor()
  expect(await answered).toMatch(/^refused: /)
  expect(existsSync(file('four.txt'))).toBe(false)
})

describe('never by accident', () => {
  test('a key goes to the question that has the focus, to none without one, and to none into a field or held down', async () => {
    const first = await asks('echo five | tee five.txt')
    const second = await asks('echo six | tee six.txt', 'mobile')
    await using tab = await opened()
    const { page } = tab
    await cardOf(page, second.permission).and(page.locator('[data-keys=ready]')).waitFor()
    await page.keyboard.press('a')
    await page.keyboard.press('Control+a')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await cardOf(page, second.permission).and(page.locator(':focus')).waitFor()
    await cardOf(page, second.permission).getByText('Remember this answer').click()
    await cardOf(page, second.permission).getByLabel('Reason (sent to the agent)').fill('')
    await page.keyboard.type('a sad day')
    await page.keyboard.press('Shift+Tab')
    await choose(tab, second.permission)
    await page.keyboard.press('d')
    expect(await second.answered).toMatch(/^refused: .*a sad day/)
    expect(await stateOf(first.permission)).toMatchObject({ state: 'pending' })
    await answerPermission(iris, first.permission, 'deny')
    await first.answered
  })

  test('when the question under the hand goes, the next one gets the focus, and no key for a moment', {
    tags: ['thorough'],
  }, async () => {
    const first = await asks('echo seven | tee seven.txt')
    const second = await asks('echo eight | tee eight.txt', 'mobile')
    await using tab = await opened()
    const { page } = tab
    await choose(tab, first.permission)
    await page.evaluate(pressWhenFocused(second.permission))
    await answerPermission(iris, first.permission, 'deny')
    await cardOf(page, second.permission).and(page.locator(':focus[data-pressed][data-keys=ready]')).waitFor()
    expect(await stateOf(second.permission)).toMatchObject({ state: 'pending' })
    await page.keyboard.press('a')
    expect(await second.answered).toBe('eight')
    await first.answered
  })
})

/** For the page: presses "a" in the very moment in which that card gets the focus. */
const pressWhenFocused = ({
  permissionId,
}: PermissionView): string => `document.addEventListener('focusin', ({ target }) => {
  if (target.dataset.permission !== ${JSON.stringify(permissionId)}) return
  target.dataset.pressed = ''
  target.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))
})`

describe('an answer that says more', () => {
  test('holds on with the rule that is shown, as it was edited', { tags: ['thorough'] }, async () => {
    const { permission, answered } = await asks('echo nine | tee nine.txt')
    await using tab = await opened()
    const card = cardOf(tab.page, permission)
    await card.getByText('Remember this answer').click()
    const rule = card.getByLabel('Rule that a remembered answer')
    await reads(rule, 'value', permission.rule ?? '')
    await rule.fill('Bash(nonsense')
    await choose(tab, permission)
    // A lasting answer needs a second press.
    await tab.page.keyboard.press('p')
    await card.getByRole('button', { name: 'Add the rule' }).click()
    await card
      .getByRole('alert')
      .getByText(/The rule Bash\(nonsense/)
      .waitFor()
    await rule.fill('Bash(tee nine.txt)')
    await choose(tab, permission)
    await tab.page.keyboard.press('p')
    await card.getByRole('button', { name: 'Add the rule' }).click()
    expect(await answered).toBe('nine')
    expect(await stateOf(permission)).toMatchObject({ state: 'allowed', scope: 'pair' })
    expect(iris.rows('SELECT decision, rule, from_team, to_team FROM permission_grants')).toEqual([
      { decision: 'allow', rule: 'Bash(tee nine.txt)', from_team: 'frontend', to_team: 'backend' },
    ])
  })

  test('runs the tool with another input, once', { tags: ['thorough'] }, async () => {
    const { permission, answered } = await asks('echo ten | tee ten.txt')
    await using tab = await opened()
    const card = cardOf(tab.page, permission)
    await card.getByText('Remember this answer').click()
    await card.getByRole('button', { name: 'Change the input' }).click()
    const input = card.getByLabel('Input to run it with instead')
    expect(JSON.parse(await input.inputValue())).toEqual(permission.input)
    await input.fill('{"command": ')
    await card.getByRole('button', { name: 'Allow once' }).click()
    await card.getByText('The changed input is not a JSON object.').waitFor()
    await input.fill(JSON.stringify({ command: 'echo another', description: 'x' }))
    await card.getByRole('button', { name: 'Always' }).click()
    await card.getByText('A changed input can be allowed only once.').waitFor()
    await card.getByRole('button', { name: 'Allow once' }).click()
    expect(await answered).toBe('another')
    expect(existsSync(file('ten.txt'))).toBe(false)
  })
})

test('a browser notification comes only to who switched it on and looks elsewhere, and tells no command', {
  tags: ['thorough'],
}, async () => {
  await using tab = await opened({ permissions: ['notifications'] })
  const { page } = tab
  await page.addInitScript(`
    window.told = []
    const { showNotification } = ServiceWorkerRegistration.prototype
    ServiceWorkerRegistration.prototype.showNotification = function (title, options) {
      window.told.push(title + ' ' + JSON.stringify(options))
      return showNotification.call(this, title, options)
    }
    document.hasFocus = () => window.looking ?? false`)
  await page.goto(`${tab.address}/permissions`)
  await tab.live()
  const shown = (titles: number) => evaluates(page, `window.told.length === ${titles}`, true)
  const question = async (name: string) => {
    const { permission, answered } = await asks(`echo ${name} | tee ${name}.txt`)
    await cardOf(page, permission).waitFor()
    return async () => {
      await answerPermission(iris, permission, 'deny')
      await answered
    }
  }
  await page.getByText('No permission requests wait for you.').waitFor()
  await (await question('eleven'))()
  await page.getByRole('checkbox', { name: 'Desktop notifications' }).click()
  await page.getByRole('checkbox', { name: 'Desktop notifications', checked: true }).waitFor()
  const twelve = await question('twelve')
  await shown(1)
  await twelve()
  await page.evaluate('window.looking = true')
  await (await question('thirteen'))()
  await page.evaluate('window.looking = false')
  const fourteen = await question('fourteen')
  await shown(2)
  await fourteen()
  // Had one of the others been shown, it would be among these.
  const told = await page.evaluate<string[]>('window.told')
  const expected = expect.stringMatching(/^backend wants to run a command .*frontend → backend/)
  expect(told).toEqual([expected, expected])
  expect(told.join()).not.toContain('echo')
})

const views = [
  { width: 360, colorScheme: 'light' },
  { width: 1920, colorScheme: 'dark' },
] as const
test.each(firstIn<(typeof views)[number]>(views))(
  'at a width of $width, in $colorScheme colours, it fits and keeps nobody out',
  async (view) => {
    const { permission, answered } = await asks(`echo ${'wide '.repeat(60)}| tee ${view.width}.txt`)
    await using tab = await opened(view)
    const card = cardOf(tab.page, permission)
    await card.getByText('Remember this answer').click()
    await card.getByRole('button', { name: 'Change the input' }).click()
    expect(await tab.fitsWidth()).toBe(true)
    expect(await tab.barriers()).toEqual([])
    await answerPermission(iris, permission, 'deny')
    await answered
  },
)
