/**
 * A daemon that can be made to die at a checkpoint: composed as the product composes it, with that one thing added.
 * `node crashing-daemon.ts <checkpoint> [<text in the message>]`; the checkpoint "none" never dies. A checkpoint in the file `die-at`
 * of IRIS_HOME counts instead. `write-7` is the seventh write after the first turn has ended.
 */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDaemon } from '../../src/app/daemon/daemon.ts'
import { irisHome } from '../../src/platform/config/home.ts'
import { dieAtWrite } from './die-at-write.ts'

const [given, text = ''] = process.argv.slice(2)
const home = irisHome(process.env)
const later = join(home, 'die-at')
const isDeadly = (reached: string): boolean => reached === (existsSync(later) ? readFileSync(later, 'utf8') : given)

const write = /^write-(\d+)$/.exec(given ?? '')?.[1]
if (write !== undefined) dieAtWrite(Number(write))

// Before the start, as the product does it: the file that says where the daemon is comes before startDaemon resolves.
const asked = new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()))
const daemon = await startDaemon({
  home,
  env: process.env,
  at: (reached, turn) => {
    if (isDeadly(reached) && turn.facts.message.includes(text)) process.kill(process.pid, 'SIGKILL')
  },
  atChat: (reached) => {
    if (isDeadly(`chat-${reached}`)) process.kill(process.pid, 'SIGKILL')
  },
})
await asked
await daemon.stop(0)
// Exits like the product, because an unneeded timer would keep the process alive for two seconds.
process.exit()
