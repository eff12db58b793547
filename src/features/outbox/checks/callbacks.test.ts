import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/temporary-home.ts'
import type { CheckContext } from '../../../app/doctor/check-context.ts'
import { callbacks } from './callbacks.ts'

test('a secret that cannot be used is found, and so is a proxy, behind which nothing is checked', async () => {
  await using disk = await temporaryHome()
  const found = async (more: string) => {
    const url = 'https://ci.example'
    const config = await disk.load(`callbacks: { ci: { url: "${url}", secretFile: ci.secret${more} } }`)
    return callbacks({ config, home: disk.home, env: {} } as unknown as CheckContext)
  }
  expect(await found('')).toMatchObject([
    { state: 'fail', detail: 'ci: its secret cannot be used: token file not found: ci.secret' },
  ])
  writeFileSync(join(disk.home, 'ci.secret'), 'short', { mode: 0o600 })
  expect(await found('')).toMatchObject([
    { state: 'fail', detail: 'ci: the secret in ci.secret is shorter than 32 characters' },
  ])
  writeFileSync(join(disk.home, 'ci.secret'), 'long enough to be a secret of a callback', { mode: 0o600 })
  expect(await found('')).toEqual([{ check: 'callbacks', state: 'ok', detail: 'secrets of ci' }])
  expect(await found(', proxy: { url: "http://proxy.example" }')).toMatchObject([
    { state: 'warn', detail: expect.stringContaining('does not check') },
  ])
})
