import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/app/cli/table/program.ts'
import { TestContext } from '../support/command-context.ts'

const root = join(import.meta.dirname, '../..')
const refuse = () => Promise.reject(new Error())
const daemon = {
  startDaemon: refuse,
  doctor: { diagnose: refuse, fix: refuse, problemsOf: refuse, probeInstalled: refuse },
  offline: { logs: refuse, audit: refuse, verifyAudit: refuse },
  home: { left: refuse, adopt: refuse, backup: refuse, restore: refuse },
  inspectChannel: refuse,
}

/** The words of each `iris` command of a page, in code spans and in examples for a shell; what a shell does with them is cut off. */
function commandsOf(page: string): readonly string[][] {
  const text = readFileSync(join(root, page), 'utf8')
  const blocks = [...text.matchAll(/^ *```(?:sh)?\n(.*?)^ *```$/gms)].flatMap(([, block]) => block!.split('\n'))
  const spans = [...text.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/`([^`]+)`/g)].map(([, span]) => span!)
  return [...blocks, ...spans].flatMap((line) => {
    const [, command] = /^\s*(?:\$ |[a-z ]+ \| |ssh \w+ |\w+=\$\()?(?:\.\/)?iris ([a-z][^|#;)&]*)/.exec(line) ?? []
    const bare = command?.replaceAll(/"[^"]*"|'[^']*'/g, 'text').replaceAll(/[[\]]/g, '')
    return bare === undefined ? [] : [bare.trim().split(/\s+/)]
  })
}

test('each iris command of the README and the guide is one that there is, with options that it has', async () => {
  const pages = ['README.md', ...globSync('docs/guide/*.md', { cwd: root })]
  const named = pages.flatMap((page) => commandsOf(page).map((words) => ({ page, words })))
  expect(named.length).toBeGreaterThan(300)
  const context = { context: new TestContext({ env: {} }), daemon, exitWith: () => {} }
  const families = new Map<string, Command | undefined>()
  for (const first of new Set(named.map(({ words: [word = ''] }) => word)))
    families.set(
      first,
      (await createProgram([first], context)).commands.find((each) => each.name() === first),
    )
  const wrong: string[] = []
  for (const { page, words } of named) {
    const [first = '', second] = words
    const family = families.get(first)
    const command = family?.commands.find((each) => each.name() === second) ?? family
    const known = ['--help', ...(command?.options.map(({ long }) => long) ?? [])]
    const unknown = words.filter((word) => word.startsWith('--') && !known.includes(word.split(/[=\s,]/, 1)[0]))
    if (first === 'help') continue
    if (command === undefined || unknown.length > 0) wrong.push(`${page}: iris ${words.join(' ')}`)
  }
  expect(wrong).toEqual([])
})
