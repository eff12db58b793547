import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { count } from '../support/page-waits.ts'
import { spoken } from '../support/world.ts'

const hostile = `const a: number = 1 // <img src=x onerror="document.title='hit'">
</span></code></pre><script>document.title = 'hit'</script>
const b = \`\${a} <svg onload=alert(1)>\``
const script: Script = ({ conversation: { lastUserText } }) => {
  const plain = { text: 'No code here.' }
  if (spoken(lastUserText) === 'plain') return plain
  return { text: `Look:\n\n\`\`\`ts\n${hostile}\n\`\`\`\n\nand\n\n\`\`\`nonsense" onload="x\nplain text\n\`\`\`` }
}

test('code has the colours of its language, stays text, is copied whole, and is coloured only where there is some', async () => {
  await using iris = await TestIris.start({ claude: 'fake', script })
  await using browser = await TestBrowser.start()
  const [without, withCode] = [
    await ask(iris, 'backend', 'plain'),
    await ask(iris, 'backend', 'code', { thread: 'two' }),
  ]
  await using tab = await browser.open(iris, {
    path: `/conversations/${without.sessionId}`,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const { page } = tab
  const scripts = (): Promise<string[]> =>
    page.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
    )
  await page.getByText('No code here.').waitFor()
  const before = await scripts()
  expect(before.filter((name) => name.includes('highlighted-code'))).toEqual([])

  await page.goto(`${tab.address}/conversations/${withCode.sessionId}`)
  const [typescript, unknown] = [page.locator('pre').nth(0), page.locator('pre').nth(1)]
  await typescript.locator('.hljs-keyword').first().waitFor()
  expect((await typescript.textContent())?.trimEnd()).toBe(hostile)
  await count(typescript.locator(':not(code, span)'), 0)
  expect((await unknown.textContent())?.trimEnd()).toBe('plain text')
  await count(unknown.locator('span'), 0)
  expect(await page.title()).not.toBe('hit')
  await page.getByRole('button', { name: 'Copy the code' }).first().click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${hostile}\n`)

  const [grammars] = (await scripts()).filter((name) => name.includes('highlighted-code'))
  const size = gzipSync(await (await page.request.get(grammars!)).body()).length
  expect(size).toBeLessThan(75_000)
  for (const colours of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: colours })
    await page.reload()
    await typescript.locator('.hljs-keyword').first().waitFor()
    expect(await tab.barriers('moderate')).toEqual([])
  }
  expect(tab.troubles).toEqual([])
})
