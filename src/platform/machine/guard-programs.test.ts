import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { guardPrograms, withoutGuards } from './guard-programs.ts'

describe.runIf(process.platform === 'linux')('the programs that agents are started through', () => {
  test('are the system’s own, whatever lies in PATH', async () => {
    using scratch = scratchDirectory()
    for (const name of ['prlimit', 'setpriv']) {
      writeFileSync(join(scratch.path, name), '')
      chmodSync(join(scratch.path, name), 0o755)
    }
    const found = await guardPrograms(scratch.path)
    expect(Object.values(found).some((program) => program?.startsWith(scratch.path))).toBe(false)
    expect(withoutGuards(found, true)).toEqual([])
    expect(await guardPrograms(scratch.path, '')).toEqual({
      prlimit: join(scratch.path, 'prlimit'),
      setpriv: join(scratch.path, 'setpriv'),
    })
  })

  test('are announced where they are missing, each with what does not hold then', async () => {
    const none = await guardPrograms('/nowhere', '')
    expect(withoutGuards(none)).toEqual([
      expect.stringMatching(/^prlimit \(util-linux\) is missing: .* counts as yours$/),
      expect.stringMatching(/^setpriv \(util-linux\) is missing: .* SIGTERM/),
    ])
    expect(withoutGuards({ prlimit: '/bin/prlimit', setpriv: '/bin/setpriv' }, false)).toEqual([
      expect.stringMatching(/no room for tags/),
    ])
  })
})
