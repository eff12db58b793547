import { spawn } from 'node:child_process'
import { accessSync, chmodSync, constants, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { completionScript, type Shell } from '../../src/app/cli/completion/scripts.ts'
import { Installation, irisCommand } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'
import { Terminal } from '../support/terminal.ts'

let iris: Installation
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  iris = await Installation.create({ teams: ['frontend', 'backend'] })
  await iris.startDaemon()
  const bin = join(iris.world.root, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'iris'), `#!/bin/sh\nexec ${irisCommand} "$@"\n`)
  chmodSync(join(bin, 'iris'), 0o755)
  env = { ...iris.env, PATH: `${bin}${delimiter}${iris.env['PATH']}` }
  mkdirSync(join(iris.world.root, 'pictures'))
})
afterAll(() => iris[Symbol.asyncDispose]())

/** The output of a shell for a script. */
function said(shell: Shell, args: readonly string[]): Promise<string> {
  const child = spawn(shell, args, { cwd: iris.world.root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${shell} ended with ${code}: ${text}`)),
    )
  })
}

/** The completions of each line, the same in every shell. */
const completed: readonly (readonly [words: readonly string[], could: readonly string[]])[] = [
  [['ses'], ['sessions']],
  [
    ['service', ''],
    ['install', 'status', 'uninstall'],
  ],
  [['sessions', '--st'], ['--status']],
  [
    ['sessions', '--status', 'a'],
    ['all', 'archived'],
  ],
  [
    ['tell', ''],
    ['backend', 'frontend'],
  ],
  [
    ['tell', 'backend', '--from', ''],
    ['backend', 'external', 'frontend'],
  ],
  [['sessions', 'show', 'frontend', 'b'], ['backend']],
  // The value of an option is no argument; the same word after it is one.
  [
    ['sessions', 'show', '--thread', 'frontend', 'frontend', ''],
    ['backend', 'frontend'],
  ],
]

describe('a real bash', () => {
  const bash = (script: string) => said('bash', ['--noprofile', '--norc', '-c', script])

  test.each(completed)('completes iris %j', async (words, could) => {
    const line = ['iris', ...words].map((word) => `'${word}'`).join(' ')
    const script = `eval "$(iris completion bash)"; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _iris; printf '%s\\n' "\${COMPREPLY[@]}"`
    expect((await bash(script)).trim().split('\n')).toEqual(could)
  })
})

// scripts/test installs both where it may. Where it may not, what can be told without them is checked.
describe.runIf(isThere('fish'))('a real fish', () => {
  const fish = async (line: string) => {
    const script = `iris completion fish | source; complete -C '${line}'`
    const text = await said('fish', ['--no-config', '-c', script])
    return text.split('\n').flatMap((candidate) => candidate.split('\t')[0] || [])
  }

  test.each(completed)('completes iris %j', async (words, could) => {
    expect(await fish(['iris', ...words].join(' '))).toEqual(could)
  })

  test('completes files where nothing else fits, and only there', async () => {
    expect(await fish('iris add-team pict')).toEqual(['pictures/'])
    expect(await fish('iris perm')).toEqual(['permissions'])
  })
})

describe.runIf(isThere('zsh'))('a real zsh', () => {
  test('completes commands, values and teams, and files where nothing else fits', async () => {
    const at = { cwd: iris.world.root, env: { ...env, PS1: 'zsh> ' } }
    await using zsh = new Terminal('exec zsh -f -i', at)
    await zsh.shows('zsh>')
    await zsh.type('eval "$(iris completion zsh)"; echo loaded $?')
    await zsh.shows('loaded 0')
    const after = async (keys: string, shown: string): Promise<void> => {
      const before = zsh.printed.length
      zsh.press(`${killLine}${keys}\t`)
      await zsh.shows(shown, before)
    }
    await after('iris ses', 'iris sessions')
    await after('iris sessions --status arc', '--status archived')
    await after('iris sessions show frontend b', 'show frontend backend')
    await after('iris add-team pict', 'add-team pictures')
    const before = zsh.printed.length
    zsh.press(`${killLine}iris service \t\t`)
    await zsh.shows('install status uninstall', before)
    expect(zsh.printed).not.toMatch(/not found|error/)
  })
})

const killLine = '\u0015'

test.each(['zsh', 'fish'] as const)('the script for %s asks iris itself, and closes what it opens', (shell) => {
  const text = completionScript(shell, 'iris')
  expect(text).toContain('iris __complete')
  for (const [opening, closing] of ['()', '{}', '[]']) {
    expect(text.split(opening!).length).toBe(text.split(closing!).length)
  }
  for (const quote of [`"`, `'`]) expect(text.split(quote).length % 2).toBe(1)
})

function isThere(shell: Shell): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, shell), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

test('for a program the script is told with the shell and how to load it', async () => {
  const { code, stdout } = await runCommand(iris.world, ['completion', 'fish', '--json'])
  expect({ code, told: JSON.parse(stdout) }).toEqual({
    code: 0,
    told: {
      shell: 'fish',
      script: expect.stringContaining('__complete'),
      load: expect.stringContaining(' completion fish --install'),
    },
  })
})
