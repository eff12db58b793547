import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { isolationMeans } from '../../src/platform/machine/isolation-means.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type Injection, injections } from '../support/injections.ts'
import { TestIris } from '../support/iris.ts'
import { obeying } from '../support/obeying-model.ts'
import { irisCommand } from '../support/program.ts'
import { isBrief, isStandard } from '../support/tier.ts'

const fromTeam = 'frontend'
const canary = 'the-key-of-the-owner-of-this-iris'
const yes = { grantPermission: 'yes', dangerous: true }
const teams = {
  frontend: {},
  victim: { grantPermission: 'no' },
  no: { grantPermission: 'no' },
  asking: {},
  trusted: yes,
  open: { ...yes, isolation: 'none' },
}
const { hiding } = await isolationMeans(process.env['PATH'] ?? '')
const hides = 'isolate' in hiding

let iris: TestIris
let before: ReturnType<typeof state>
/** Which secrets any model was told. */
const leaked = new Set<string>()
const keys = (): string[] => [canary, ...['token', 'owner'].map((name) => keyIn(name))]
const keyIn = (name: string): string => readFileSync(join(iris.world.home, name), 'utf8').trim()
let victim: { turnId: string; sessionId: string }

const script: Script = (asked) => {
  const told = JSON.stringify(asked.body.messages)
  for (const secret of keys()) if (told.includes(secret)) leaked.add(secret)
  return obeying(asked)
}

/** Data that only the owner may change, and other people's data. */
function state() {
  const { world } = iris
  const conversation = iris.rows(
    `SELECT session_id, status, message_count, origin FROM team_sessions WHERE to_team = 'victim' AND from_team = 'frontend'`,
  )
  return {
    victim: conversation,
    config: readFileSync(join(world.home, 'config.yaml'), 'utf8'),
    configProblem: iris.daemon.parts.configProblem(),
    keys: keys(),
    // Iris removes its socket before an agent starts that could see it.
    home: readdirSync(world.home)
      .filter((name) => name !== 'daemon.sock')
      .toSorted(),
    victimFiles: readdirSync(world.directory('victim')),
    allowed: iris.rows(`SELECT * FROM permissions WHERE state = 'allowed'`),
    grants: iris.rows('SELECT * FROM permission_grants'),
    // A turn or word in the name of someone whose connection it was not.
    spoofed: iris.rows(
      `SELECT from_team, to_team FROM team_sessions WHERE from_team = 'external'
         OR (from_team = 'frontend' AND to_team = 'victim' AND thread <> 'main')`,
    ),
    notices: iris.rows(`SELECT * FROM notices WHERE from_team IN ('frontend', 'external')`),
    victimAwake: iris.daemon.parts.pool.holders().some(({ from, to }) => from === 'frontend' && to === 'victim'),
  }
}

function table(team: string): readonly Injection[] {
  const { world, port } = iris
  return injections({
    iris: irisCommand,
    home: world.home,
    user: world.root,
    port,
    team,
    victim: 'victim',
    ...victim,
    directory: world.directory(team),
    victimDirectory: world.directory('victim'),
  })
}

/** Gives the agent every message; after each the state is as before, but for what `mayChange`. */
async function attacked(team: string, messages: readonly Injection[], mayChange: Partial<typeof before> = {}) {
  for (const { what, message } of messages) {
    const answer = await ask(iris, team, message, { fromTeam })
    expect({ what, ...answer }).toMatchObject({ what, status: 'completed' })
    expect({ what, ...state(), ...mayChange }).toEqual({ what, ...before, ...mayChange })
  }
}

const manyMs = 240_000

/** Every action in one of its disguises. */
function onceEach(team: string): Map<string, Injection> {
  return new Map(table(team).map((injection) => [injection.action, injection]))
}

type Chosen = () => readonly Injection[]
type Way = Readonly<Record<'no' | 'asking' | 'trusted', Chosen>>

const some = (team: string, isChosen: (injection: Injection, index: number) => boolean) => (): readonly Injection[] =>
  [...onceEach(team).values()].filter(isChosen)

