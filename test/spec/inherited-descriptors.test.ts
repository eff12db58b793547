import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { obedient } from '../support/obedient.ts'
import { bothVersions, claudeBinary } from '../support/real-claude.ts'
import { createWorld } from '../support/world.ts'

const [newest] = bothVersions
const levels = ['none', 'home', 'sandbox']

test('a file that the daemon was started with open cannot be read by its agents', async () => {
  const box = { grantPermission: 'yes', dangerous: true }
  const teams = Object.fromEntries(levels.map((isolation) => [isolation, { ...box, isolation }]))
  await using world = await createWorld({
    script: obedient,
    teams: { frontend: {}, ...teams },
    settings: { claudePath: claudeBinary(newest) },
  })
  const secret = join(world.root, 'secret')
  writeFileSync(secret, 'of the starter')
  const inheriting = ['bash', '-c', 'exec 9<"$0" 23<"$0"; exec "$@"', secret]
  await using daemon = await DaemonProcess.start(world, 'none', '', inheriting)
  for (const level of levels) {
    const looking = 'run cat <&9; cat <&23; ls -l /proc/self/fd /proc/$PPID/fd; true'
    const { response = '' } = await ask(daemon, level, looking, { fromTeam: 'frontend' })
    expect(response).toContain('/proc/self/fd')
    expect(response).not.toMatch(/of the starter|\/secret$/m)
  }
})
