import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { eventually } from './eventually.ts'

const support = fileURLToPath(new URL('nats.ts', import.meta.url))
const program = `const { NatsServer } = await import(${JSON.stringify(support)})
console.log((await NatsServer.start()).pid)
setInterval(() => {}, 1000)`

test('a killed run of tests leaves no nats-server behind', async () => {
  const run = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = (await once(run.stdout, 'data')) as [Buffer]
  const pid = Number(said.toString())
  expect(isThere(pid)).toBe(true)
  run.kill('SIGKILL')
  await eventually(() => !isThere(pid), 'the server has gone')
})

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
