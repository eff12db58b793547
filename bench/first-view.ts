import { TestBrowser } from '../test/support/browser.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { firstView as loaded } from '../test/support/first-view.ts'
import { usedWorld } from '../test/support/used-world.ts'
import { ms, summarize } from './measure.ts'
import type { Row } from './row.ts'

const rounds = 10

/** P12: what a person waits for who opens the dashboard of an Iris with a thousand conversations, with nothing in the cache. */
export async function firstView(): Promise<readonly Row[]> {
  await using world = await usedWorld({ teams: 60, sessions: 1000, turnsEach: 20 })
  await using daemon = await DaemonProcess.start(world)
  await using browser = await TestBrowser.start()
  const owned = { port: daemon.port, token: daemon.token, world }
  const shown: number[] = []
  let wireBytes = 0
  for (let round = 0; round < rounds; round += 1) {
    // Another page of it was loaded; what that has put into the cache must not count.
    await using tab = await browser.open(owned, { path: '/logs' })
    await (await tab.page.context().newCDPSession(tab.page)).send('Network.clearBrowserCache')
    const view = await loaded(tab)
    shown.push(view.shownMs)
    wireBytes = view.wireBytes
  }
  const all = summarize(shown)
  return [
    {
      id: 'P12',
      what: 'first view of the dashboard, 1 000 conversations, cold cache',
      measured: `${ms(all.p50)}, p95 ${ms(all.p95)} (n=${all.n}); ${(wireBytes / 1000).toFixed(0)} kB over the network`,
      aim: '< 1 s, < 134 kB',
      data: { shown: all, wireBytes },
    },
  ]
}
