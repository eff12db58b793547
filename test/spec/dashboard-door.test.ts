import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { newLink } from '../support/browser-login.ts'
import { TestIris } from '../support/iris.ts'

let iris: TestIris
let browser: TestBrowser
beforeAll(async () => {
  iris = await TestIris.start({ teams: { backend: {} } })
  browser = await TestBrowser.start()
})
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

test('a link opens the dashboard, and stays neither in the history nor in the address', async () => {
  await using tab = await browser.open(iris)
  await tab.page.getByText('Live').waitFor()
  expect(new URL(tab.page.url()).pathname).toBe('/')
  const [cookie, ...others] = await tab.page.context().cookies()
  expect(others).toEqual([])
  expect(cookie).toMatchObject({
    name: `iris-${iris.port}`,
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    expires: -1,
  })
  expect(await tab.page.evaluate('document.cookie')).toBe('')
  await tab.page.goBack()
  expect(tab.page.url()).toBe('about:blank')
  expect(tab.troubles).toEqual([])
})

test('a link that was used opens nothing, and the page says what to do', async () => {
  const link = await newLink(iris)
  await using tab = await browser.open(iris)
  await tab.page.goto(tab.address + link)
  await tab.page.context().clearCookies()
  await tab.page.goto(tab.address + link)
  await tab.page.getByRole('heading', { name: 'This link does not work any more' }).waitFor()
  await tab.page.getByText('iris dashboard', { exact: true }).waitFor()
  await tab.page.goto(tab.address)
  await tab.page.getByRole('heading', { name: 'Who is there?' }).waitFor()
  expect(await tab.barriers()).toEqual([])
})
