import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { IrisError } from '../../src/base/protocol/error.ts'
import { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'

type Json = Record<string, unknown>
interface Shown extends Json {
  text: string
  hash: string
}

let iris: TestIris
let file: string
beforeEach(async () => {
  iris = await TestIris.start({ teams: ['frontend', 'backend'], env: {} })
  file = join(iris.world.home, 'config.yaml')
})
afterEach(() => iris[Symbol.asyncDispose]())

const placeholder = '"•••• (kept)"'
const get = async () => (await asOwner(iris, 'get_config')) as Shown
const check = (text: string) => asOwner(iris, 'check_config', { text })
const save = (text: string, hash: string | null) => asOwner(iris, 'save_config', { text, hash })
const refusedSave = async (text: string, hash: string | null) => {
  const refusal: unknown = await save(text, hash).catch((error: unknown) => error)
  if (!(refusal instanceof IrisError)) throw new Error('the save was not refused', { cause: refusal })
  return refusal.toJSON()
}
const onDisk = () => readFileSync(file, 'utf8')

/** A file as a person writes one, in force. */
async function written(more = '', environment = '') {
  const text = `# Ours. Do not touch.
settings:
    httpPort:   0      # any
    prewarmPairs: 0
    logLevel: error
    maxProcesses: 4    # for the small machine
    callsPerMinute: 1000000
${environment}
teams:
    frontend: { path: ${iris.world.directory('frontend')}, description: 'The shop' }   # first
    # then the others
    backend:
        description: >-
            Endpoints
            and database
        path:   ${iris.world.directory('backend')}
        permissions:
            allow: [ Read ]
            deny:
            - Bash(rm *)
${more}`
  writeFileSync(file, text)
  await iris.event('config-reloaded', ({ keys }) => keys.includes('settings.maxProcesses'))
  return text
}

describe('a configuration is read', () => {
  test('as it is written, with what is in force and what each key takes', async () => {
    const text = await written()
    const shown = await get()
    expect(shown).toMatchObject({ file, text, needsRestart: [], settings: { maxProcesses: 4, queueLength: 32 } })
    expect(shown).not.toHaveProperty('problem')
    expect(shown['teams']).toMatchObject([
      { name: 'frontend', config: { idleTimeout: 30_000_000, grantPermission: 'ask', isolation: 'home' } },
      { name: 'backend', config: { description: 'Endpoints and database' } },
    ])
    const { properties } = shown['schema'] as { properties: Record<string, { properties: Record<string, Json> }> }
    expect(properties['settings']!.properties['spawnTimeout']).toMatchObject({
      title: 'How long a newly started Claude Code may take to respond for the first time.',
      default: 20_000,
      unit: 'milliseconds',
    })
    expect(properties['settings']!.properties['httpPort']).toMatchObject({ restart: true })
    expect(properties['settings']!.properties['claudePath']).toMatchObject({ dangerous: expect.any(String) })
    expect(JSON.stringify(properties)).not.toContain('"required"')
  })

  test('without its secrets, wherever they stand', async () => {
    const environment = `    env: { TOKEN: s3cret-one, PORT: 81234, FROM_OUTSIDE: '\${OUTER}', WITH: '\${OUTER:-s3cret-two}' }
    forwardTo:
        url: https://example.org/s3cret-hook
        secret: |
            s3cret-three-s3cret-three-s3cret-three
        format: json`
    const team = '        env:\n            KEY: &key s3cret-four\n'
    const text = `${await written()}${team}        model: *key\n`.replace('\n\n', `\n${environment}\n`)
    writeFileSync(file, text)
    const shown = await get()
    expect(JSON.stringify(shown)).not.toMatch(/s3cret|81234/)
    expect(shown.text).toContain(`FROM_OUTSIDE: '\${OUTER}', WITH: ${placeholder} }`)
    expect(shown.text).toContain(`        secret: ${placeholder}\n        format: json`)
    expect(shown.text).toContain(`KEY: &key ${placeholder}\n        model: *key`)
  })

  test('not at all while it is no YAML, with what is wrong instead', async () => {
    writeFileSync(file, 'settings:\n  env: {\n    TOKEN: s3cret')
    await iris.event('config-rejected')
    const shown = await get()
    expect(shown).toMatchObject({ text: null, problem: expect.stringContaining('this is not YAML') })
    expect(JSON.stringify(shown)).not.toContain('s3cret')
  })
})

describe('a text is checked', () => {
  test('and every mistake named with its place and remedy', async () => {
    const { problems, changes } = await check('settings:\n  maxProceses: 3\n  queueLength: many\n')
    expect(problems).toMatchObject([
      { line: 2, column: 3, key: 'settings.maxProceses', remedy: 'Did you mean maxProcesses?' },
      { line: 3, key: 'settings.queueLength', problem: 'is text where a number belongs' },
    ])
    expect(changes).toEqual([])
  })

  test('with its lines as they were shown, where a secret takes several in the file', async () => {
    await written('', '    env:\n        KEY: |\n            s3cret\n            s3cret too\n')
    const { text } = await get()
    const lines = text.split('\n')
    const { problems } = await check(text.replace("'The shop'", '[ 1 ]'))
    expect(problems).toMatchObject([{ line: lines.findIndex((line) => line.includes('frontend:')) + 1 }])
  })

  test('and what it would change named, with what is dangerous and what waits for a start', async () => {
    const text = await written()
    const next = text
      .replace('httpPort:   0', 'httpPort: 1615')
      .replace('maxProcesses: 4', 'claudePath: /bin/other')
      .replace('The shop', 'The shop, and more')
    expect(await check(next)).toMatchObject({
      problems: [],
      changes: [
        { key: 'settings.claudePath', from: null, to: '/bin/other', dangerous: expect.stringContaining('program') },
        { key: 'settings.httpPort', from: 0, to: 1615, needsRestart: true },
        { key: 'settings.maxProcesses', from: 4, to: 10, needsRestart: false },
        { key: 'teams.frontend.description', from: 'The shop', to: 'The shop, and more', needsRestart: false },
      ],
    })
    expect(onDisk()).toBe(text)
  })

  test('that is enormous, or grows without end, and refused with a sentence', async () => {
    const lines = `settings: {}\n# ${'x'.repeat(1_048_500)}\n`
    expect(await check(`${lines}${'é'.repeat(50)}: 1`)).toMatchObject({
      problems: [{ problem: expect.stringContaining('larger than') }],
    })
    const laughs = Array.from({ length: 9 }, (_, n) => `k${n}: &k${n} [${n ? `*k${n - 1},`.repeat(9) : 'ha'}]`)
    expect(await check(laughs.join('\n'))).toMatchObject({
      problems: expect.arrayContaining([
        expect.objectContaining({ problem: expect.stringContaining('too large or too deeply nested') }),
      ]),
    })
    expect(await check('settings: &s { env: *s }')).toMatchObject({ problems: [{}, {}] })
    await expect(check('x'.repeat(1_048_577))).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test.each(['', '[]', 'teams', '{', '- a', '\u0000', '"•••• (kept)"'])('%j is refused in words', async (text) => {
    const { problems } = (await check(text)) as { problems: { problem: string; remedy: string }[] }
    expect(problems[0]).toMatchObject({ problem: expect.stringMatching(/\w/), remedy: expect.stringMatching(/\w/) })
  })
})

describe('a save', () => {
  test('keeps every byte that was not changed, and the rights of the file, and is in force', async () => {
    const text = await written()
    chmodSync(file, 0o640)
    const { hash } = await get()
    const next = text.replace('maxProcesses: 4 ', 'maxProcesses: 5 ')
    const saved = await save(next, hash)
    expect(saved).toMatchObject({ changes: [{ key: 'settings.maxProcesses', from: 4, to: 5 }] })
    expect(onDisk()).toBe(next)
    expect(statSync(file).mode & 0o777).toBe(0o640)
    await iris.event('config-reloaded', ({ keys }) => keys.join() === 'settings.maxProcesses')
    expect(await get()).toMatchObject({ hash: saved['hash'], settings: { maxProcesses: 5 } })
    const files = readdirSync(iris.world.home).filter((name) => name.startsWith('config'))
    expect(files).toEqual(['config.yaml', 'config.yaml.before'])
    const kept = readFileSync(`${file}.before`, 'utf8')
    expect(kept.replace(/\n# before the text with sha256 \w+\n$/, '')).toBe(text)
  })

  test('keeps the line ends and the mark at the beginning that another system wrote', async () => {
    const text = `\uFEFF${(await written()).replaceAll('\n', '\r\n')}`
    writeFileSync(file, text)
    const shown = await get()
    expect(shown.text).toBe(text)
    const next = text.replace('maxProcesses: 4', 'maxProcesses: 5')
    await save(next, shown.hash)
    expect(onDisk()).toBe(next)
  })

  test('keeps secrets that were never shown, in every way of writing them', async () => {
    const environment = `    env:
        PLAIN: s3cret one
        QUOTED: 's3cret: two'   # of old
        DOUBLE: "s3cret\\tthree"
        BLOCK: |+
            s3cret
              four

        FLOW: { }
        NUMBER: 007`.replace('        FLOW: { }\n', '')
    const text = await written('        env: { A: s3cret-five, "B": s3cret-six }\n', environment)
    const shown = await get()
    expect(shown.text.split(placeholder)).toHaveLength(8)
    await save(shown.text.replace('maxProcesses: 4', 'maxProcesses: 5'), shown.hash)
    expect(onDisk()).toBe(text.replace('maxProcesses: 4', 'maxProcesses: 5'))
  })

  test('is on record with its keys, and no value', async () => {
    const text = await written()
    const { hash } = await get()
    await save(text.replace('The shop', 'Sells s3cret things'), hash)
    const { entries } = (await asOwner(iris, 'list_audit')) as { entries: Json[] }
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'config.changed',
        actor: 'owner',
        detail: expect.objectContaining({ keys: ['teams.frontend.description'] }),
      }),
    )
    expect(JSON.stringify(entries)).not.toContain('s3cret')
  })

  test('of the same text changes nothing', async () => {
    const text = await written()
    const before = statSync(file)
    expect(await save(text, (await get()).hash)).toMatchObject({ changes: [] })
    expect(statSync(file).ino).toBe(before.ino)
  })

  test('through a link leaves the link and replaces what it leads to', async () => {
    const text = await written()
    const elsewhere = join(iris.world.root, 'dotfiles')
    mkdirSync(elsewhere)
    renameSync(file, join(elsewhere, 'iris.yaml'))
    symlinkSync(join(elsewhere, 'iris.yaml'), file)
    const { hash } = await get()
    const next = text.replace('The shop', 'The new shop')
    await save(next, hash)
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(elsewhere, 'iris.yaml'), 'utf8')).toBe(next)
    expect(readdirSync(elsewhere)).toEqual(['iris.yaml'])
  })
})

