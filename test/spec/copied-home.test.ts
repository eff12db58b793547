import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Installation } from '../support/program.ts'

test('the commands of a copied home never reach the daemon of the original', async () => {
  await using installation = await Installation.create({ claude: 'fake' })
  const daemon = await installation.startDaemon()
  const copy = join(installation.world.root, 'copy')
  cpSync(installation.world.home, copy, { recursive: true, preserveTimestamps: true })
  const inCopy = { env: { IRIS_HOME: copy } }
  const pid = String(daemon.child.pid)
  expect((await installation.run(['status', '--json'], inCopy)).stdout).not.toContain(pid)
  await installation.run(['stop'], inCopy)
  expect((await installation.run(['status', '--json'])).stdout).toContain(pid)
})
