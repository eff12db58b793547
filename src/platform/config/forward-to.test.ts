import { describe, expect, test } from 'vitest'
import { type MistakeRows, mistake, temporaryHome } from '../../../test/support/temporary-home.ts'

const secret = 'a'.repeat(32)
const team = 'teams:\n  a: { path: ~/projects/backend, grantPermission: forward }\n'
const url = 'an https:// address, or an http:// one on this machine, without a name or password in it'
const key = 'a random text of at least 32 characters, or whsec_ and a key in base64'
const secrets = 'is not a key: whsec_ must be followed by base64 of at least 24 bytes'

describe('where questions are forwarded to', () => {
  test.for([
    'https://questions.example/iris?team=a',
    'http://127.0.0.1:8080/',
    'http://localhost:8080/',
    'http://[::1]:8080/',
  ])('%s is an address for it', async (address) => {
    await using disk = await temporaryHome()
    const config = await disk.load(`settings:\n  forwardTo: { url: "${address}", secret: ${secret} }\n${team}`)
    expect(config.settings.forwardTo).toEqual({ url: address, secret, format: 'json' })
  })

  test('a key in the form of Standard Webhooks, of a variable', async () => {
    await using disk = await temporaryHome()
    const whsec = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const yaml = `teams:\n  a:\n    path: ~/projects/backend\n    forwardTo: { url: "https://q.example", format: slack, secret: "\${S}" }`
    const config = await disk.load(yaml, { S: whsec })
    expect(config.teams.get('a')?.forwardTo).toEqual({ url: 'https://q.example', secret: whsec, format: 'slack' })
  })

  test.for<[line: string, column: number, ...MistakeRows]>([
    [
      `url: "http://q.example/x", secret: ${secret}`,
      16,
      'url',
      '(hidden)',
      'goes over a network in the clear',
      url,
      'Correct it, or remove the line.',
    ],
    [
      `url: "ftp://q.example/x", secret: ${secret}`,
      16,
      'url',
      '(hidden)',
      'goes over a network in the clear',
      url,
      'Correct it, or remove the line.',
    ],
    [
      `url: q.example, secret: ${secret}`,
      16,
      'url',
      '(hidden)',
      'is not a URL',
      url,
      'Correct it, or remove the line.',
    ],
    [
      `url: "https://me:pass@q.example", secret: ${secret}`,
      16,
      'url',
      '(hidden)',
      'contains a user name or a password',
      url,
      'Correct it, or remove the line.',
    ],
    [
      `url: "https://q.example", secret: short`,
      42,
      'secret',
      '(hidden)',
      'is shorter than 32 characters',
      key,
      'Correct it, or remove the line.',
    ],
    [
      `url: "https://q.example", secret: whsec_${secret.slice(0, 30)}`,
      42,
      'secret',
      '(hidden)',
      secrets,
      key,
      'Correct it, or remove the line.',
    ],
    [
      `url: "https://q.example", secret: whsec_${secret.slice(0, 30)}!`,
      42,
      'secret',
      '(hidden)',
      secrets,
      key,
      'Correct it, or remove the line.',
    ],
    [
      `url: "https://q.example", secret: 12345678`,
      42,
      'secret',
      '(hidden)',
      'is a number where text belongs',
      key,
      'Put it in quotes.',
    ],
    [
      `url: "https://q.example", secret: ${secret}, format: teams`,
      84,
      'format',
      '"teams"',
      'is not an allowed value',
      'json, slack or discord',
      'Correct it, or remove the line: the default is json.',
    ],
    [
      `url: "https://q.example", secret: ${secret}, token: x`,
      84,
      'token',
      '(hidden)',
      'is not a key that Iris knows here',
      'url, format, secret, private, proxy, channel, chat, approvers',
      'Remove the line.',
    ],
  ])('%s', async ([line, column, name, ...rows]) => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(`settings:\n  forwardTo: { ${line} }\n`)).toBe(
      mistake(`2:${column}`, `settings.forwardTo.${name}`, ...rows),
    )
  })

  test('a secret in the place of the mapping is not shown either', async () => {
    await using disk = await temporaryHome()
    expect(await disk.mistakes(`settings:\n  forwardTo: https://hooks.example/T0/secret\n`)).not.toContain('T0')
  })
})

test('grantPermission: forward needs to know where to', async () => {
  await using disk = await temporaryHome()
  expect(await disk.mistakes(team)).toBe(
    mistake(
      '2:34',
      'teams.a.grantPermission',
      '"forward"',
      'forwards questions, but nothing says where to',
      'forward only with forwardTo in this team or in settings; yes with dangerous: true, no or ask',
      'Add "forwardTo:" with url and secret to settings or to this team. Otherwise use "grantPermission: ask".',
    ),
  )
})