describe('a save is refused, and the file stays as it is', () => {
  test('when the file has changed since it was read', async () => {
    const text = await written()
    const { hash } = await get()
    const theirs = text.replace('The shop', 'Their shop')
    writeFileSync(file, theirs)
    const mine = text.replace('The shop', 'My shop')
    expect(await refusedSave(mine, hash)).toMatchObject({ code: 'config_conflict', remedy: expect.any(String) })
    expect(onDisk()).toBe(theirs)
    await save(mine, (await get()).hash)
    expect(onDisk()).toBe(mine)
  })

  test('when another one came first: of many at once exactly one is taken', async () => {
    const text = await written()
    const { hash } = await get()
    const texts = Array.from({ length: 8 }, (_, n) => text.replace('The shop', `Shop ${n}`))
    const outcomes = await Promise.allSettled(texts.map((one) => save(one, hash)))
    const taken = outcomes.flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : []))
    expect(taken).toHaveLength(1)
    expect(onDisk()).toBe(texts[taken[0]!])
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    expect(refusals).toEqual(refusals.map(() => expect.objectContaining({ code: 'config_conflict' })))
  })

  test('when the file is gone; what was typed can then be saved as a new one', async () => {
    const text = await written()
    const { hash } = await get()
    rmSync(file)
    expect(await refusedSave(text, hash)).toMatchObject({ code: 'config_conflict' })
    expect(await get()).toMatchObject({ text: '', hash: null })
    await save(text, null)
    expect(onDisk()).toBe(text)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await refusedSave(text, null)).toMatchObject({ code: 'config_conflict' })
  })

  test('when it has mistakes: all of them are named', async () => {
    const text = await written()
    const wrong = text.replace('maxProcesses: 4', 'maxProcesses: none').replace('allow:', 'alow:')
    const { code, message } = await refusedSave(wrong, (await get()).hash)
    expect(code).toBe('config_invalid')
    expect(message).toContain('settings.maxProcesses')
    expect(message).toContain('teams.backend.permissions.alow')
    expect(onDisk()).toBe(text)
  })

  test('when it would empty a file with teams', async () => {
    const text = await written()
    expect(await refusedSave('\n', (await get()).hash)).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('no team left'),
    })
    expect(onDisk()).toBe(text)
  })

  test('when others can write to the file', async () => {
    const text = await written()
    chmodSync(file, 0o666)
    expect(await refusedSave(text.replace('shop', 'x'), (await get()).hash)).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('others can write'),
    })
  })
})

