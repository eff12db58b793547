import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { TestBrowser } from '../support/browser.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { irisCommand } from '../support/program.ts'
import { startRemoteWorld } from '../support/remote-world.ts'
import { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

/** `run <command>` uses Bash; all else is repeated. */
const script: Script = ({ conversation: { lastUserText, step } }) => {
  const said = spoken(lastUserText)
  if (step > 0) return { text: 'It ran.' }
  if (said.startsWith('run ')) return { toolUses: [{ name: 'Bash', input: { command: said.slice(4) } }] }
  return { text: `You said: ${said}` }
}

test('dashboard, monitor and status name the machine and say whether it is connecting, connected or unreachable', async () => {
  await using browser = await TestBrowser.start()
  await using world = await startRemoteWorld(
    { claude: 'either', there: 'either', script },
    { grantPermission: 'yes', dangerous: true },
  )
  const { iris, host } = world
  const path = host.directory('backend')
  const command = (words: string) =>
    new Terminal(`exec ${irisCommand} ${words}`, {
      cwd: iris.world.root,
      env: { ...iris.world.env, IRIS_HOME: iris.world.home },
      columns: 120,
    })
  const status = async (text: string): Promise<void> => {
    await using printed = command('status')
    await printed.shows(text)
  }
  const open = join(host.root, 'open')
  appendFileSync(join(host.home, '.profile'), `echo >${open}.waits; until [ -e ${open} ]; do sleep 0.1; done\n`)

  const first = ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  await eventually(() => existsSync(`${open}.waits`), 'the login waits')
  await using tab = await browser.open(iris, { path: '/switchboard?team=backend' })
  const machine = (text: string): Promise<void> => tab.page.getByText(text).waitFor()
  const session = (text: string) => tab.page.locator('tr[data-session]').getByText(text, { exact: true }).waitFor()
  await machine('inanna: connecting')
  await session('starting')
  await using monitor = command('monitor')
  await monitor.shows('on inanna')
  await status('machine: connecting')

  writeFileSync(open, '')
  expect(await first).toMatchObject({ status: 'completed' })
  await machine('inanna: connected')
  await session('idle')
  await monitor.shows('idle')

  const atWork = ask(iris, 'backend', 'run echo >works; until [ -e go ]; do sleep 0.1; done', { fromTeam: 'frontend' })
  await eventually(() => existsSync(join(path, 'works')), 'the tool runs')
  await host.vanish()
  await iris.event('link-lost')
  await machine('inanna: unreachable (')
  await session('unreachable')
  await monitor.shows('inanna, for')
  await status('unreachable for')

  writeFileSync(join(path, 'go'), '')
  await host.restart([])
  expect(await atWork).toMatchObject({ status: 'completed', response: 'It ran.' })
  await machine('inanna: connected')
  await session('idle')
  await monitor.shows('idle')
  expect(tab.troubles).toEqual([])
})
