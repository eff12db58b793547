import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Installation } from '../support/program.ts'

const hook = fileURLToPath(new URL('../support/note-loaded.ts', import.meta.url))
let iris: Installation

beforeAll(async () => {
  iris = await Installation.create({ teams: ['frontend', 'backend'] })
  // What is kept of the contracts is made by the first command after they were changed.
  await iris.run(['--help'])
})
afterAll(() => iris[Symbol.asyncDispose]())

/** What a command loads: `src/…` of Iris, the names of packages, and parts of Node as it names them itself. */
async function loadedBy(...args: string[]): Promise<{ code: number | null; loaded: readonly string[] }> {
  const file = join(iris.world.root, `loaded ${args.join(' ')}.json`)
  const { code } = await iris.run(args, { env: { NODE_OPTIONS: `--import ${hook}`, NOTE_LOADED: file } })
  const names = (JSON.parse(readFileSync(file, 'utf8')) as string[]).map((name) => {
    const [, package_] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(name) ?? []
    return package_ ?? name.replace(/^.*\/src\//, 'src/')
  })
  return { code, loaded: [...new Set(names)] }
}

/** Each of these alone takes about as long to load as a command may. */
const heavy = [
  'zod',
  'ink',
  'react',
  'hono',
  'rxjs',
  'pino',
  'yaml',
  'ws',
  '@modelcontextprotocol/server',
  '@clack/prompts',
  'NativeModule http2',
  'NativeModule tls',
  'NativeModule internal/deps/undici/undici',
  'NativeModule sqlite',
]
const light =
  /^src\/((main|program|platform\/hosts\/shell-words)\.ts|(base\/(lib|protocol|operation)|platform\/config|adapters\/client|app\/cli|(features|views)\/[^/]+\/commands)\/)/

/** How a command ended, and what it loaded that it could do without. */
async function needless(command: string): Promise<{ code: number | null; needless: readonly string[] }> {
  const { code, loaded } = await loadedBy(...command.split(' '))
  if (!loaded.includes('src/main.ts')) throw new Error('it was not seen what was loaded')
  const isNeedless = (name: string): boolean => heavy.includes(name) || (name.startsWith('src/') && !light.test(name))
  return { code, needless: loaded.filter(isNeedless) }
}

const commands = ['--help', 'status', 'status --json', 'teams list', 'completion bash']

test.each(commands)('without a daemon iris %s loads only what it needs', async (command) => {
  // The one that needs a daemon starts it, and loads no more for that.
  expect(await needless(command)).toEqual({ code: 0, needless: [] })
})

test('with a daemon they load no more than an HTTP client', async () => {
  await iris.run(['start', '--background'])
  for (const command of commands) expect(await needless(command)).toEqual({ code: 0, needless: [] })
})

test('what is heavy is seen where a command loads it', async () => {
  const { loaded } = await loadedBy('config', 'validate')
  expect(loaded).toEqual(expect.arrayContaining(['zod', 'yaml']))
})
