import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticationFailure } from '../../src/app/demo/script.ts'
import { isolationMeans } from '../../src/platform/machine/isolation-means.ts'
import { able } from '../support/able.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { obedient } from '../support/obedient.ts'
import { bothVersions, claudeBinary, claudeVersions } from '../support/real-claude.ts'

const { sandbox } = await isolationMeans(process.env['PATH'] ?? '')
const box = { grantPermission: 'yes', dangerous: true, isolation: 'sandbox' }
const teams = {
  frontend: {},
  ...Object.fromEntries(claudeVersions.map((version) => [version, { ...box, claudePath: claudeBinary(version) }])),
}
const expiresAt = Date.now() + 3_600_000

let iris: TestIris
let file: string
/** What the model takes for a login. */
let valid = ''
const used: string[] = []
const spawned: string[] = []

/** As Claude Code saves it. */
function signIn(accessToken: string): void {
  const claudeAiOauth = { accessToken, refreshToken: `renews-${accessToken}`, expiresAt, scopes: ['user:inference'] }
  writeFileSync(`${file}.tmp`, JSON.stringify({ claudeAiOauth }), { mode: 0o600 })
  renameSync(`${file}.tmp`, file)
  valid = accessToken
}
const copies = (): string[] => {
  const directory = join(iris.world.home, 'data/sandbox-logins')
  return readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'))
}
const say = async (team: string, message: string): Promise<string> =>
  (await ask(iris, team, message, { fromTeam: 'frontend' })).response ?? ''

beforeAll(async () => {
  able(sandbox)
  iris = await TestIris.start({
    teams,
    env: { ANTHROPIC_API_KEY: '' },
    script: (request) => {
      used.push(String(request.headers.authorization))
      return used.at(-1) === `Bearer ${valid}` ? obedient(request) : authenticationFailure
    },
  })
  iris.events$.subscribe((event) => event.type === 'process-spawned' && spawned.push(event.teamName))
  mkdirSync(iris.world.claudeDirectory, { recursive: true })
  file = join(iris.world.claudeDirectory, '.credentials.json')
})
afterAll(() => iris[Symbol.asyncDispose]())

describe.each(claudeVersions)("in a sandbox the person's login of Claude Code %s", (version) => {
  test('serves, without what renews it, and follows a renewal outside while the process lives', async () => {
    signIn(`first-${version}`)
    expect(await say(version, 'say hello')).toBe('hello')
    const seen = await say(version, 'run cat $HOME/.claude/.credentials.json')
    expect(JSON.parse(seen)).toMatchObject({ claudeAiOauth: { accessToken: `first-${version}`, expiresAt } })
    expect(seen).not.toContain('renews-')
    signIn(`second-${version}`)
    await eventually(() => copies().some((copy) => copy.includes(`second-${version}`)), 'the copy follows')
    expect(await say(version, 'say again')).toBe('again')
    expect(used.at(-1)).toBe(`Bearer second-${version}`)
    expect(spawned.filter((team) => team === version)).toHaveLength(1)
  })

  test('is written to by nobody in there', async () => {
    const before = readFileSync(file, 'utf8')
    const attempts = ['echo x >> $F', 'rm -f $F', 'echo x > $F.new; mv -f $F.new $F', 'unshare -Urm umount $F']
    for (const attempt of attempts) {
      const said = await say(
        version,
        `run F=$HOME/.claude/.credentials.json; { ${attempt}; } 2>/dev/null && echo yes || echo no`,
      )
      expect([attempt, said.trim()]).toEqual([attempt, 'no'])
    }
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})

test('the copy is of no use to anybody else, and ends with the login', async () => {
  const directory = join(iris.world.home, 'data/sandbox-logins')
  for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
  rmSync(file)
  await eventually(() => copies().every((copy) => copy.trim() === '{}'), 'the copies are empty')
})

test('what a link in place of the login leads to is not copied', async () => {
  writeFileSync(join(iris.world.home, 'secret.json'), '{"secret":"of Iris"}')
  symlinkSync(join(iris.world.home, 'secret.json'), file)
  await iris.restart()
  // Claude Code looks for its login, finds none that counts, and the message waits for one.
  const { turnId } = await ask(iris, bothVersions[0], 'say hello', { fromTeam: 'frontend', timeout: -1 })
  const limitedBy = async () => (await callTool(iris, 'message_status', { turnId }))['limitedBy']
  await eventually(async () => (await limitedBy()) === 'login', 'the message waits for a login')
  expect(copies().join()).not.toContain('of Iris')
})
