import { execFile } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { firstIn } from '../support/tier.ts'
import { createWorld, type World } from '../support/world.ts'

/** Root may write everything; without its capabilities it is bound by the rights of files like anybody else. */
const asAnybody = process.getuid?.() === 0 ? ['setpriv', '--inh-caps=-all', '--bounding-set=-all', '--'] : []

/** `iris start` that fails: its exit code, and what it said. */
function failingStart(world: World): Promise<{ code: number | null; stderr: string }> {
  const [program = '', ...args] = [...asAnybody, process.execPath, ...nodeArguments('start')]
  const env = { ...world.env, IRIS_HOME: world.home }
  return new Promise((resolve) => {
    const child = execFile(program, args, { env, timeout: 30_000 }, (_error, _stdout, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    )
  })
}

const cases: readonly [string, number, string | undefined][] = [
  ['a directory that may not be written, at the first start', 0o500, undefined],
  ['a directory that may not be written, at a later start', 0o500, 'lock.db'],
  ['a store that may only be read', 0o700, 'team-sessions.db'],
]
test.each(firstIn(cases))(
  'Iris does not start with %s, and says what is wrong and what to do',
  async (_, mode, kept) => {
    await using world = await createWorld()
    await using first = await DaemonProcess.start(world)
    await first[Symbol.asyncDispose]()
    const data = join(world.home, 'data')
    if (kept === undefined) rmSync(join(data, 'lock.db'))
    else if (kept === 'team-sessions.db') chmodSync(join(data, kept), 0o400)
    chmodSync(data, mode)
    const { code, stderr } = await failingStart(world)
    chmodSync(data, 0o700)
    expect(code).toBeGreaterThan(0)
    expect(stderr).toMatch(
      /The (store|lock) .*(unable to open|can only be read|read-only|may not|readonly|EACCES|EPERM)/,
    )
    expect(stderr).toMatch(/belong to the user who runs Iris|writable/)
  },
)
