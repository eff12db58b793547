import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CheckContext } from '../../../app/doctor/check-context.ts'
import { tokens } from './tokens.ts'

const roles = new Map([
  ['ci', { teams: ['backend'] }],
  ['mobile', { teams: ['mobile'] }],
  ['chat_bot', {}],
])
const config = { settings: { publicUrl: 'https://new.example' }, teams: new Map([['backend', {}]]), roles }

function found(saved: object | undefined) {
  const directory = mkdtempSync(join(tmpdir(), 'iris-tokens-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const paths = { tokens: join(directory, 'tokens'), token: '/home/ada/.iris/token' }
  if (saved !== undefined) writeFileSync(paths.tokens, JSON.stringify({ check: '', ...saved }))
  return tokens({ paths, config } as unknown as CheckContext).map(({ state, detail }) => `${state}: ${detail}`)
}

test('the doctor says who still uses the token of all programs, once there are others', () => {
  const programs = { github: { teams: ['backend'], role: 'ci', secrets: [] } }
  expect(found(undefined)).toEqual([])
  expect(found({ programs })).toEqual(['ok: tokens of github'])
  expect(found({ programs, sharedUsedAt: 0, sharedUsedBy: 'process 7' })).toEqual([
    'warn: tokens of github; the token of all programs was last used on 1970-01-01T00:00:00.000Z, by process 7',
  ])
})

test.each([
  [{ teams: ['web'] }, 'may ask web, which is no team any more'],
  [{ teams: ['backend'], role: 'gone' }, 'has the role gone, which is gone: it may ask nobody'],
  [{ teams: ['backend'], role: 'mobile' }, 'has the role mobile, which may ask none of its teams'],
  [{ teams: ['backend'], address: 'https://old.example' }, 'counts at https://old.example, where Iris does not answer'],
])('the doctor names a token that does no longer what it says: %j', (program, problem) => {
  const all = found({ programs: { ci: { ...program, secrets: [] } } })
  expect(all).toEqual(['ok: tokens of ci', `warn: the token of ci ${problem}`])
})
