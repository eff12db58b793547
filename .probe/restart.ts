import { writeFileSync, rmSync, existsSync } from 'node:fs'
import { callTool } from '../test/support/call-tool.ts'
import { joinedIris, offersTo } from '../test/support/joined-iris.ts'
import { NatsServer } from '../test/support/nats.ts'
import { asOwner } from '../test/support/owner.ts'
import { effects } from '../test/support/oracle.ts'
import { eventually } from '../test/support/eventually.ts'

const server = await NatsServer.start()
const team = { name: 'backend', hosts: ['studio', 'tower'] }
const laptop = await joinedIris(server, 'laptop', { teams: ['frontend'] })
const studio = await joinedIris(server, 'studio', { teams: [team] })
let go = ''
const tower = await joinedIris(server, 'tower', { teams: [team], script: (file) => {
  go = file('go')
  const during = [{ appendFile: { path: file('effect'), line: 'begun' } }, { waitForFile: go }]
  const work = { when: 'Work', steps: [{ tool: { name: 'Read', during } }, { text: 'Done by tower.' }] }
  return { rules: [work, { steps: [{ text: 'I remember.' }] }] }
}})
for (const host of ['studio', 'tower']) await offersTo(laptop.iris, `backend@${host}`)
await asOwner(studio.iris, 'drain_host')
const message = { fromTeam: 'frontend', toTeam: 'backend@studio', message: 'Remember this.', timeout: 0 }
await callTool(laptop.iris, 'send_message', message)
await asOwner(studio.iris, 'drain_host', { drained: false })
const times: number[] = []
const n = Number(process.env['N'] ?? 48)
for (let i = 0; i < n; i++) {
  rmSync(go, { force: true })
  await laptop.iris.restart()
  const { turnId } = await callTool(laptop.iris, 'send_message', { ...message, message: 'Work on it.', timeout: -1 })
  await eventually(() => effects(tower.claude.oracle()).length === i + 1, 'at work')
  // odd: the answer is given while the asker is away
  if (i % 2) writeFileSync(go, '')
  await laptop.iris.restart()
  const began = performance.now()
  if (i % 2 === 0) writeFileSync(go, '')
  const answer = await callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })
  times.push(Math.round(performance.now() - began))
  if (answer['status'] !== 'completed') console.log('!!', answer)
}
const sorted = times.toSorted((a, b) => a - b)
console.log('n', n, 'median', sorted[n >> 1], 'p95', sorted[Math.ceil(n * 0.95) - 1], 'max', sorted.at(-1))
for (const each of [laptop, studio, tower, server]) await each[Symbol.asyncDispose]()
process.exit(0)
