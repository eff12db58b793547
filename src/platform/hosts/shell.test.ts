import { expect, test } from 'vitest'
import { programShell } from '../../../test/support/program-shell.ts'

test('a shell on a host runs what is written to it, and ends when the link is dropped', async () => {
  const shell = await programShell(['sh'], { PATH: process.env['PATH']! }).open()
  const said = new Promise<string>((resolve) => {
    shell.read((chunk) => {
      resolve(chunk.toString('utf8'))
      return undefined
    })
  })
  const complained = new Promise<string>((resolve) => {
    shell.readErrors((chunk) => resolve(chunk.toString('utf8')))
  })

  await shell.write('echo here; echo there >&2; exec cat\n')

  expect([await said, await complained]).toEqual(['here\n', 'there\n'])
  await expect(shell.stop('now')).resolves.toMatchObject({ code: expect.any(Number) })
})
