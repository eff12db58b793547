import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { isRecord } from '../../../base/lib/is-record.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { skippedText } from '../../../base/lib/project-tools.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { type Environment, irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { replaceText } from '../../../platform/config/replace-text.ts'
import { type Entry, serverName } from './entry.ts'
import { parsed, withoutEmptyServers } from './json-edit.ts'
import { onPath, skippedOnPath } from './on-path.ts'
import type { Registration } from './record.ts'

const answerMs = 60_000
const installsClaude = 'npm install -g @anthropic-ai/claude-code'

/** The content of Claude Code's own file, empty if there is none. Throws `config_invalid` if it is not a JSON object. */
export function claudeState(file: string): Readonly<Record<string, unknown>> {
  if (!existsSync(file)) return {}
  const state = parsed(plainFile(file))
  if (state !== undefined) return state
  throw new IrisError(
    'config_invalid',
    `${file} is not a JSON object.`,
    'Fix the file; Claude Code cannot read it either.',
  )
}

export function serversIn(state: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  return isRecord(state['mcpServers']) ? state['mcpServers'] : undefined
}

/** The words after `claude` that register the entry for all of the user's projects. */
export function addWords({ command, args, env }: Entry): readonly string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  return ['mcp', 'add', serverName, '--scope', 'user', ...variables, '--', command, ...args]
}

/** Path of the person's own Claude Code. Throws `claude_not_found`, with the command that installs it. */
export async function claudeProgram(env: Environment): Promise<string> {
  const configured = await loadConfig({ home: irisHome(env), env }).then(
    ({ settings }) => settings.claudePath,
    () => undefined,
  )
  const program = configured?.startsWith('/') ? configured : onPath(configured ?? 'claude', env)[0]
  if (program !== undefined) return program
  const skipped = skippedText(skippedOnPath(configured ?? 'claude', env))
  const what = `Claude Code is not installed here: there is no "claude" in PATH.${skipped}`
  throw new IrisError('claude_not_found', what, `Install it: ${installsClaude}. Then run "iris install" again.`)
}

/**
 * Lets Claude Code change its own file. Throws `claude_failed` with its output when that fails or takes longer than
 * `patienceMs`.
 */
export async function runClaude(env: Environment, words: readonly string[], patienceMs = answerMs): Promise<void> {
  const program = await claudeProgram(env)
  await new Promise<void>((resolve, reject) => {
    // Runs in /, which belongs to no project.
    const options = { cwd: '/', env: { ...env }, timeout: patienceMs, killSignal: 'SIGKILL' } as const
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      if (error === null) return resolve()
      const printed = `${stderr}${stdout}`.trim()
      const command = `${program} ${words.slice(0, 3).join(' ')}`
      const [what, remedy] = error.killed
        ? [`did not end within ${patienceMs / 1000} s. ${printed}`.trim(), 'Run it yourself to see what it waits for.']
        : [`failed: ${printed || error.message}`, 'Fix the problem it reports, then try again.']
      reject(new IrisError('claude_failed', `${command} ${what}`, remedy, { cause: error }))
    })
    child.stdin?.end()
  })
}

/** Removes the registration, restores what Iris had replaced, and removes an empty `mcpServers` that Iris added. */
export async function unregister({ file, hadServers, replaced }: Registration, env: Environment): Promise<void> {
  await runClaude(env, ['mcp', 'remove', '--scope', 'user', serverName])
  if (replaced !== undefined) {
    await runClaude(env, ['mcp', 'add-json', '--scope', 'user', serverName, JSON.stringify(replaced)])
  }
  if (hadServers) return
  const before = plainFile(file)
  await replaceText(await realpath(file), before, withoutEmptyServers(before))
}
