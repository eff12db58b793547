import { jetstream } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localTime } from '../../src/app/cli/moment.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { limitLine } from '../support/limit-line.ts'
import { NatsServer } from '../support/nats.ts'
import { deliveredUuids } from '../support/oracle.ts'
import { asOwner } from '../support/owner.ts'
import { runCommand } from '../support/run-command.ts'

let server: NatsServer
let laptop: JoinedIris
let studio: JoinedIris
let wire: NatsConnection

const resetsAt = Math.ceil(Date.now() / 1000) + 3600

beforeAll(async () => {
  server = await NatsServer.start()
  laptop = await joinedIris(server, 'laptop', { teams: ['frontend'] })
  studio = await joinedIris(server, 'studio', {
    teams: ['backend', { name: 'vault', grantPermission: 'ask' }],
    script: (file) => ({
      rules: [
        {
          when: 'over the limit',
          steps: [
            limitLine('rejected', resetsAt),
            { waitForFile: file('reset') },
            limitLine('allowed', resetsAt),
            { text: 'Under it.' },
          ],
        },
        {
          when: 'over it later',
          steps: [
            { waitForFile: file('over') },
            limitLine('rejected', resetsAt),
            { waitForFile: file('under') },
            limitLine('allowed', resetsAt),
            { text: 'Under it again.' },
          ],
        },
        { when: '<iris-continuation>', steps: [{ text: 'Gone on.' }] },
        {
          when: 'be refused',
          steps: [
            { waitForFile: file('refuse') },
            { apiFailure: { status: 429, error: 'rate_limit', message: 'Over.' } },
          ],
        },
        { when: 'make it', steps: [{ tool: { name: 'Bash', input: { command: 'make' } } }, { text: 'Made.' }] },
        { when: 'hold', steps: [{ partial: 'So far so good' }, { waitForFile: '/nowhere/never' }] },
        { steps: [{ text: 'Done.' }] },
      ],
    }),
  })
  wire = await connect({ servers: server.url })
  await offersTo(laptop.iris, 'backend@studio')
  await offersTo(studio.iris, 'frontend@laptop')
})

afterAll(async () => {
  await wire.close()
  for (const each of [laptop, studio, server]) await each[Symbol.asyncDispose]()
})

test('its text so far comes over, and a cancel goes there', async () => {
  const message = { toTeam: 'backend@studio', message: 'hold on', timeout: -1 }
  const { turnId } = await callTool(laptop.iris, 'send_message', message)
  await eventually(async () => {
    const { partialResponse } = await callTool(laptop.iris, 'message_status', { turnId })
    return partialResponse === 'So far so good'
  }, 'the text so far is there')
  await callTool(laptop.iris, 'session_cancel', { turnId })
  const ended = await callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })
  expect(ended).toMatchObject({ status: 'cancelled', partialResponse: 'So far so good' })
  expect(studio.iris.rows(`SELECT outcome FROM turns WHERE id = '${String(turnId)}'`)).toEqual([
    { outcome: 'cancelled' },
  ])
})

test('a message with whenBusy: steer waits there like any other, as a turn of its own; only that host knows who is idle', async () => {
  const message = { toTeam: 'backend@studio', thread: 'busy', timeout: -1 }
  const running = await callTool(laptop.iris, 'send_message', { ...message, message: 'hold it' })
  await eventually(async () => {
    const { partialResponse } = await callTool(laptop.iris, 'message_status', { turnId: running['turnId'] })
    return partialResponse === 'So far so good'
  }, 'it runs there')
  const next = await callTool(laptop.iris, 'send_message', { ...message, message: 'And?', whenBusy: 'steer' })
  expect(next['turnId']).not.toBe(running['turnId'])
  expect(await callTool(laptop.iris, 'session_wait', { team: 'backend@studio' })).toMatchObject({
    error: {
      code: 'invalid_input',
      message: '"backend@studio" is on studio, and only that host knows all its messages.',
    },
  })
  await callTool(laptop.iris, 'session_cancel', { turnId: running['turnId'] })
  const ended = await callTool(laptop.iris, 'message_status', { turnId: next['turnId'], timeout: 0 })
  expect(ended).toMatchObject({ status: 'completed', response: 'Done.' })
  expect(ended).not.toHaveProperty('steered')
})

test('a person is asked on the host of the team; the asker sees that, and the answer goes on there', async () => {
  const message = { toTeam: 'vault@studio', message: 'make it', timeout: -1 }
  const { turnId } = await callTool(laptop.iris, 'send_message', message)
  const status = () => callTool(laptop.iris, 'message_status', { turnId })
  const waits = async () => (await status())['waitsForPermission'] === 'Bash (vault) at studio'
  await eventually(waits, 'the asker is told of the question')
  const { permissions } = (await asOwner(studio.iris, 'list_permissions')) as {
    permissions: { permissionId: string }[]
  }
  const [{ permissionId }] = permissions as [{ permissionId: string }]
  expect(await asOwner(laptop.iris, 'list_permissions')).toMatchObject({ permissions: [] })
  await asOwner(studio.iris, 'answer_permission', { permissionId, decision: 'allow' })
  const ended = await callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })
  expect(ended).toMatchObject({ status: 'completed', response: 'Made.' })
  expect(ended).not.toHaveProperty('waitsForPermission')
})

