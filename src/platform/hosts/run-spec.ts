import type { Command } from '../machine/child.ts'
import { HostError } from './host-error.ts'

const maxBytes = 4 * 1024 * 1024
const name = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Variables of the shell itself, which it refuses to set; no program needs them from outside. */
const ownOfShell = new Set(['PPID', 'UID', 'EUID', 'SHELLOPTS', 'BASHOPTS', 'BASH_VERSINFO', '_', 'IFS'])
/** Variables that `sh` sets on its own. */
const unset = ['PATH', 'PWD', 'OLDPWD', 'SHLVL']

/**
 * The description of a program for the supervisor, as shell text that is sent over stdin: environment, directory and
 * arguments, each in single quotes. Throws HostError for anything that no shell can pass on.
 */
export function runSpec({ executable, args, cwd, env }: Command): string {
  if (!cwd.startsWith('/')) throw new HostError('bad_input', `The directory ${JSON.stringify(cwd)} is not absolute.`)
  const bad = Object.keys(env).find((key) => !name.test(key))
  if (bad !== undefined) {
    throw new HostError('bad_input', `The environment variable ${JSON.stringify(bad)} has a name no shell can set.`)
  }
  const exports = Object.entries(env).filter(([key]) => !ownOfShell.has(key))
  const text = [
    `unset ${unset.join(' ')}`,
    ...exports.map(([key, value]) => `export ${key}=${quoted(value)}`),
    `iris_directory=${quoted(cwd)}`,
    `set -- ${[executable, ...args].map(quoted).join(' ')}`,
    '',
  ].join('\n')
  if (text.includes('\0')) throw new HostError('bad_input', 'A NUL character cannot be passed to a program.')
  if (Buffer.byteLength(text) > maxBytes) {
    throw new HostError('bad_input', `The command and its environment are longer than ${maxBytes} bytes.`)
  }
  return text
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

const word = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/

/** Checks a name that becomes part of a path in the supervisor. Throws HostError. */
export function mustBeWord(text: string, what: string): string {
  if (!word.test(text)) throw new HostError('bad_input', `${JSON.stringify(text)} cannot be ${what} on a host.`)
  return text
}
