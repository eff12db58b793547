import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filter, firstValueFrom } from 'rxjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import type { PublishedEvent } from '../../src/base/protocol/event.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

/** What the agents were told, by message: the texts of the requests that their model got. */
const heard = new Map<string, string[]>()
let first = Promise.withResolvers<void>()
let second = Promise.withResolvers<void>()
let project: string
let iris: TestIris
let settings: { claudePath: string }

const write = (file: string, content: string) => ({
  toolUses: [{ name: 'Write', input: { file_path: join(project, file), content } }],
})
const read = (file: string) => ({ toolUses: [{ name: 'Read', input: { file_path: join(project, file) } }] })

/** "first Write a.txt" uses the file, waits for the second message, and uses a tool again; "second" reads it and writes it. */
const script: Script = async ({ body, conversation: { lastUserText, step } }) => {
  const message = spoken(lastUserText)
  const [who, verb, file = ''] = message.split(' ')
  heard.set(message, [...(heard.get(message) ?? []), JSON.stringify(body.messages)])
  if (who === 'first') {
    if (step === 0) return verb === 'Write' ? write(file, 'first') : read(file)
    if (step === 1) {
      first.resolve()
      await second.promise
      return { toolUses: [{ name: 'Bash', input: { command: 'echo done' } }] }
    }
  }
  if (who === 'second') {
    // Claude Code writes no file that it has not read.
    if (step === 0) {
      await first.promise
      return read(file)
    }
    if (step <= (verb === 'twice' ? 2 : 1)) return write(file, 'second')
    second.resolve()
  }
  return { text: 'done' }
}

/** Both messages at once, each in its own conversation. */
async function together(one: string, two: string, thread: string) {
  first = Promise.withResolvers()
  second = Promise.withResolvers()
  heard.clear()
  const [a, b] = await Promise.all([
    ask(iris, 'backend', one, { fromTeam: 'frontend', thread }),
    ask(iris, 'backend', two, { fromTeam: 'mobile', thread }),
  ])
  expect([a.status, b.status]).toEqual(['completed', 'completed'])
  return { a, b, said: (message: string) => heard.get(message)!.at(-1)! }
}

const teams = { frontend: {}, mobile: {}, backend: { grantPermission: 'yes', dangerous: true } } as const
type Published<Type extends PublishedEvent['type']> = Extract<PublishedEvent, { type: Type }>
const next = <Type extends PublishedEvent['type']>(type: Type): Promise<Published<Type>> =>
  firstValueFrom(iris.daemon.events$.pipe(filter((event): event is Published<Type> => event.type === type)))
async function save(insight: Record<string, unknown>): Promise<void> {
  const reloaded = next('config-reloaded')
  iris.world.writeConfig({ settings, teams, insight })
  await reloaded
}

describe.each(claudeVersions)('with Claude Code %s', (version) => {
  beforeAll(async () => {
    settings = { claudePath: claudeBinary(version) }
    iris = await TestIris.start({ claude: 'fake', script, settings, teams })
    project = iris.world.directory('backend')
    mkdirSync(join(project, 'src'), { recursive: true })
    for (const file of ['src/read.txt', 'src/alone.txt']) writeFileSync(join(project, file), 'before')
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  test('before a file is written that another message has changed, both agents hear of it', async () => {
    const [one, two] = ['first Write src/new.txt', 'second twice src/new.txt']
    const { a, b, said } = await together(one, two, 'written')
    const told = 'Iris did not run this tool: frontend→backend (written) has changed src/new.txt and is still working.'
    // The first try was refused, the second one ran.
    expect(heard.get(two)!.map((text) => text.split(told).length - 1)).toEqual([0, 0, 1, 1])
    expect(readFileSync(join(project, 'src/new.txt'), 'utf8')).toBe('second')
    expect(said(one)).toContain(
      'Iris: mobile→backend (written) is about to change src/new.txt, which you have changed. Read it again.',
    )
    const { entries } = (await asOwner(iris, 'list_audit', {})) as { entries: { action: string; detail: object }[] }
    const audited = entries.filter(({ action }) => action === 'files.collided').map(({ detail }) => detail)
    expect(audited).toEqual([{ path: 'src/new.txt', turnId: b.turnId, otherTurnId: a.turnId }])
    for (const [turnId, text] of [
      [b.turnId, `It was about to change src/new.txt, which turn ${a.turnId}, still working, had used.`],
      [a.turnId, `Turn ${b.turnId} was about to change src/new.txt, which this turn had used.`],
    ]) {
      const { steps } = (await asOwner(iris, 'trace_turn', { turnId })) as { steps: { text: string }[] }
      expect(steps.map((step) => step.text)).toContain(`${text} Both agents got a notice.`)
    }
    expect(await asOwner(iris, 'reflect', {})).toMatchObject({ collisions: { times: 1 } })
  })

  test('a file that another message has only read is written at once, and both agents hear of it', {
    tags: ['thorough'],
  }, async () => {
    const [one, two] = ['first Read src/read.txt', 'second once src/read.txt']
    const { said } = await together(one, two, 'read')
    expect(said(one)).toContain('Iris: mobile→backend (read) is about to change src/read.txt, which you have read.')
    expect(heard.get(two)!.map((text) => text.includes('frontend→backend (read) is still working.'))).toEqual([
      false,
      false,
      true,
    ])
    expect(said(two)).not.toContain('Iris did not run this tool')
  })

  test('with onCollision: ask the second write waits for a person', async () => {
    await save({ onCollision: 'ask' })
    for (const decision of ['deny', 'allow'] as const) {
      const [thread, file] = [`asked-${decision}`, `src/${decision}.txt`]
      const [one, two] = [`first Write ${file}`, `second once ${file}`]
      const asked = next('permission:request')
      const both = together(one, two, thread)
      const { permission } = await asked
      expect(permission).toMatchObject({ toolName: 'Write', team: 'backend', state: 'pending' })
      expect(permission.risks).toEqual([`frontend→backend (${thread}) has changed ${file} and is still working`])
      expect(readFileSync(join(project, file), 'utf8')).toBe('first')
      await asOwner(iris, 'answer_permission', { permissionId: permission.permissionId, decision })
      const { said } = await both
      expect(readFileSync(join(project, file), 'utf8')).toBe(decision === 'allow' ? 'second' : 'first')
      const hears = said(one).includes(`mobile→backend (${thread}) is about to change ${file}`)
      expect(hears).toBe(decision === 'allow')
    }
    await save({})
  })

  test('messages that use different files, or one after the other, hear nothing', { tags: ['thorough'] }, async () => {
    const [one, two] = ['first Read src/alone.txt', 'second once src/other.txt']
    const { said } = await together(one, two, 'apart')
    expect(said(one) + said(two)).not.toMatch(/Iris(:| did not run)/)
    second.resolve()
    await ask(iris, 'backend', 'first Write src/ended.txt', { fromTeam: 'frontend', thread: 'apart' })
    await ask(iris, 'backend', 'second once src/ended.txt', { fromTeam: 'mobile', thread: 'apart' })
    expect(readFileSync(join(project, 'src/ended.txt'), 'utf8')).toBe('second')
    expect(said('second once src/ended.txt')).not.toMatch(/Iris(:| did not run)/)
  })
})