describe('what makes commands run or widens rights is not saved', () => {
  const dangerous: readonly (readonly [what: string, key: string, from: string | RegExp, to: string])[] = [
    ['another claude', 'settings.claudePath', 'maxProcesses: 4', 'claudePath: /bin/sh'],
    ['an environment', 'settings.env', 'maxProcesses: 4', 'env: { NODE_OPTIONS: --require=x }'],
    ['less isolation', 'settings.isolation', 'maxProcesses: 4', 'isolation: none'],
    ['an endpoint', 'settings.sessionMcpEnabled', 'maxProcesses: 4', 'sessionMcpEnabled: true'],
    ['the place of credentials', 'settings.sessionMcpPath', 'maxProcesses: 4', 'sessionMcpPath: /tmp'],
    ['more places for teams', 'settings.allowedRoots', 'maxProcesses: 4', 'allowedRoots: [ / ]'],
    ['who gets traces', 'insight.tracesTo', /^teams:/m, 'insight: { tracesTo: https://x.org }\nteams:'],
    ['what goes with traces', 'insight.traceHeaders', /^teams:/m, 'insight: { traceHeaders: { a: b } }\nteams:'],
    [
      'somebody who answers',
      'settings.forwardTo',
      'maxProcesses: 4',
      `forwardTo: { url: https://x.org, secret: ${'x'.repeat(32)} }`,
    ],
    [
      'who is told of answers',
      'callbacks.ci',
      /^teams:/m,
      'callbacks: { ci: { url: https://x.org, secretFile: ci } }\nteams:',
    ],
    [
      'every tool',
      'teams.backend.grantPermission',
      'permissions:',
      'grantPermission: yes\n        dangerous: true\n        permissions:',
    ],
    ['a tool', 'teams.backend.permissions', '[ Read ]', '[ Read, Bash ]'],
    [
      'a tool for one asker',
      'teams.backend.permissions',
      'allow: [',
      'from: { frontend: { allow: [ Bash ] } }\n            allow: [',
    ],
    ['what was denied', 'teams.backend.permissions', '- Bash(rm *)', '- Bash(mv *)'],
    ['allowed tools', 'teams.backend.allowedTools', 'permissions:', 'allowedTools: Bash\n        permissions:'],
    ['servers of the project', 'teams.backend.mcpServers', 'permissions:', 'mcpServers: project\n        permissions:'],
    ['the store', 'database.path', 'teams:', 'database: { path: other.db }\nteams:'],
    ['a directory', 'teams.frontend.path', /path: \S+,/, 'path: /,'],
    [
      'who starts an agent from outside',
      'triggers.evil',
      /^teams:/m,
      'triggers: { evil: { secretFile: ~/x, scheme: token, team: backend, message: Look } }\nteams:',
    ],
    ['a team', 'teams.third', '    backend:', '    third: { path: / }\n    backend:'],
  ]
  test.each(dangerous)('nor is %s (%s)', async (_, key, from, to) => {
    const text = await written()
    const next = text.replace(from, to.replaceAll('path: /', `path: ${iris.world.root}`))
    const { changes, problems } = (await check(next)) as { changes: Json[]; problems: unknown[] }
    expect(problems).toEqual([])
    expect(changes).toContainEqual(expect.objectContaining({ key, dangerous: expect.any(String) }))
    expect(await refusedSave(next, (await get()).hash)).toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining(key),
      remedy: expect.stringContaining('editor'),
    })
    expect(onDisk()).toBe(text)
  })

  test('and what narrows them is', async () => {
    const text = await written()
    const next = text
      .replace('maxProcesses: 4', 'isolation: sandbox')
      .replace('[ Read ]', '[ ]')
      .replace('- Bash(rm *)', '- Bash(rm *)\n            - Bash')
      .replace('permissions:', 'grantPermission: no\n        disallowedTools: Write\n        permissions:')
    const { hash } = await get()
    expect(await save(next, hash)).toMatchObject({
      changes: expect.arrayContaining([
        { key: 'teams.backend.grantPermission', from: 'ask', to: 'no', needsRestart: false },
      ]),
    })
    await save(next.slice(0, next.indexOf('    # then the others')), (await get()).hash)
    const changed = await iris.event('config-reloaded', ({ teamsRemoved }) => teamsRemoved.length > 0)
    expect(changed.teamsRemoved).toEqual(['backend'])
  })

  test('a secret, or a variable, does not get to where it can be read', async () => {
    const text = await written("        env: { KEY: &key s3cret-value, OTHER: '${HOME}' }\n")
    const shown = await get()
    const aliased = shown.text
      .replace("description: 'The shop'", 'description: *key')
      .replace('{ path', '{ env: { K: &key x }, path')
    for (const next of [
      shown.text.replace("'The shop'", '"${HOME}"'),
      shown.text.replace('    frontend:', `    frontend2: { path: /x, env: { KEY: ${placeholder} } }\n    frontend:`),
      shown.text.replace("'The shop'", placeholder),
      shown.text.replace('settings:', 'settings:\n    logLevel: *key').replace('    logLevel: error\n', ''),
      aliased,
      `${shown.text}    other: { path: ${iris.world.root}, description: *key }\n`,
    ]) {
      const checked = (await check(next)) as { problems: Json[] }
      expect(checked).toMatchObject({ problems: expect.arrayContaining([expect.anything()]), changes: [] })
      expect(JSON.stringify(checked)).not.toContain('s3cret')
      const refused = await refusedSave(next, shown.hash)
      expect(refused.code).toBe('config_invalid')
      expect(JSON.stringify(refused)).not.toContain('s3cret')
    }
    expect(onDisk()).toBe(text)
  })
})

test('programs may neither read nor change it', async () => {
  for (const [method, path] of [
    ['GET', '/api/config'],
    ['POST', '/api/config'],
    ['POST', '/api/config/check'],
  ] as const) {
    const response = await fetch(`http://127.0.0.1:${iris.port}${path}`, {
      method,
      headers: { authorization: `Bearer ${iris.token}` },
      ...(method === 'POST' && { body: '{"text":"","hash":null}' }),
    })
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'not_allowed' }])
  }
})

test('over HTTP a conflict is 409, with what to do', async () => {
  const response = await fetch(`http://127.0.0.1:${iris.port}/api/config`, {
    method: 'POST',
    headers: { authorization: `Bearer ${iris.world.owner()}` },
    body: JSON.stringify({ text: await written(), hash: 'of another time' }),
  })
  expect([response.status, await response.json()]).toMatchObject([409, { code: 'config_conflict' }])
})
