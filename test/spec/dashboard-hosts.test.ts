import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { limitLine } from '../support/limit-line.ts'
import { NatsServer } from '../support/nats.ts'
import { asOwner } from '../support/owner.ts'
import { count } from '../support/page-waits.ts'

let server: NatsServer
let laptop: JoinedIris
let studio: JoinedIris
let browser: TestBrowser
const resetsAt = Math.ceil(Date.now() / 1000) + 3600

beforeAll(async () => {
  server = await NatsServer.start()
  laptop = await joinedIris(server, 'laptop', { teams: ['frontend'] })
  studio = await joinedIris(server, 'studio', {
    teams: ['backend'],
    script: (file) => ({
      rules: [
        {
          when: 'over the limit',
          steps: [limitLine('rejected', resetsAt), { waitForFile: file('reset') }, limitLine('allowed', resetsAt)],
        },
        { steps: [{ waitForFile: file('go') }, { text: 'Done.' }] },
      ],
    }),
  })
  await offersTo(laptop.iris, 'backend@studio')
  browser = await TestBrowser.start()
})

afterAll(async () => {
  for (const each of [browser, laptop, studio, server]) await each[Symbol.asyncDispose]()
})

test('the page shows the link, each host with its teams, what waits, and takeovers', async () => {
  laptop.iris.change(`INSERT INTO cluster_moves (at, kind, from_team, to_team, thread, former_host, host)
    VALUES (1763800120000, 'sent', 'frontend', 'backend@studio', 'night', 'studio', 'tower')`)
  await using tab = await browser.open(laptop.iris, { path: '/hosts', width: 390, height: 844 })
  const { page } = tab
  const here = page.getByRole('region', { name: 'This machine' })
  await here.getByText('connected', { exact: true }).waitFor()
  await here.getByText(/the server answers within \d+ ms/).waitFor()
  const other = page.getByRole('region', { name: 'studio', exact: true })
  await other.getByText('awake', { exact: true }).waitFor()
  await other.getByText('Teams: backend@studio').waitFor()
  await page.getByText('frontend → backend@studio #night: our message moved from studio to tower').waitFor()

  const message = { toTeam: 'backend@studio', message: 'Please.', timeout: -1 }
  const { turnId } = await callTool(laptop.iris, 'send_message', message)
  await other.getByText('1 of our messages waits for it').waitFor()
  await asOwner(studio.iris, 'drain_host')
  await other.getByText('takes no new conversations').waitFor()
  studio.claude.open('go')
  await callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })
  await other.getByText('1 of our messages waits for it').waitFor({ state: 'detached' })
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers()).toEqual([])
  expect(tab.troubles).toEqual([])
})

test('the page shows what was not believed, and which host is new in a team', async () => {
  const wire = await connect({ servers: server.url })
  await jetstream(wire).publish('$KV.iris_hosts.evil', 'nonsense')
  await wire.close()
  const pair = { name: 'pair', hosts: ['tower', 'mill'] }
  await using tower = await joinedIris(server, 'tower', { teams: [pair] })
  await using _mill = await joinedIris(server, 'mill', { teams: [pair] })
  await offersTo(laptop.iris, 'pair@mill')
  await offersTo(tower.iris, 'pair@mill')
  await using tab = await browser.open(laptop.iris, { path: '/hosts', width: 390, height: 844 })
  const { page } = tab
  await page
    .getByRole('region', { name: 'Lost or rejected' })
    .getByText(/^evil: refused or cut, 1 time: /)
    .waitFor()
  await page.getByRole('region', { name: 'mill', exact: true }).getByText('New in pair@tower').waitFor()
  expect(await tab.fitsWidth()).toBe(true)
  expect(await tab.barriers()).toEqual([])
})

test('the inbox says beside a team of another host that its account is over a limit, and until when', async () => {
  await callTool(laptop.iris, 'send_message', { toTeam: 'backend@studio', message: 'over the limit', timeout: -1 })
  await using tab = await browser.open(laptop.iris, { path: '/' })
  const listed = tab.page.getByRole('region', { name: 'Teams' }).getByRole('listitem')
  const note = listed.filter({ hasText: 'backend@studio' }).getByText('over its five-hour limit until')
  await note.waitFor()
  await using board = await browser.open(laptop.iris, { path: '/switchboard?team=backend@studio' })
  const panel = board.page.getByRole('region', { name: 'Team backend@studio' })
  await panel.getByText('over its five-hour limit until').waitFor()
  await count(panel.getByRole('button'), 1)
  await board.page.getByRole('button', { name: /^backend@studio: / }).waitFor()
  studio.claude.open('reset')
  await note.waitFor({ state: 'detached' })
  expect([...tab.troubles, ...board.troubles]).toEqual([])
})

test('a host that is alone says how it joins others', async () => {
  await using alone = await TestIris.start({ claude: 'fake', teams: { backend: {} } })
  await using tab = await browser.open(alone, { path: '/hosts' })
  await tab.page.getByText('No other machines connected').waitFor()
  await tab.page.getByText('iris cluster join').waitFor()
  expect(tab.troubles).toEqual([])
})
