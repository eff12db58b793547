import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { checkContextOf } from './check-context.ts'
import { sessionForms } from './session-forms.ts'

test('a hook that answers forms by itself is named, with the teams in which nobody is asked', async () => {
  using scratch = scratchDirectory()
  const { path } = scratch
  const write = (name: string, text: string): void => {
    mkdirSync(join(path, name, '..'), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  const hook = (matcher: string) => JSON.stringify({ hooks: { Elicitation: [{ matcher, hooks: [] }] } })
  for (const team of ['one', 'two', 'three']) mkdirSync(join(path, team))
  const teams = ['one', 'two', 'three'].map((name) => `  ${name}: { path: ${join(path, name)} }\n`).join('')
  const config = (settings: string): void => write('iris/config.yaml', `${settings}teams:\n${teams}`)
  const found = async () => {
    const env = { HOME: path, PATH: '' }
    return sessionForms(await checkContextOf({ home: join(path, 'iris'), env, daemon: undefined }))
  }
  config('')
  expect(await found()).toEqual([])
  write('two/.claude/settings.json', hook('iris'))
  write('three/.claude/settings.json', hook('other'))
  const finding = { check: 'elicitation', state: 'warn', remedy: expect.stringContaining('iris permissions') }
  const named = (file: string, who: string) => ({
    ...finding,
    detail: expect.stringMatching(new RegExp(`\\(${who}\\): a hook named Elicitation in .*${file}`)),
  })
  expect(await found()).toEqual([named('two/.claude/settings.json', 'two')])
  write('.claude/settings.json', hook('*'))
  expect(await found()).toEqual([named('.claude/settings.json', 'one, two, three')])
  config('settings: { elicitation: false }\n')
  expect(await found()).toEqual([])
})
