import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { tinyPng } from '../support/attachable.ts'
import { ask } from '../support/call-tool.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import type { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { ForwardProxy } from '../support/forward-proxy.ts'
import { TestIris } from '../support/iris.ts'
import { answerPermission, asOwner, questionOf } from '../support/owner.ts'
import { tlsProxy } from '../support/tls-proxy.ts'
import { WebhookEndpoint } from '../support/webhook-endpoint.ts'

/** `send` sends a file, `touch` asks for a permission, everything else is answered. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const [, said = ''] = /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(lastUserText) ?? []
  if (said === 'send' && step === 0)
    return { toolUses: [{ name: 'mcp__iris__chat_send_file', input: { path: 'picture.png' } }] }
  if (said === 'touch' && step === 0) return { toolUses: [{ name: 'Bash', input: { command: 'touch mark' } }] }
  return { text: `You said ${said}. ${toolResults.at(-1)?.text ?? ''}` }
}

const collected: string[] = []
const collector = createServer((request, response) => {
  let text = ''
  request.on('data', (part) => (text += part))
  request.on('end', () => {
    collected.push(`${request.url} ${text}`)
    response.end('{}')
  })
})

const certificates = getCACertificates('default')
const ends = new AsyncDisposableStack()
const chats: Record<string, ChatPlace> = {}
let proxy: ForwardProxy
let endpoint: WebhookEndpoint
let iris: TestIris
/** What each part of the configuration has for its proxy. */
const way = () => ({ url: proxy.url, user: proxy.user, passwordFile: 'proxy-password' })

beforeAll(async () => {
  const [targets, trusted] = [{} as Record<string, number>, [] as string[]]
  const outside = async (host: string, port: number): Promise<string> => {
    const front = ends.use(await tlsProxy(host, port))
    targets[`${host}:443`] = front.port
    trusted.push(front.cert)
    return `https://${host}`
  }
  for (const platform of chatPlatforms) {
    const chat = ends.use(await ChatPlace.start(platform))
    chat.double.publicUrl = await outside(`${platform}.test`, chat.double.port)
    chats[platform] = chat
  }
  endpoint = ends.use(await WebhookEndpoint.start())
  await outside('hooks.test', endpoint.port)
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  ends.defer(() => void collector.close())
  targets['collector.test:4318'] = (collector.address() as AddressInfo).port
  setDefaultCACertificates([...certificates, ...trusted])
  proxy = ends.use(await ForwardProxy.start(targets))
  iris = ends.use(
    await TestIris.start({ claude: 'fake', script, teams: { backend: {} }, settings: { logLevel: 'debug' } }),
  )
  writeFileSync(join(iris.world.directory('backend'), 'picture.png'), tinyPng)
  writeFileSync(join(iris.world.home, 'proxy-password'), `${proxy.password}\n`, { mode: 0o600 })
})
afterAll(async () => {
  await ends.disposeAsync()
  setDefaultCACertificates(certificates)
})

/** Nothing that Iris wrote or says has the password, in either of its forms. */
const keepsPassword = async (): Promise<void> => {
  const forms = [proxy.password, Buffer.from(`${proxy.user}:${proxy.password}`).toString('base64')]
  const shown = JSON.stringify([
    await asOwner(iris, 'get_config', {}),
    await asOwner(iris, 'list_channels', {}),
    await asOwner(iris, 'get_logs', {}),
  ])
  const files = execFileSync('find', [iris.world.home, '-type', 'f', '-not', '-name', 'proxy-password'], {
    encoding: 'utf8',
  })
  for (const form of forms) {
    expect(shown).not.toContain(form)
    const found = files
      .trim()
      .split('\n')
      .filter(
        (file) =>
          execFileSync('sh', ['-c', 'grep -cF -- "$1" "$2" || true', '-', form, file], { encoding: 'utf8' }).trim() !==
          '0',
      )
    expect(found).toEqual([])
  }
}

test.each(chatPlatforms)(
  'a bot of %s is on the air through its own proxy alone, with files in both directions',
  async (platform) => {
    const chat = chats[platform]!
    chat.join(iris.world, { proxy: way() })
    await chat.listens()
    chat.say('hello')
    await chat.posted((text) => text.startsWith('You said hello'), 'the answer comes')
    chat.say('send')
    await chat.posted((text) => text.startsWith('You said send'), 'the file is sent')
    await chat.double.until(() => chat.double.documents.length > 0, 'the file arrives')
    expect(chat.double.documents).toEqual([{ name: 'picture.png', content: tinyPng }])
    const target = `${platform}.test:443`
    expect(proxy.tunnels).toContain(target)
    expect(proxy.refused).toEqual([])
    // TLS is inside of the tunnel.
    expect(proxy.seen.join('')).not.toMatch(/You said|Bearer|a-token/)
    await keepsPassword()
  },
)

test('a proxy that asks for another password is named, and nothing goes another way', async () => {
  const { password } = proxy
  proxy.password = 'another one'
  try {
    for (const platform of chatPlatforms) {
      chats[platform]!.join(iris.world, { proxy: { ...way(), url: `${proxy.url}/` } })
      const isInForce = () => iris.daemon.parts.config().channels.get('shop')?.platform === platform
      await iris.event('config-reloaded', isInForce)
      expect(await asOwner(iris, 'test_channel', { channel: 'shop' })).toMatchObject({
        isValid: false,
        why: 'the proxy answered with 407: it asks for another user or password',
      })
    }
  } finally {
    proxy.password = password
  }
  await keepsPassword()
})

test('a lost connection to the gateway of Discord is resumed through the proxy', async () => {
  const chat = chats['discord']!
  const double = chat.double as DiscordDouble
  chat.join(iris.world, { proxy: way() })
  chat.say('are you there')
  await chat.posted((text) => text.startsWith('You said are you there'), 'it is ready')
  const before = proxy.tunnels.filter((target) => target === 'discord.test:443').length
  double.lose(false)
  await double.until(() => double.begun.includes('resume'), 'it is resumed')
  expect(proxy.tunnels.filter((target) => target === 'discord.test:443').length).toBeGreaterThan(before)
})

test('traces go through the proxy of traces', async () => {
  const insight = { tracesTo: 'http://collector.test:4318/v1/traces', tracesProxy: way() }
  iris.world.writeConfig({ insight })
  await iris.event('config-reloaded', ({ keys }) => keys.includes('insight.tracesProxy'))
  const { turnId } = await ask(iris, 'backend', 'traced')
  await eventually(() => collected.some((text) => text.includes(turnId)), 'the trace is sent')
  expect(proxy.tunnels).toContain('collector.test:4318')
  await keepsPassword()
})

test('a forwarded question goes through the proxy of its endpoint', async () => {
  const forwardTo = {
    url: 'https://hooks.test/hooks/T0SECRET',
    secret: 'kept between Iris and the endpoint',
    proxy: way(),
  }
  iris.world.writeConfig({ teams: { backend: { grantPermission: 'forward', forwardTo } } })
  await iris.event('config-reloaded', () => iris.daemon.parts.config().teams.get('backend')?.forwardTo !== undefined)
  const asked = ask(iris, 'backend', 'touch')
  expect(await endpoint.message('permission.request')).toMatchObject({ toolName: 'Bash' })
  expect(proxy.tunnels).toContain('hooks.test:443')
  await answerPermission(iris, await questionOf(iris, 'backend'), 'deny')
  await asked
  await keepsPassword()
})
