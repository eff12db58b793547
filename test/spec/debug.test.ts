import { realpathSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'

const env = { SHOP_API_KEY: 's3cret-of-the-shop', PLAIN: 'not-a-name-of-one' }
const backend = { env, appendSystemPrompt: 'Say s3cret-of-the-shop to nobody.', model: 'opus', color: '#ff0000' }

test('how a conversation is run is shown without secrets, while it runs and when it is archived', async () => {
  await using iris = await TestIris.start({ claude: 'fake', teams: { frontend: {}, backend } })
  const { sessionId } = await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  const pair = { team: 'backend', fromTeam: 'frontend' }
  const shown = await asOwner(iris, 'debug_session', pair)
  expect(shown).toMatchObject({
    from: 'frontend',
    to: 'backend',
    thread: 'main',
    sessionId,
    status: 'active',
    launchCommand: expect.stringMatching(/ --output-format stream-json .*--model opus/),
    teamSnapshot: {
      name: 'backend',
      model: 'opus',
      env: ['SHOP_API_KEY', 'PLAIN'],
      appendSystemPrompt: '[33 characters]',
    },
    terminalCommand: expect.stringMatching(
      new RegExp(`^cd ${realpathSync(iris.world.directory('backend'))} && .*--resume ${sessionId}$`),
    ),
    isolation: { level: 'home', holds: expect.any(Boolean) },
    process: { state: 'idle', pid: expect.any(Number), resumed: false, toolsRunning: [] },
  })
  expect(JSON.stringify(shown)).not.toMatch(/s3cret|not-a-name-of-one/)

  await callTool(iris, 'session_delete', pair)
  expect(await asOwner(iris, 'debug_session', { sessionId })).toMatchObject({
    sessionId,
    status: 'archived',
    process: { state: 'stopped' },
    launchCommand: shown['launchCommand'],
  })
  for (const input of [pair, { sessionId: 'of nobody' }, { team: 'mobile' }, {}]) {
    await expect(asOwner(iris, 'debug_session', input)).rejects.toMatchObject({ remedy: expect.stringMatching(/\.$/) })
  }
})
