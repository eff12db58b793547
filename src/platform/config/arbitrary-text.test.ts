import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TemporaryHome, temporaryHome } from '../../../test/support/temporary-home.ts'
import { ConfigError } from './problem.ts'
import { Settings, TeamEntry } from './schema.ts'

const valid = `settings:
  httpPort: \${PORT:-1615}
  env: { A: "\${B:-c}/$\${d}" }
  allowedRoots: &roots [ ~/projects ]
teams:
  backend: &team
    path: ~/projects/backend
    grantPermission: yes
    dangerous: true
    allowedTools: Read, Bash(git *)
  front-end: { path: ~/projects/frontend, color: "#fff" }
`

const name = fc.oneof(
  fc.constantFrom('settings', 'database', 'teams', 'backend', '__proto__', 'constructor', 'length', 'skipPermissions'),
  fc.constantFrom(...Object.keys(Settings.shape), ...Object.keys(TeamEntry.shape)),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const json = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('~/projects/backend', '/', '\0', '${A}', '${A:-5}', 'yes', -1, 0, 1e300, 2 ** 53, true, null, ''),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('node')), { maxLength: 6 }).map(Object.fromEntries),
  ),
})).node

/** `valid` with pieces cut out and others inserted, as by a slip of the hand. */
const slips = fc
  .array(
    fc.record({
      at: fc.nat(valid.length),
      cut: fc.nat(12),
      put: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 4 }),
        fc.constantFrom('*team', '&x', '${', '\t', '? ', '|', ': '),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((edits) => edits.reduce((text, { at, cut, put }) => text.slice(0, at) + put + text.slice(at + cut), valid))

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  json.map((value) => JSON.stringify(value)),
  json.map((value) => JSON.stringify({ teams: { backend: value, other: { path: value } }, settings: value })),
  slips,
)

/** What is wrong with the report on `text`; null if the text loaded. Throws any error other than a ConfigError. */
async function complaints(text: string, disk: TemporaryHome): Promise<string[] | null> {
  const outcome = await disk.load(text, { PORT: '80' }).catch((error: unknown) => error)
  if (!(outcome instanceof Error)) return null
  if (!(outcome instanceof ConfigError)) throw outcome
  const { problems, message } = outcome
  return [
    ...(problems.length > 0 ? [] : ['no problem is named']),
    ...problems.filter(({ problem, remedy }) => !problem || !remedy).map(({ key }) => `no words for ${key}`),
    // Text from the file must not control a terminal.
    ...(/[\p{Cc}\p{Cf}]/u.test(message.replaceAll('\n', '')) ? ['a control character is printed'] : []),
  ]
}

test('whatever the file holds, it loads or is refused with words', async () => {
  await using disk = await temporaryHome()
  expect(await complaints(valid, disk)).toBeNull()
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      expect((await complaints(text, disk)) ?? []).toEqual([])
    }),
    { numRuns: 500 },
  )
})
