import type { CommandSpec } from '../../src/app/cli/table/spec.ts'

const turn = ['3f2a9c01']

/** Commands for which a word for each required argument is not enough, or for which `backend` is not valid. */
const special: Readonly<Record<string, readonly string[]>> = {
  tell: ['backend', 'x'],
  chat: ['backend'],
  result: turn,
  cancel: turn,
  trace: turn,
  why: turn,
  retry: turn,
  'callbacks replay': ['x', '--since', '1h'],
  login: ['--name', 'ana'],
  'channels pair': ['x', '123456'],
  'channels allow': ['x', '1'],
  'channels remove': ['x', '1'],
  'channels add': ['shop', '--platform', 'telegram', '--team', 'backend', '--token-variable', 'BOT'],
  'token create': ['ci', '--teams', 'backend'],
  'cluster forget': ['studio'],
  'cluster invite': ['tower'],
  'cluster join': ['--servers', 'nats://127.0.0.1:1', '--name', 'tower'],
  'config set': ['settings.maxProcesses', '3'],
  'config get': ['settings'],
  'config unset': ['settings.idleTimeout'],
  'add-team': ['.', '--name', 'other'],
  'service install': ['--dry-run'],
  'service uninstall': ['--dry-run'],
  completion: ['bash'],
  backup: ['new.backup'],
  restore: ['none.backup'],
}

/** The words after the name of a command with which it gets past its own checks. */
export function neededWords({ name, places = {}, words = [] }: CommandSpec): readonly string[] {
  const notations = [...Object.values(places), ...words.map(([word]) => word)]
  const required = notations.filter((notation) => notation.startsWith('<'))
  return special[name] ?? required.map((notation) => (notation === '<from>' ? 'external' : 'backend'))
}
