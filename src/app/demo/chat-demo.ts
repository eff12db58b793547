import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sendForJson } from '../../adapters/client/send.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { type DemoParts, reasonOf } from './demo.ts'
import { type DemoWorld, makeDemoWorld } from './demo-world.ts'
import { questions, sampleScript } from './sample-script.ts'
import type { Script } from './script.ts'
import { startScriptedModel } from './scripted-model.ts'
import { person, TelegramForDemo } from './telegram-for-demo.ts'

export interface ChatDemoOutcome {
  readonly directory: string
  readonly answers: readonly string[]
}

const patienceMs = 60_000
const lookEveryMs = 50
const placeholder = '…'

/**
 * A chat in Telegram with a team, played in the terminal against a double of Telegram: a stranger, a code, the owner's
 * approval, two questions. Throws when an answer is wrong. Everything it started has ended before it returns or throws.
 */
export async function runChatDemo(parts: Omit<DemoParts, 'live' | 'bridge'>): Promise<ChatDemoOutcome> {
  const { env, say } = parts
  let shown = ''
  const telegram = await TelegramForDemo.start((text) => {
    if (text !== placeholder && text !== shown) say(`  @shop_bot  ${text.replaceAll('\n', '\n             ')}`)
    shown = text
  })
  const model = await startScriptedModel({ script: inChat })
  const world = makeDemoWorld(env, model.url)
  writeFileSync(join(world.home, 'telegram-token'), telegram.token, { mode: 0o600 })
  const shop = { platform: 'telegram', tokenFile: 'telegram-token', team: 'backend', apiRoot: telegram.url }
  // JSON is valid YAML.
  appendFileSync(join(world.home, 'config.yaml'), `channels: ${JSON.stringify({ shop })}\n`)
  try {
    const { pid, port } = await parts.startDaemon(world.home, world.env)
    say(`Iris       pid ${pid}, port ${port}`)
    say(`Telegram   a double of it, ${telegram.url}\n`)
    return { directory: world.root, answers: await play(telegram, world, port, parts) }
  } catch (error) {
    throw reasonOf(error, parts.signal, world.root)
  } finally {
    await parts.stopDaemon(world.home)
    await model.close()
    await telegram.close()
  }
}

async function play(
  telegram: TelegramForDemo,
  world: DemoWorld,
  port: number,
  parts: Pick<DemoParts, 'say' | 'signal'>,
) {
  const { say } = parts
  const asks = async (text: string, fits: (post: string) => boolean): Promise<string> => {
    const before = telegram.texts.length
    say(`  ${person.name.padEnd(10)} ${text}`)
    telegram.say(text)
    return found(() => telegram.texts.slice(before).find(fits), parts.signal)
  }
  await found(() => telegram.isAsked || undefined, parts.signal)
  const offer = await asks('Hello?', (post) => codeIn(post) !== undefined)
  const code = codeIn(offer)!
  say(`\nThe owner types:   iris channels pair shop ${code}\n`)
  await approve(world, port, code)
  await found(() => telegram.texts.at(-1) !== offer || undefined, parts.signal)
  const first = await asks(questions.first, (post) => post.includes('POST /orders creates an order'))
  const second = await asks(questions.second, (post) => post.startsWith('You first asked'))
  await asks('/status', (post) => post.includes('msg #3'))
  return [first, second]
}

function codeIn(post: string): string | undefined {
  return /\b[A-Z2-9]{6}\b/.exec(post)?.[0]
}

/** What `iris channels pair` does. */
async function approve(world: DemoWorld, port: number, code: string): Promise<void> {
  const owner = readFileSync(join(world.home, 'owner'), 'utf8').trim()
  const { status } = await sendForJson(`http://127.0.0.1:${port}/api/channels/shop/people`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'pair', who: code }),
    signal: AbortSignal.timeout(patienceMs),
  })
  if (status !== 200) throw new IrisError('internal', `The code was refused: HTTP ${status}`, 'See the log.')
}

async function found<T>(look: () => T | undefined, signal: AbortSignal): Promise<T> {
  for (const late = performance.now() + patienceMs; performance.now() < late; ) {
    signal.throwIfAborted()
    const value = look()
    if (value !== undefined) return value
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
  throw new IrisError('internal', 'The bot did not answer.', 'See the log of the daemon.')
}

/** The script of the demo, for messages that begin with what Iris knows about the person. */
const inChat: Script = (asked) => {
  const { conversation } = asked
  const earlierUserTexts = conversation.earlierUserTexts.map(spoken)
  return sampleScript({
    ...asked,
    conversation: { ...conversation, earlierUserTexts, lastUserText: spoken(conversation.lastUserText) },
  })
}

function spoken(text: string): string {
  return /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(text)?.[1] ?? text
}