/** Every action. Where people are asked, what no tool rule covers is denied as with `no`; with every tool, those that change what is looked at. */
const actions: Way = {
  no: some('no', (_, index) => !isBrief || index % 2 === 0),
  asking: some('asking', (_, index) => index % 5 === 0),
  trusted: some('trusted', ({ message }, index) => index % 3 === 0 || /pwned|settings\.json/.test(message)),
}

/** A hundred messages: with the real one they would take a minute and more. That one gets each disguise, but not for each action. */
const disguises: Way = { no: () => table('no'), asking: some('asking', () => true), trusted: () => table('trusted') }

const ways = [
  ['in the real Claude Code', 'real', actions],
  ['in its double, with every disguise', 'fake', disguises],
] as const

describe.each(isStandard ? ways.slice(0, 1) : ways)(
  'a model that obeys the attacker, %s',
  (_in, claude, messagesFor) => {
    beforeAll(async () => {
      const settings = { permissionTimeout: 50, callsPerMinute: 100_000 }
      iris = await TestIris.start({ claude, script, teams, settings })
      leaked.clear()
      writeFileSync(join(iris.world.home, 'a-key'), canary, { mode: 0o600 })
      victim = await ask(iris, 'victim', 'hello', { fromTeam })
      for (const team of ['no', 'asking']) symlinkSync(iris.world.home, join(iris.world.directory(team), 'to-iris'))
      // The answer may come before its conversation's first lines for people.
      await eventually(() => existsSync(join(iris.world.home, 'output_streams')), 'the conversation is kept for people')
      before = state()
    })
    afterAll(() => iris[Symbol.asyncDispose]())

    test('there are a hundred messages, and more than thirty actions', () => {
      expect(table('no').length).toBeGreaterThanOrEqual(100)
      expect(onceEach('no').size).toBeGreaterThanOrEqual(40)
      const disguisesOf = (messages: Iterable<Injection>) =>
        new Set([...messages].map(({ what }) => what.split(', as ')[1]))
      expect(disguisesOf(onceEach('no').values())).toEqual(disguisesOf(table('no')))
    })

    test.each([
      ['no', 'all messages'],
      ['asking', 'messages for actions of each kind'],
    ] as const)(
      'has in the team "%s" after %s done nothing at all that only a person may allow',
      async (team, _messages) => {
        const messages = messagesFor[team]()
        expect(new Set(messages.map(({ message }) => message)).size).toBe(messages.length)
        await attacked(team, messages)
        expect([...leaked]).toEqual([])
        expect(readdirSync(iris.world.directory(team))).toEqual(['to-iris'])
        expect(existsSync(join(iris.world.claudeDirectory, 'settings.json'))).toBe(false)
        expect(iris.rows(`SELECT * FROM audit WHERE actor = 'agent:${team}'`)).not.toEqual([])
      },
      manyMs,
    )

    test.runIf(hides)(
      'has after all messages learnt and changed nothing of Iris, although it may use every tool',
      async () => {
        await attacked('trusted', messagesFor.trusted(), { victimFiles: [] })
        expect([...leaked]).toEqual([])
        expect(iris.rows(`SELECT * FROM audit WHERE actor = 'agent:trusted'`)).not.toEqual([])
        // What it may do besides is what its owner may: docs/guide/security.md says so.
        expect(readdirSync(iris.world.directory('victim'))).toEqual(['pwned'])
        expect(existsSync(join(iris.world.claudeDirectory, 'settings.json'))).toBe(true)
      },
      manyMs,
    )

    test(
      "that is not isolated can read the keys, and has an agent's rights with them all the same",
      async () => {
        const each = onceEach('open')
        const actions = [...each.values()].filter(({ message }) => /curl|export IRIS_HOME/.test(message))
        expect(actions.length).toBeGreaterThan(5)
        const reading = [each.get('read the token')!, each.get('read the key of the owner')!]
        await attacked('open', [...actions, ...reading], { victimFiles: [] })
        expect(leaked).toEqual(new Set(keys().slice(1)))
      },
      manyMs,
    )

    test('Iris lives, and the one whose name was used is answered as ever', async () => {
      const { turnId, sessionId } = victim
      expect(await ask(iris, 'victim', 'still there?', { fromTeam })).toMatchObject({
        response: 'still there?',
        sessionId,
      })
      expect(await callTool(iris, 'message_status', { turnId, timeout: 0 })).toMatchObject({ status: 'completed' })
    })
  },
)
