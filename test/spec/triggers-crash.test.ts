import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DaemonProcess } from '../support/daemon-process.ts'
import { crashTimeout, logsIfFailed } from '../support/logs-if-failed.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { plainHttp } from '../support/plain-http.ts'
import { senders } from '../support/senders.ts'
import { createWorld, type World } from '../support/world.ts'

const secret = 'a secret that is as long as it must be'
let world: World
beforeAll(async () => {
  world = await createWorld({ claude: 'fake', script: () => ({ text: 'Noted.' }), teams: { backend: {} } })
  const secretFile = join(world.home, 'hook.secret')
  writeFileSync(secretFile, secret, { mode: 0o600 })
  world.writeConfig({
    triggers: { hook: { secretFile, scheme: 'github', team: 'backend', message: 'It is {{what}}.' } },
  })
})
afterAll(() => world[Symbol.asyncDispose]())

const rows = (sql: string): unknown[] => {
  using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
  return database.prepare(sql).all()
}

test('kill -9 between acceptance and answer: the event that comes again is the first message', {
  timeout: crashTimeout,
}, async () => {
  const daemons = logsIfFailed()
  const body = '{"what":"new"}'
  const send = (port: number) => plainHttp(port, 'POST', '/in/hook', senders.github(secret, { body }), body)
  const first = await DaemonProcess.start(world, 'accepted')
  daemons.push(first)
  await expect(send(first.port)).rejects.toThrow(/ECONNRESET|socket hang up/)
  expect(await first.exited).toBe('SIGKILL')
  const kept = rows("SELECT id FROM turns WHERE message LIKE 'It is%'")
  expect(kept).toHaveLength(1)
  expect(rows('SELECT name, turn AS id FROM trigger_seen')).toEqual([{ name: 'hook', ...(kept[0] as object) }])
  await using second = await nextDaemon(world)
  for (let times = 0; times < 2; times += 1) {
    const { status, body: said } = await send(second.port)
    expect({ status, ...JSON.parse(said) }).toEqual({ status: 'repeated', turnId: (kept[0] as { id: string }).id })
  }
  expect(rows("SELECT id FROM turns WHERE message LIKE 'It is%'")).toEqual(kept)
})
