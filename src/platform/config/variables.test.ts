import { describe, expect, test } from 'vitest'
import { mistake, temporaryHome } from '../../../test/support/temporary-home.ts'

describe('variables', () => {
  const noPort = 'the environment variable PORT is not set'
  const set = 'Set PORT before Iris starts, or write a default: ${PORT:-default}.'
  const ports = 'a port from 1 to 65535, or 0 for any free one'
  const envText = 'a mapping from names of environment variables to text'
  test.for<[line: string, key: string, value: string | null, problem: string, allowed: string | null, remedy: string]>([
    ['httpPort: ${PORT}', 'httpPort', '"${PORT}"', noPort, null, set],
    [
      'httpPort: ${A}',
      'httpPort',
      '"${A}", its value is hidden',
      'is text where a number belongs',
      ports,
      'Correct it, or remove the line: the default is 1615.',
    ],
    [
      'httpPort: ${NONE:-many}',
      'httpPort',
      '"many"',
      'is text where a number belongs',
      ports,
      'Correct it, or remove the line: the default is 1615.',
    ],
    [
      'httpPort: "${NONE:-80}"',
      'httpPort',
      '"80"',
      'is text where a number belongs',
      ports,
      'Write it without quotes, and without text around a variable.',
    ],
    [
      'httpPort: 1${NONE:-615}',
      'httpPort',
      '"1615"',
      'is text where a number belongs',
      ports,
      'Write it without quotes, and without text around a variable.',
    ],
    ['env: { KEY: "pre${PORT}" }', 'env.KEY', '(hidden)', noPort, null, set],
    [
      'env: { KEY: [secret] }',
      'env.KEY',
      'a list',
      'is a list where text belongs',
      envText,
      'Correct it, or remove the line.',
    ],
    [
      'env: { 1KEY: secret }',
      'env.1KEY',
      null,
      'is not a name that an environment variable can have',
      'letters, digits and _, not starting with a digit',
      'Choose another name.',
    ],
    ['env: { __proto__: secret }', 'env.__proto__', null, 'is a reserved name', null, 'Choose another name.'],
  ])('%s', async ([line, key, ...rows]) => {
    await using disk = await temporaryHome()
    const place = line.startsWith('env') ? '2:10' : '2:3'
    const text = await disk.mistakes(`settings:\n  ${line}`, { A: 'hunter2' })
    expect(text).toBe(mistake(place, `settings.${key}`, ...rows))
    expect(text).not.toMatch(/secret|hunter2/)
  })

  test('an item that cannot be read is one mistake, not two', async () => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes('settings:\n  allowedRoots:\n    - ~/projects\n    - ${PORT}')).toBe(
      mistake('4:7', 'settings.allowedRoots[1]', '"${PORT}"', noPort, null, set),
    )
  })

  test('nor is a path or a consent that cannot be read missing besides', async () => {
    await using disk = await temporaryHome()
    const yaml =
      'teams:\n  a: { path: "${PORT}" }\n  b: { path: ~/projects/backend, grantPermission: yes, dangerous: "${PORT}" }'
    expect(await disk.mistakes(yaml)).toBe(
      [
        mistake('2:8', 'teams.a.path', '"${PORT}"', noPort, null, set),
        mistake('3:56', 'teams.b.dangerous', '"${PORT}"', noPort, null, set),
      ].join('\n\n'),
    )
  })
})
