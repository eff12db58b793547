import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import { DirectoryWatch } from '../../src/platform/hosts/directory-watch.ts'
import type { HostChannel } from '../../src/platform/hosts/host.ts'
import { eventually } from '../support/eventually.ts'
import { testHost } from '../support/test-host.ts'

test('files that come, change in place and go are heard, also over a lost connection', async () => {
  using host = testHost()
  const channels: HostChannel[] = []
  const open = async (): Promise<HostChannel> => {
    channels.push(await host.shell.open())
    return channels.at(-1)!
  }
  const heard: string[] = []
  const watch = new DirectoryWatch({ open, clock: systemClock, directory: '"$HOME"/sessions' })
  const end = watch.subscribe((name) => heard.push(name))
  const file = join(host.home, 'sessions/7.json')
  const hears = async (what: string, change: () => void): Promise<void> => {
    const before = heard.length
    change()
    await eventually(() => heard.length > before, what)
    expect(heard.at(-1)).toBe('7.json')
  }

  await eventually(() => existsSync(join(host.home, 'sessions')), 'the directory is made')
  writeFileSync(file, 'a')
  await eventually(() => heard.includes('7.json'), 'it is there')
  await hears('it changes', () => writeFileSync(file, 'b'))
  await channels[0]!.stop('now')
  await hears('it goes meanwhile', () => rmSync(file))
  expect(channels).toHaveLength(2)
  end()
  await channels[1]!.exited
})
