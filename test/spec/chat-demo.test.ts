import { expect, test } from 'vitest'
import { Program, processesOf } from '../support/program.ts'
import { scratchDirectory } from '../support/scratch.ts'

test('iris demo --channels plays a chat in Telegram with the real Claude Code, and leaves nothing running', {
  timeout: 120_000,
}, async () => {
  using scratch = scratchDirectory()
  const env = { PATH: '/usr/bin:/bin', TMPDIR: scratch.path }
  const { code, stdout, stderr } = await new Program(['demo', '--channels'], { cwd: scratch.path, env }).ended
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  for (const said of [
    /^ {2}Ana +Hello\?$/m,
    /^The owner types: +iris channels pair shop [A-Z2-9]{6}$/m,
    /^ {2}@shop_bot +.*POST \/orders creates an order/m,
    /^ {2}@shop_bot +You first asked: “Which port/m,
    /^ {2}Ana +\/status$/m,
  ])
    expect(stdout).toMatch(said)
  expect(processesOf(scratch.path)).toEqual([])
})