test('a limit of the account there is shown here, until when; what waits for it goes on by itself', async () => {
  const message = { toTeam: 'backend@studio', timeout: -1 }
  const limit = { limitedUntil: resetsAt * 1000, limitedBy: 'five_hour' }
  const shown = async () => {
    const { config } = await offersTo(laptop.iris, 'backend@studio')
    return (config as Partial<typeof limit>).limitedUntil
  }
  await callTool(laptop.iris, 'send_message', { ...message, thread: 'first', message: 'over the limit' })
  await eventually(async () => (await shown()) === limit.limitedUntil, 'the limit is shown')
  const { turnId, ...answer } = await callTool(laptop.iris, 'send_message', { ...message, message: 'And this?' })
  expect(answer).toMatchObject({ status: 'async', ...limit })
  expect(await callTool(laptop.iris, 'message_status', { turnId })).toMatchObject(limit)
  const soon = await refusal(laptop.iris, 'send_message', { ...message, message: 'Soon?', timeout: 60_000 })
  expect(soon).toMatchObject({ code: 'limited', message: expect.stringContaining('The account of "backend@studio"') })

  const words = `over its five-hour limit until ${localTime(limit.limitedUntil)}`
  const said = async (verb: string) => (await runCommand(laptop.iris.world, [verb])).stdout
  expect(await said('teams')).toMatch(new RegExp(`backend@studio .*${words}`))
  expect(await said('status')).toContain(`\nbackend@studio  account: ${words}\n`)
  expect(await said('usage')).toContain(`Account of backend@studio: ${words}\n`)
  const { teams } = (await callTool(laptop.iris, 'get_switchboard')) as { teams: { name: string }[] }
  expect(teams.find(({ name }) => name === 'backend@studio')).toMatchObject({ ...limit, host: 'studio' })

  studio.claude.open('reset')
  expect(await callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })).toMatchObject({ response: 'Done.' })
  await eventually(async () => (await shown()) === undefined, 'no limit is shown any more')
})

test('asks that wait already hear of a limit there at once, and their messages go on by themselves', async () => {
  const to = { toTeam: 'backend@studio', thread: 'later' }
  const delivered = deliveredUuids(studio.claude.oracle()).length
  const later = await callTool(laptop.iris, 'send_message', { ...to, message: 'over it later', timeout: -1 })
  const waiting = { ...to, timeout: 1_800_000 }
  const behind = callTool(laptop.iris, 'send_message', { ...waiting, message: 'And then?' })
  const refused = callTool(laptop.iris, 'send_message', { ...waiting, thread: 'refused', message: 'be refused' })
  await eventually(() => deliveredUuids(studio.claude.oracle()).length === delivered + 2, 'two are at work there')
  const limit = { status: 'mcp_timeout', limitedUntil: resetsAt * 1000, limitedBy: 'five_hour' }
  studio.claude.open('over')
  const queued = await behind
  expect(queued).toMatchObject(limit)
  studio.claude.open('refuse')
  const stopped = await refused
  expect(stopped).toMatchObject(limit)
  studio.claude.open('under')
  const answerTo = ({ turnId }: Record<string, unknown>) =>
    callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })
  expect(await answerTo(later)).toMatchObject({ response: 'Under it again.' })
  expect(await answerTo(queued)).toMatchObject({ response: 'Done.' })
  expect(await answerTo(stopped)).toMatchObject({ response: 'Gone on.' })
})

test('an ask that wants to hear of changed files at once is refused: the files are on the other host', async () => {
  const input = { toTeam: 'backend@studio', message: 'x', onChange: 'atOnce' }
  expect(await refusal(laptop.iris, 'send_message', input)).toMatchObject({
    code: 'invalid_input',
    remedy: 'Leave onChange out.',
    message: expect.stringContaining('"backend@studio" is on studio, and this host does not see the files there.'),
  })
})

test('an ask that comes three times more is executed once', async () => {
  const letters = wire.subscribe('iris.mail.studio.laptop.*.ask', { max: 1 })
  // The server knows of it before the host, over another connection, sends the ask.
  await wire.flush()
  const { turnId } = await ask(laptop.iris, 'backend@studio', 'Once, please.')
  for await (const { subject, data } of letters) {
    for (let times = 0; times < 3; times++) {
      const answers = wire.subscribe('iris.mail.laptop.studio.*.settled', { max: 1 })
      await jetstream(wire).publish(subject, data, { msgID: `again-${times}` })
      // Its owner says again how it ended.
      for await (const answer of answers) expect(answer.subject).toContain(turnId)
    }
  }
  expect(deliveredUuids(studio.claude.oracle()).filter((uuid) => uuid === turnId)).toHaveLength(1)
  expect(laptop.iris.rows(`SELECT outcome FROM turns WHERE id = '${turnId}'`)).toEqual([{ outcome: 'completed' }])
})

test('cluster_status names the host, its teams, and that it is awake', async () => {
  const response = await fetch(`http://127.0.0.1:${laptop.iris.port}/api/cluster`, {
    headers: { authorization: `Bearer ${laptop.iris.token}` },
  })
  expect(await response.json()).toMatchObject({
    self: 'laptop',
    link: { state: 'connected' },
    hosts: [{ name: 'studio', state: 'awake', teams: ['backend', 'vault'], waiting: 0, answering: 0 }],
  })
})
