import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DiscordDouble } from '../support/discord-double.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'

const [ada, eve] = ['100000000000000042', '100000000000000099']

/** The history of a stranger's direct messages is read by nobody: Discord names no such chats to a bot. */
test('what comes while Discord still owes a bot its servers is answered once, also to a stranger', async () => {
  await using chat = await DiscordDouble.start()
  using fake = fakeClaude({ script: { rules: [{ steps: [{ text: 'The answer.' }] }] } })
  await using iris = await TestIris.start({ teams: { backend: { claudePath: fake.claudePath, env: fake.env } } })
  const { entry, files } = chat.config()
  for (const [file, token] of Object.entries(files)) writeFileSync(join(iris.world.home, file), token, { mode: 0o600 })
  chat.withholds = 'GUILD_CREATE'
  iris.world.writeConfig({ channels: { shop: { ...entry, team: 'backend', allow: [ada] } } })
  await chat.until(() => chat.begun.length === 1, 'it waits for its servers')

  chat.say('May I?', { from: eve })
  chat.say('Which fields has an order?', { from: ada })
  chat.giveGuilds()
  await chat.posted(DiscordDouble.direct(ada), 'The answer.')
  await chat.posted(DiscordDouble.direct(eve), /pair shop [A-Z2-9]{6}/)
  expect(chat.posts).toHaveLength(2)
  expect(iris.rows('SELECT COUNT(*) AS turns FROM turns')).toEqual([{ turns: 1 }])
})
