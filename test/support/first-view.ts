import { gzipSync } from 'node:zlib'
import type { Tab } from './browser.ts'

export interface FirstView {
  /** From the beginning of the navigation until conversations are shown: code, answer and drawing included. */
  readonly shownMs: number
  /** The size of all scripts and styles loaded for it, after gzip. */
  readonly gzipBytes: number
  /** What came over the network until then: page, scripts, styles and answers, compressed as Iris sends them, with headers. */
  readonly wireBytes: number
  readonly files: readonly string[]
}

/** Reloads the inbox, and returns what that took. */
export async function firstView({ page, address }: Tab): Promise<FirstView> {
  await page.goto(`${address}/`)
  await page.locator('[data-session]').first().waitFor()
  const [shownMs, files, wireBytes] = await page.evaluate(
    () =>
      [
        performance.getEntriesByName('inbox-shown')[0]?.startTime ?? Number.NaN,
        performance
          .getEntriesByType('resource')
          .map(({ name }) => name)
          .filter((name) => /\.(js|css)$/.test(name)),
        performance
          .getEntries()
          // The page itself and all that it loaded; Node's types know neither.
          .reduce((sum, entry) => sum + ('transferSize' in entry ? Number(entry.transferSize) : 0), 0),
      ] as const,
  )
  const sizes = await Promise.all(
    files.map(async (file) => gzipSync(await (await page.request.get(file)).body()).length),
  )
  return { shownMs, files, wireBytes, gzipBytes: sizes.reduce((sum, size) => sum + size, 0) }
}
