import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newChannel, writeChannel } from '../../src/features/channels/commands/new-channel.ts'
import { loadConfig } from '../../src/platform/config/load.ts'
import { BotApi } from '../support/bot-api.ts'
import { TestContext } from '../support/command-context.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { type Ending, Installation, irisCommand } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'
import { SlackDouble } from '../support/slack-double.ts'
import { Terminal } from '../support/terminal.ts'

const enter = '\r'

/** A world with a team, a config.yaml with comments, and a bot that config.yaml does not have. */
async function stage() {
  const telegram = await BotApi.start()
  const iris = await Installation.create({ teams: ['backend'] })
  const pathOf = (name: string): string => join(iris.world.home, name)
  const team = `  # the API\n  backend:\n    path: ${iris.world.directory('backend')}\n`
  const before = `# mine\nsettings:\n  httpPort: 0 # any\nteams:\n${team}`
  writeFileSync(pathOf('config.yaml'), before, { mode: 0o600 })
  return {
    telegram,
    iris,
    pathOf,
    before,
    text: (): string => readFileSync(pathOf('config.yaml'), 'utf8'),
    modeOf: (name: string): string => (statSync(pathOf(name)).mode & 0o777).toString(8),
    options: ['--platform', 'telegram', '--team', 'backend', '--api-root', telegram.url],
    /** `iris channels add` without a terminal, with this on stdin. */
    add: (words: readonly string[], stdin = '', env: Readonly<Record<string, string>> = {}) =>
      runCommand(iris.world, ['channels', 'add', ...words], { env, stdin }),
    /** The same as a process. */
    addReally: (words: readonly string[], stdin: string): Promise<Ending> => {
      const program = iris.start(['channels', 'add', ...words])
      program.child.stdin.end(stdin)
      return program.ended
    },
    async [Symbol.asyncDispose]() {
      await iris[Symbol.asyncDispose]()
      await telegram[Symbol.asyncDispose]()
    },
  }
}

test('a wrong token, a taken name, an unknown team, a token as an argument: said in words, and nothing is written', async () => {
  await using world = await stage()
  const { add, before, iris, options, telegram, text } = world
  const wrong = '123456:not-the-token-of-this-bot-at-all'
  const refused = async (words: readonly string[], stdin: string, why: string): Promise<void> => {
    const { code, stdout, stderr } = await add(words, stdin)
    expect({ code, stdout, stderr }).toMatchObject({ stdout: '', stderr: expect.stringContaining(why) })
    expect(code).not.toBe(0)
    expect(stderr).not.toContain(wrong)
    expect(stderr).not.toContain(telegram.token)
  }
  const byStdin = ['shop', ...options, '--token-stdin']
  await refused(byStdin, wrong, 'Telegram does not know the token (Unauthorized).')
  await refused(byStdin, '\n', 'stdin has no token.')
  await refused(
    ['shop', '--platform', 'telegram', '--team', 'backnd', '--token-stdin'],
    wrong,
    'Did you mean "backend"?',
  )
  await refused(['shop', '--platform', 'icq', '--team', 'backend', '--token-stdin'], wrong, 'platform')
  await refused(['Shop!', ...options, '--token-stdin'], wrong, '"Shop!" is not a valid name for a channel.')
  await refused(['shop', ...options], '', 'this needs one of --token-stdin, --token-file and --token-variable')
  await refused([], '', 'this needs <name>, --platform, --team')
  const seen = 'every user of this machine sees the arguments of a process'
  await refused(['shop', ...options, '--token', telegram.token], '', seen)
  await refused(['shop', ...options, `--app-token=${telegram.token}`], '', seen)
  await refused(['shop', ...options, '--token-variable', telegram.token], '', seen)
  await refused([...byStdin, '--token-file', 'x'], wrong, 'You gave more than one place for the token.')
  await refused(['shop', ...options, '--token-variable', 'NO_SUCH'], '', 'no variable NO_SUCH')
  expect(text()).toBe(before)
  expect(readdirSync(iris.world.home).filter((name) => name.endsWith('token'))).toEqual([])
})

