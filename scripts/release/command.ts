import { spawnSync } from 'node:child_process'
import { Refusal } from './refusal.ts'

export interface Output {
  readonly stdout: string
  readonly stderr: string
}

/** Runs it to its end. Throws a `Refusal` with what it said when it fails. */
export function run(cwd: string, program: string, ...args: readonly string[]): Output {
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (error !== undefined) throw new Refusal(`${program} cannot be started: ${error.message}`)
  if (status === 0) return { stdout, stderr }
  throw new Refusal(`${[program, ...args].join(' ')} failed:\n${stdout}${stderr}`.trimEnd())
}

export function git(cwd: string, ...args: readonly string[]): string {
  return run(cwd, 'git', ...args).stdout.trim()
}
