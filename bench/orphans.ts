import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Script } from '../src/app/demo/script.ts'
import { sha256 } from '../src/base/lib/sha256.ts'
import { taggedProcesses } from '../src/platform/machine/process-tag.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { createWorld } from '../test/support/world.ts'
import { HttpCaller } from './http-caller.ts'
import { ms, summarize } from './measure.ts'
import type { Row } from './row.ts'

const kills = 20
const aimMs = 2000

/** Hears no SIGTERM, and neither does what it has started in a session of its own. */
const command = "touch begun; trap '' TERM; (setsid sleep 600 &); sleep 600"
const works: Script = () => ({ toolUses: [{ name: 'Bash', input: { command, description: 'work' } }] })

/** P16: how long processes of the daemon outlive its kill -9 while a tool of the real CLI is at work. */
export async function orphans(): Promise<readonly Row[]> {
  const times: number[] = []
  for (let kill = 0; kill < kills; kill++) times.push(await outlived())
  const sorted = times.toSorted((a, b) => a - b)
  const { p50, p95 } = summarize(times)
  return [
    {
      id: 'P16',
      what: 'kill -9 of the daemon with a tool at work: until its last process has gone',
      measured: `${ms(sorted[0]!)} to ${ms(sorted.at(-1)!)} (p50 ${ms(p50)}, p95 ${ms(p95)}, n=${kills}, over 2 s: ${sorted.filter((time) => time > aimMs).length})`,
      aim: '≤ 2 s',
      data: { sorted },
    },
  ]
}

async function outlived(): Promise<number> {
  const team = { grantPermission: 'yes', dangerous: true }
  await using world = await createWorld({ script: works, teams: { frontend: {}, backend: team } })
  await using daemon = await DaemonProcess.start(world)
  const caller = new HttpCaller(daemon)
  void caller.call('quick_message', { toTeam: 'backend', message: 'work' }).catch(() => {})
  while (!existsSync(join(world.directory('backend'), 'begun'))) await delay(20)
  const irisTag = sha256(world.home).slice(0, 16)
  const killed = performance.now()
  process.kill(daemon.pid, 'SIGKILL')
  while ((await taggedProcesses(irisTag)).length > 0) await delay(10)
  const took = performance.now() - killed
  caller.close()
  return took
}
