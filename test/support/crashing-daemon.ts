/**
 * A daemon that can be made to die at a checkpoint: composed as the product composes it, with that one thing added.
 * `node crashing-daemon.ts <checkpoint> [<text in the message>]`; the checkpoint "none" never dies.
 */

import { startDaemon } from '../../src/app/daemon/daemon.ts'
import { irisHome } from '../../src/platform/config/home.ts'

const [checkpoint, text = ''] = process.argv.slice(2)

// Before the start, as the product does it: the file that says where the daemon is comes before startDaemon resolves.
const asked = new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()))
const daemon = await startDaemon({
  home: irisHome(process.env),
  env: process.env,
  at: (reached, turn) => {
    if (reached === checkpoint && turn.facts.message.includes(text)) process.kill(process.pid, 'SIGKILL')
  },
  atChat: (reached) => {
    if (`chat-${reached}` === checkpoint) process.kill(process.pid, 'SIGKILL')
  },
})
await asked
await daemon.stop(0)
// As the product ends: a timer that nobody needs any more would keep the process for two seconds.
process.exit()
