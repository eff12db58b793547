import { expect, test } from 'vitest'
import { TestBrowser } from './browser.ts'
import { WaitRanOut } from './eventually.ts'
import { count, evaluates, reads } from './page-waits.ts'

test('a page is awaited until it is as it should be; a wait that runs out says what the page has', async () => {
  await using browser = await TestBrowser.start()
  await using tab = await browser.empty('about:blank')
  const { page } = tab
  await page.setContent('<title>Before</title><ul><li>one</li><li>two</li></ul><input value="draft">')
  const [items, field] = [page.locator('li'), page.locator('input')]
  await page.evaluate(`setTimeout(() => {
    document.title = 'After'
    document.querySelector('input').value = 'sent'
    document.querySelector('li').remove()
  }, 200)`)
  await Promise.all([
    count(items, 1),
    count(page.locator('p'), 0),
    reads(items.last(), 'textContent', /^two$/),
    reads(field, 'value', 'sent'),
    evaluates(page, 'document.title', 'After'),
  ])
  page.context().setDefaultTimeout(500)
  const ranOut = (waiting: Promise<void>) =>
    waiting.catch((error: Error) => [error instanceof WaitRanOut, error.message])
  const waits = [
    count(items, 2),
    count(items, 0),
    reads(field, 'value', 'draft'),
    reads(items, 'textContent', /one/),
    evaluates(page, 'document.title', 'Before'),
  ]
  expect(await Promise.all(waits.map(ranOut))).toEqual(
    ['["two"]', '["two"]', '["sent"]', '["two"]', '"After"'].map((seen) => [
      true,
      expect.stringContaining(`the page has ${seen}`),
    ]),
  )
})
