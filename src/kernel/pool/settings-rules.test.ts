import { expect, test } from 'vitest'
import type { FoundText, Machine } from '../../platform/machine/machine.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'
import { settingsRules } from './settings-rules.ts'

const user = '/home/ada/.claude/settings.json'

function rulesOf(files: Readonly<Record<string, object | string | undefined>>) {
  const readText = async (name: string): Promise<FoundText> => {
    const file = files[name]
    if (file === undefined) return { kind: 'absent' }
    if (file === 'a pipe') return { kind: 'unusable', problem: 'it is a pipe' }
    return { kind: 'text', text: typeof file === 'string' ? file : JSON.stringify(file), isCut: false }
  }
  const machine = { project: { readText }, claude: { path: () => user } } as unknown as Machine
  return settingsRules(machine, '/projects/shop')
}

test('paths in the rules of the project start at the project; a rule that is not text is ignored', async () => {
  const files = {
    '.claude/settings.json': { permissions: { deny: ['Read(/keys/**)', 'Bash(rm *)', 7], ask: ['WebFetch'] } },
    '.claude/settings.local.json': { permissions: { deny: 'Bash', ask: ['Edit(/src/**)'] } },
    [user]: { permissions: { deny: ['Read(~/notes/**)'], allow: ['Bash'] } },
  }
  expect(await rulesOf(files)).toEqual({
    deny: ['Read(~/notes/**)', 'Read(//projects/shop/keys/**)', 'Bash(rm *)'],
    ask: ['WebFetch', 'Edit(//projects/shop/src/**)'],
  })
})

test('files that are absent, or that Claude Code ignores, have no rules', async () => {
  expect(await rulesOf({ '.claude/settings.json': '{', [user]: '[]' })).toEqual({ deny: [], ask: [] })
})

test('a file that cannot be read is no file without rules', async () => {
  const files = { '.claude/settings.local.json': 'a pipe' }
  await expect(rulesOf(files)).rejects.toThrow(MachineError)
  await expect(rulesOf(files)).rejects.toThrow('.claude/settings.local.json cannot be used: it is a pipe')
})
