import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxOfFile } from '../../src/base/protocol/attachment.ts'
import { tinyPng } from '../support/attachable.ts'
import { type Tab, TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { count, reads } from '../support/page-waits.ts'

let iris: TestIris
let browser: TestBrowser
let sessionId: unknown
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake' })
  sessionId = (await ask(iris, 'backend', 'hello')).sessionId
  browser = await TestBrowser.start()
  // A checkout builds the dashboard when it is first looked at.
  await using tab = await browser.open(iris)
  await tab.page.getByRole('navigation', { name: 'Screens' }).waitFor()
}, 180_000)
afterAll(async () => {
  await browser[Symbol.asyncDispose]()
  await iris[Symbol.asyncDispose]()
})

/** Lets a person paste or drop a file: the browser gives the page such an event. */
function give(tab: Tab, event: 'paste' | 'drop', name: string, content: Buffer, type: string): Promise<unknown> {
  const given = JSON.stringify([event, name, content.toString('base64'), type])
  return tab.page.evaluate(`{
    const [event, name, base64, type] = ${given}
    const data = new DataTransfer()
    data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type }))
    const init = { bubbles: true, cancelable: true }
    document.querySelector('main textarea').dispatchEvent(event === 'paste'
      ? new ClipboardEvent('paste', { ...init, clipboardData: data })
      : new DragEvent('drop', { ...init, dataTransfer: data }))
  }`)
}

test.each([1280, 390])(
  'files are pasted, dropped and chosen, sent, and shown in the turn, at %d pixels',
  async (width) => {
    await using tab = await browser.open(iris, { path: `/conversations/${String(sessionId)}`, width })
    const { page } = tab
    const large = join(iris.world.root, 'large.bin')
    writeFileSync(large, Buffer.alloc(maxOfFile + 1))
    const field = page.getByRole('textbox', { name: 'Message to backend' })
    const chosen = page.getByRole('list', { name: 'Attached files' })
    await field.fill(`look at ${width}`)
    await give(tab, 'paste', 'shot.png', tinyPng, 'image/png')
    await chosen.getByText('shot.png').waitFor()
    await give(tab, 'drop', 'note <b>.txt', Buffer.from('the word'), 'text/plain')
    await chosen.getByText('note <b>.txt').waitFor()
    await page.locator('input[data-attach]').setInputFiles(large)
    await page.getByText('Not attached: large.bin is larger than 10 MB.').waitFor()
    await page.locator('input[data-attach]').setInputFiles({
      name: 'wrong.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('no'),
    })
    await page.getByRole('button', { name: 'Remove wrong.txt' }).click()
    await count(chosen.getByRole('listitem'), 2)
    await count(chosen.locator('img'), 1)
    expect(await tab.barriers()).toEqual([])
    expect(await tab.fitsWidth()).toBe(true)
    await page.getByRole('button', { name: 'Send' }).click()

    const turn = page
      .getByRole('article')
      .filter({ hasText: `look at ${width}` })
      .last()
    const files = turn.getByRole('list', { name: 'Files of the message' })
    const picture = files.getByRole('img', { name: 'shot.png' })
    await picture.waitFor()
    await reads(picture, 'src', `data:image/png;base64,${tinyPng.toString('base64')}`)
    await count(chosen, 0)
    const waiting = page.waitForEvent('download')
    await files.getByRole('button', { name: 'Download note _b_.txt' }).click()
    const download = await waiting
    expect(download.suggestedFilename()).toBe('note _b_.txt')
    await turn.getByRole('button', { name: 'Details' }).click()
    await turn.getByText(/^answered \d/).waitFor()
    await turn.getByRole('link', { name: 'Trace' }).click()
    await page.locator('main li button[aria-expanded=false]').click()
    await page.getByRole('list', { name: 'Files of the message' }).getByRole('img', { name: 'shot.png' }).waitFor()
    expect(await tab.barriers()).toEqual([])
    expect(await tab.fitsWidth()).toBe(true)
    expect(tab.troubles).toEqual([])
  },
)
