import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../support/scratch.ts'

const view = new URL('../../src/kernel/pool/sandbox-view.ts', import.meta.url).pathname
/** Describes a sandbox, once as it is and once with a single free descriptor. */
const program = `
import { closeSync, openSync } from 'node:fs'
const { sandboxView } = await import(process.argv[1])
const [project, home] = process.argv.slice(2)
const process_ = { executable: process.execPath, env: { HOME: home } }
const look = () => sandboxView({ realPath: project }, process_, { hidden: [], login: { from: home, path: home } })
const { writable } = await look()
let last
try { for (;;) last = openSync('/dev/null') } catch {}
closeSync(last)
const { code, message } = await look().catch((error) => error)
console.log(JSON.stringify({ writable, code, message }))
`

test('a sandbox without the conversations is refused when descriptors to look for them run out', async () => {
  using scratch = scratchDirectory()
  const [project, home] = ['project', 'home'].map((name) => join(scratch.path, name)) as [string, string]
  for (const path of [project, home]) mkdirSync(path)
  const run = ['ulimit -n 200; exec "$@"', 'bash', process.execPath, '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)('bash', ['-c', ...run, view, project, home])
  expect(JSON.parse(stdout)).toEqual({
    writable: [project, expect.stringContaining(join(home, '.claude/projects/'))],
    code: 'isolation_failed',
    message: expect.stringMatching(/^Iris could not look for the files of the sandbox: EMFILE/),
  })
})