test('at a terminal it asks, checks, shows what it writes, and the running daemon connects the bot', async () => {
  await using world = await stage()
  const { before, iris, modeOf, pathOf, telegram, text } = world
  await iris.startDaemon()
  const command = `exec ${irisCommand} channels add shop --api-root ${telegram.url}`
  await using person = new Terminal(command, { cwd: iris.world.root, env: iris.env })
  await person.shows('Where do people talk?')
  person.press(enter)
  await person.shows('Which team answers?')
  person.press(enter)
  await person.shows('Where is the token of the bot?')
  person.press(enter)
  await person.shows('The token of the bot')
  person.press(`${telegram.token}${enter}`)
  await person.shows('Ids of people who may write to it')
  await person.type('42')
  await person.shows('Ids of groups')
  person.press(enter)
  await person.shows('The bot is @shop_bot; its tokens are valid.')
  await person.shows('tokenFile: shop-token')
  await person.shows('Write it?')
  expect(text()).toBe(before)
  expect(existsSync(pathOf('shop-token'))).toBe(false)
  person.press(enter)
  await person.shows('Added the channel shop')
  expect(await person.exited()).toBe(0)
  expect(person.raw).not.toContain(telegram.token)
  const entry = `  shop:\n    platform: telegram\n    team: backend\n    tokenFile: shop-token\n    allow:\n      - "42"\n`
  expect(text()).toBe(`${before}channels:\n${entry}    apiRoot: ${telegram.url}\n`)
  expect([modeOf('shop-token'), modeOf('config.yaml')]).toEqual(['600', '600'])
  expect(readFileSync(pathOf('shop-token'), 'utf8')).toBe(`${telegram.token}\n`)
  const state = async () =>
    JSON.parse((await runCommand(iris.world, ['channels', 'list', '--json'])).stdout).channels[0]?.link.state
  await eventually(async () => (await state()) === 'connected', 'the bot is connected')
})

test('a name, a token and a file that are taken are refused', async () => {
  await using world = await stage()
  const { add, addReally, options, pathOf, telegram, text } = world
  const first = await addReally(['shop', ...options, '--token-stdin'], telegram.token)
  expect(first).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Iris connects it once you run "iris start".'),
  })
  const before = text()
  const said = async (name: string): Promise<string> =>
    (await add([name, ...options, '--token-stdin'], telegram.token)).stderr
  expect(await said('shop')).toContain('A channel "shop" already exists.')
  expect(await said('other')).toContain('The channel "shop" already has this token.')
  await using second = await BotApi.start()
  writeFileSync(pathOf('other-token'), 'mine')
  const words = ['other', '--platform', 'telegram', '--team', 'backend', '--api-root', second.url, '--token-stdin']
  expect((await add(words, second.token)).stderr).toContain('other-token already exists.')
  expect(readFileSync(pathOf('other-token'), 'utf8')).toBe('mine')
  expect(text()).toBe(before)
})

test('Discord by a variable and Slack with two tokens, without a terminal', async () => {
  await using world = await stage()
  const { add, modeOf, text } = world
  await using discord = await DiscordDouble.start(undefined, ['600000000000000001'])
  await using slack = await SlackDouble.start(undefined, ['C0SHOP'])
  const [token] = Object.values<string>(discord.config().files)
  const api = (double: { config(): { entry: object } }) =>
    String((double.config().entry as { apiRoot: string }).apiRoot)
  const byVariable = [
    '--platform',
    'discord',
    '--team',
    'backend',
    '--token-variable',
    'BOT',
    '--api-root',
    api(discord),
  ]
  const added = await add(['disc', ...byVariable, '--group', '600000000000000001', '--json'], '', { BOT: token! })
  expect(added).toMatchObject({ code: 0 })
  expect(JSON.parse(added.stdout)).toMatchObject({ added: true, name: 'disc', platform: 'discord', as: 'shop_bot' })
  const { entry, files } = slack.config() as unknown as {
    entry: { tokenFile: string; appTokenFile: string }
    files: Record<string, string>
  }
  const lines = `${files[entry.tokenFile]}\n${files[entry.appTokenFile]}\n`
  const words = ['slack', '--platform', 'slack', '--team', 'backend', '--token-stdin', '--api-root', api(slack)]
  expect((await add(words, files[entry.tokenFile])).stderr).toContain('no second line with the app-level token')
  expect(await add(words, lines)).toMatchObject({ code: 0, stdout: expect.stringContaining('Added the channel slack') })
  expect([modeOf('slack-token'), modeOf('slack-app-token')]).toEqual(['600', '600'])
  expect(text()).toContain('    tokenVariable: BOT\n    groups:\n      "600000000000000001": mention\n')
  expect(text()).toContain('    tokenFile: slack-token\n    appTokenFile: slack-app-token\n')
})

