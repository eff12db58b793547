import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { heldText, type Script as ModelScript, overloadedFailure } from '../../src/app/demo/script.ts'
import { BotApi } from './bot-api.ts'
import { callTool } from './call-tool.ts'
import { eventually } from './eventually.ts'
import type { Script } from './fake-claude.ts'
import { TestIris } from './iris.ts'
import { joinedIris, offersTo } from './joined-iris.ts'
import { NatsServer } from './nats.ts'
import { asOwner } from './owner.ts'
import { spoken } from './world.ts'

export interface ConnectedWorld extends AsyncDisposable {
  readonly iris: TestIris
}

const answer = `The cart rounds **once**, at the end:

\`\`\`ts
export const total = (lines: readonly Line[]): number => Math.round(lines.reduce((sum, { price, count }) => sum + price * count, 0))
\`\`\`

| page | rounds |
|---|---|
| product | no |
| cart | yes |`

const shop =
  (end: Promise<void>): ModelScript =>
  ({ conversation: { lastUserText } }) => {
    const said = spoken(lastUserText)
    if (said.includes('Is the order service stable?')) return overloadedFailure
    if (said.includes('Translate the new texts.'))
      return { stream: heldText('I begin with the checkout.', end, ' Done.') }
    return { text: answer }
  }

/** Another host, whose agents do not end before the file is there. */
const busy = (file: (name: string) => string): Script => ({
  rules: [{ steps: [{ partial: 'I look.' }, { waitForFile: file('end') }, { text: 'I look. Done.' }] }],
})

/**
 * The host `laptop` with everything that its pages of hosts, channels and chat can show at once: hosts in every state,
 * messages that wait on both sides, a takeover; a channel that works and asks for people, one that does not; a
 * conversation in the browser.
 */
export async function connectedWorld(): Promise<ConnectedWorld> {
  const ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const end = Promise.withResolvers<void>()
  const iris = ends.use(
    await TestIris.start({
      claude: 'fake',
      script: shop(end.promise),
      teams: { frontend: { description: 'The web shop.', env: { CLAUDE_CODE_MAX_RETRIES: '0' } } },
      cluster: { servers: server.url, name: 'laptop' },
    }),
  )
  const studio = ends.use(await joinedIris(server, 'studio', { teams: ['backend', 'payments'], script: busy }))
  for (const [name, team] of [
    ['tower', 'reports'],
    ['attic', 'archive'],
  ] as const) {
    await using _gone = await joinedIris(server, name, { teams: [team] })
    await offersTo(iris, `${team}@${name}`)
  }
  // A machine of the same name, with another key.
  ends.use(await joinedIris(server, 'attic', { teams: ['archive'] }))
  await Promise.all([offersTo(iris, 'payments@studio'), offersTo(studio.iris, 'frontend@laptop')])
  const waiting = { message: 'Translate the new texts.', timeout: -1 }
  await callTool(iris, 'send_message', { ...waiting, toTeam: 'backend@studio' })
  await callTool(studio.iris, 'send_message', { ...waiting, toTeam: 'frontend@laptop' })
  await asOwner(studio.iris, 'drain_host')
  iris.change(`INSERT INTO cluster_moves (at, kind, from_team, to_team, thread, former_host, host) VALUES
    (1763800120000, 'sent', 'frontend', 'reports@studio', 'night', 'studio', 'tower'),
    (1763800130000, 'taken', 'mobile', 'frontend', 'main', 'tower', 'laptop')`)
  const api = ends.use(await BotApi.start())
  await connectChannels(iris, api)
  await chat(iris)
  await eventually(async () => {
    const { hosts } = (await asOwner(iris, 'cluster_status')) as { hosts: Record<string, unknown>[] }
    const states = hosts.map(({ name, state }) => `${name} ${state}`).toSorted()
    return (
      states.join() === 'attic stranger,studio awake,tower asleep' && hosts.some(({ answering }) => answering === 1)
    )
  }, 'every host has its state')
  return {
    iris,
    async [Symbol.asyncDispose]() {
      studio.claude.open('end')
      end.resolve()
      await ends.disposeAsync()
    },
  }
}

async function connectChannels(iris: TestIris, api: BotApi): Promise<void> {
  writeFileSync(join(iris.world.home, 'telegram-token'), api.token, { mode: 0o600 })
  const own = { platform: 'telegram', team: 'frontend', apiRoot: api.url }
  iris.world.writeConfig({
    channels: {
      shop: { ...own, tokenFile: 'telegram-token', allow: [42], groups: { '-100': 'mention' } },
      broken: { ...own, tokenFile: 'no-such-file' },
    },
  })
  await eventually(async () => {
    const { channels } = (await asOwner(iris, 'list_channels')) as { channels: { link: { state: string } }[] }
    return channels.map(({ link }) => link.state).join() === 'connected,refused'
  }, 'both channels have their state')
  await asOwner(iris, 'change_channel', { channel: 'shop', action: 'allow', who: '43' })
  api.say('Which pages show prices?', { from: 42, name: 'Ada' })
  await api.posted(42, /rounds/)
  for (const [from, name] of [
    [77, 'Eve'],
    [78, 'Somebody whose name is much longer than a name usually is'],
  ] as const) {
    api.say('hello', { from, name })
    await api.until(() => api.textsIn(from).length > 0, `${name} has a code`)
  }
}

/** One message is answered, one failed, one is at work. */
async function chat(iris: TestIris): Promise<void> {
  const place = { team: 'frontend', conversation: 'prices' }
  for (const message of ['How does the `cart` round **prices**?', 'Is the order service stable?']) {
    const { turnId } = await asOwner(iris, 'viewer_send', { ...place, message })
    await iris.event('turn-settled', (event) => event.turnId === turnId)
  }
  await asOwner(iris, 'viewer_send', { ...place, message: 'Translate the new texts.' })
  await asOwner(iris, 'viewer_send', { team: 'frontend', conversation: 'other', message: 'Which pages show prices?' })
}
