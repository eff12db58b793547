import { expect, test } from 'vitest'
import { temporaryHome } from '../../../../test/support/temporary-home.ts'
import type { CheckContext } from '../../../app/doctor/check-context.ts'
import { channels } from './channels.ts'

test('a proxy whose password cannot be read is found with its channel', async () => {
  await using disk = await temporaryHome()
  const way = '{ url: http://proxy.example, user: iris, passwordVariable: PROXY_PASSWORD }'
  const config = await disk.load(`
teams: { shop: { path: ~/projects/backend } }
channels: { chat: { platform: telegram, tokenVariable: TOKEN, team: shop, proxy: ${way} } }
`)
  const found = (env: Record<string, string>) =>
    channels({ config, home: disk.home, env: { TOKEN: 'a token', ...env } } as unknown as CheckContext)
  expect(await found({ PROXY_PASSWORD: 'open sesame' })).toEqual([
    { check: 'channels', state: 'ok', detail: 'tokens of chat' },
  ])
  expect(await found({})).toMatchObject([
    {
      state: 'fail',
      detail: 'chat: the password of the proxy cannot be used: the environment of Iris has no variable PROXY_PASSWORD',
    },
  ])
})
