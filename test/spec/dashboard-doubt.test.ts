import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { obedient } from '../support/obedient.ts'
import { answerPermission, questionOf } from '../support/owner.ts'
import { count } from '../support/page-waits.ts'

let iris: TestIris
let browser: TestBrowser
beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    script: obedient,
    teams: {
      frontend: {},
      backend: { grantPermission: 'ask', permissions: { allow: ['Bash(git log *)'], deny: ['Bash(rm *)'] } },
    },
  })
  browser = await TestBrowser.start()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

test('a retry in doubt asks first, names the tools that may have run, and can be left', async () => {
  const { turnId } = await ask(iris, 'backend', 'say it is built', { fromTeam: 'frontend' })
  // As a crash between a tool's start and its end leaves it: process-faults.test.ts and crash.test.ts show the way there.
  iris.change(`UPDATE turns SET outcome = 'in_doubt', answer = NULL WHERE id = '${turnId}'`)
  iris.change(
    `INSERT INTO tool_starts (turn, tool_use_id, delivery, name, input_hash, input_short, started_at)
     VALUES ('${turnId}', 'toolu_1', '${turnId}', 'Bash', 'x', 'rm -rf build', 1)`,
  )
  await using tab = await browser.open(iris)
  const { page } = tab
  const failed = page.getByRole('region', { name: 'Failed', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Retry a message in doubt?' })
  const retried = () => iris.rows('SELECT * FROM retries').length
  await failed.getByRole('button', { name: 'Retry' }).click()
  await dialog.getByText(/Bash \(rm -rf build\)/).waitFor()
  expect(await tab.barriers('moderate')).toEqual([])
  // The default, chosen by Enter, is to leave it.
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  expect(retried()).toBe(0)

  await failed.getByRole('button', { name: 'Retry' }).click()
  await dialog.getByRole('button', { name: 'Retry anyway' }).click()
  await dialog.waitFor({ state: 'detached' })
  await failed.waitFor({ state: 'detached' })
  expect(retried()).toBe(1)
  await page.getByText('it is built').first().waitFor()

  // Each trace leads to the other.
  await page.goto(`${tab.address}/traces/${turnId}`)
  await page.getByRole('button', { name: /frontend asked backend/ }).click()
  await page.getByRole('link', { name: 'It was retried' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith(turnId))
  await page.getByRole('button', { name: /frontend asked backend/ }).click()
  await page.getByRole('link', { name: 'It is a retry of an earlier message' }).click()
  await page.waitForURL(`**/traces/${turnId}`)
  expect(tab.troubles).toEqual([])
})

test('the rules that hold are listed, and each can be revoked', async () => {
  const asked = ask(iris, 'backend', 'run touch one.txt', { fromTeam: 'frontend', timeout: 0 })
  const permission = await questionOf(iris, 'backend')
  await answerPermission(iris, permission, 'allow', { scope: 'pair' })
  expect((await asked).status).toBe('completed')

  await using tab = await browser.open(iris, { path: '/permissions' })
  const { page } = tab
  await page.getByText('Active rules').click()
  const rules = page.getByRole('list', { name: 'Active rules' }).getByRole('listitem')
  await rules.filter({ hasText: 'touch one.txt' }).filter({ hasText: 'when frontend asks' }).waitFor()
  await count(rules, 3)
  expect(await tab.barriers('moderate')).toEqual([])
  const config = () => readFileSync(join(iris.world.home, 'config.yaml'), 'utf8')
  await page.getByRole('button', { name: 'Revoke Bash(git log *)' }).click()
  await rules.filter({ hasText: 'git log' }).waitFor({ state: 'detached' })
  expect(config()).not.toContain('git log')
  expect(config()).toContain('Bash(rm *)')
  await rules.filter({ hasText: 'touch one.txt' }).getByRole('button').click()
  await rules.filter({ hasText: 'touch one.txt' }).waitFor({ state: 'detached' })

  // The revoked answer holds no more: the same command asks again.
  const again = ask(iris, 'backend', 'run touch one.txt', { fromTeam: 'frontend', timeout: 0 })
  const { permission: next } = await iris.event(
    'permission:request',
    (event) => event.permission.permissionId !== permission.permissionId,
  )
  await answerPermission(iris, next, 'deny')
  expect((await again).response).toContain('says no')
  expect(tab.troubles).toEqual([])
})

test('a chart of one bucket draws what was measured', async () => {
  await using tab = await browser.open(iris, { path: '/statistics' })
  const { page } = tab
  await page.getByLabel('Team').selectOption('backend')
  await page
    .getByRole('img', { name: /^Answer time/ })
    .locator('canvas')
    .waitFor()
  await page.getByText('Answer time as a table').click()
  const rows = page.getByRole('region', { name: 'Answer time as a table' }).locator('tbody tr')
  await count(rows, 1)
  // Axes and grid are grey; a line through one value would leave the drawing without a colour.
  const drawn: number = await page.evaluate(`(() => {
    const canvas = document.querySelector('[role=img][aria-label^="Answer time"] canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    let coloured = 0
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue, alpha] = data.subarray(at, at + 4)
      if (alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 40) coloured += 1
    }
    return coloured
  })()`)
  expect(drawn).toBeGreaterThan(10)
  expect(tab.troubles).toEqual([])
})
