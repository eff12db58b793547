import { writeFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { callTool } from '../support/call-tool.ts'
import { deadlineMs, eventually } from '../support/eventually.ts'
import { joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { deliveredUuids, effects } from '../support/oracle.ts'
import { asOwner } from '../support/owner.ts'

let ends: AsyncDisposableStack
afterEach(() => ends.disposeAsync())

test('the asker restarts while another host than the one asked first answers: the answer is there when it is given', async () => {
  ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const team = { name: 'backend', hosts: ['studio', 'tower'] }
  const laptop = ends.use(await joinedIris(server, 'laptop', { teams: ['frontend'] }))
  const studio = ends.use(await joinedIris(server, 'studio', { teams: [team] }))
  let go = ''
  const tower = ends.use(
    await joinedIris(server, 'tower', {
      teams: [team],
      script: (file) => {
        go = file('go')
        const during = [{ appendFile: { path: file('effect'), line: 'begun' } }, { waitForFile: go }]
        const work = { when: 'Work', steps: [{ tool: { name: 'Read', during } }, { text: 'Done by tower.' }] }
        return { rules: [work, { steps: [{ text: 'I remember.' }] }] }
      },
    }),
  )
  for (const host of ['studio', 'tower']) await offersTo(laptop.iris, `backend@${host}`)
  // Tower leads the conversation, and a laptop that has forgotten this asks studio first.
  await asOwner(studio.iris, 'drain_host')
  const message = { fromTeam: 'frontend', toTeam: 'backend@studio', message: 'Remember this.', timeout: 0 }
  expect(await callTool(laptop.iris, 'send_message', message)).toMatchObject({ status: 'completed' })
  await asOwner(studio.iris, 'drain_host', { drained: false })
  await laptop.iris.restart()
  const work = { ...message, message: 'Work on it.', timeout: -1 }
  const { turnId } = await callTool(laptop.iris, 'send_message', work)
  await eventually(() => effects(tower.claude.oracle()).length === 1, 'tower is at work')
  await laptop.iris.restart()
  writeFileSync(go, '')
  // A mailbox drops a letter of an id that it has had for two minutes: so long nobody would wait here.
  const answer = await callTool(laptop.iris, 'message_status', { turnId, timeout: deadlineMs })
  expect(answer).toMatchObject({ status: 'completed', response: 'Done by tower.' })
  expect(deliveredUuids(tower.claude.oracle()).filter((uuid) => uuid === turnId)).toHaveLength(1)
  expect(laptop.iris.rows('SELECT * FROM cluster_asked')).toEqual([])
})