test('where config.yaml cannot take the channel, no token is left', async () => {
  await using world = await stage()
  const { before, iris, options, pathOf, telegram, text } = world
  const config = await loadConfig({ home: iris.world.home, env: iris.env })
  const [, platform = '', , team = ''] = options
  const around = { context: new TestContext({ env: iris.env }), config }
  const made = newChannel({ name: 'shop', platform, team }, { token: telegram.token }, around)
  // Simulates removing the team while the platform is queried.
  const entry = { ...made.entry, team: 'nobody' }
  await expect(writeChannel({ ...made, entry }, around)).rejects.toMatchObject({ code: 'config_invalid' })
  expect(text()).toBe(before)
  expect(existsSync(pathOf('shop-token'))).toBe(false)
})

/** Goes through the questions of `iris channels add` for the platform that is this far down in the list. */
async function walk(
  { iris }: Pick<Awaited<ReturnType<typeof stage>>, 'iris'>,
  down: number,
  apiRoot: string,
  tokens: readonly string[],
): Promise<string> {
  const command = `exec ${irisCommand} channels add shop --api-root ${apiRoot}`
  await using person = new Terminal(command, { cwd: iris.world.root, env: iris.env })
  await person.shows('Where do people talk?')
  person.press('\u001b[B'.repeat(down) + enter)
  await person.shows('Which team answers?')
  person.press(enter)
  await person.shows('Where is the token of the bot?')
  person.press(enter)
  for (const [index, token] of tokens.entries()) {
    await person.shows(index === 0 ? 'The token of the bot' : 'The app-level token')
    person.press(`${token}${enter}`)
  }
  await person.shows('Ids of people who may write to it')
  person.press(enter)
  await person.shows('Ids of groups')
  person.press(enter)
  await person.shows('Write it?')
  person.press(enter)
  await person.shows('Added the channel shop')
  expect(await person.exited()).toBe(0)
  for (const token of tokens) expect(person.raw).not.toContain(token)
  return person.raw
}

test.each(['discord', 'slack'] as const)('%s at a terminal, and out again with channels delete', async (platform) => {
  await using world = await stage()
  const { before, iris, modeOf, pathOf, text } = world
  await using double = platform === 'slack' ? await SlackDouble.start() : await DiscordDouble.start()
  const { entry, files } = double.config() as unknown as {
    entry: { apiRoot: string }
    files: Record<string, string>
  }
  const shown = await walk(world, platform === 'slack' ? 2 : 1, entry.apiRoot, Object.values(files))
  expect(shown).toContain('its tokens are valid')
  const names = platform === 'slack' ? ['shop-token', 'shop-app-token'] : ['shop-token']
  expect(names.map(modeOf)).toEqual(names.map(() => '600'))
  expect(text()).toContain(`  shop:\n    platform: ${platform}\n    team: backend\n    tokenFile: shop-token\n`)

  const unknown = await runCommand(iris.world, ['channels', 'delete', 'other'])
  expect(unknown).toMatchObject({ stderr: expect.stringContaining('There is no channel "other".') })
  expect(unknown.code).not.toBe(0)
  const gone = await runCommand(iris.world, ['channels', 'delete', 'shop'])
  expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining('Removed the channel shop from') })
  expect(text()).toBe(before)
  expect(names.filter((name) => existsSync(pathOf(name)))).toEqual([])
})

test('channels delete leaves a token file that Iris did not write', async () => {
  await using world = await stage()
  const { add, iris, options, pathOf, telegram } = world
  writeFileSync(pathOf('mine'), telegram.token, { mode: 0o600 })
  expect(await add(['shop', ...options, '--token-file', pathOf('mine')])).toMatchObject({ code: 0 })
  const { code, stdout } = await runCommand(iris.world, ['channels', 'delete', 'shop', '--json'])
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { deleted: true, name: 'shop', removed: [] }])
  expect(existsSync(pathOf('mine'))).toBe(true)
})
