import { inOneLine } from '../../base/lib/visible.ts'

/** Why Iris cannot use a machine; the same reasons for every kind of command. */
export type HostFailureReason =
  | 'unknown_host_key'
  | 'changed_host_key'
  | 'refused_key'
  | 'unknown_name'
  | 'refused'
  | 'unreachable'
  | 'no_client'
  | 'bad_configuration'
  | 'no_shell'
  | 'no_answer'
  | 'lost'
  | 'no_tunnel'
  | 'disk_full'
  | 'not_writable'

/**
 * A machine that currently cannot be used. `message` continues after "<machine>: "; `remedy` is a command or
 * instruction.
 */
export class HostFailure extends Error {
  readonly reason: HostFailureReason
  readonly remedy: string

  constructor(reason: HostFailureReason, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
    this.remedy = remedy
  }
}

type Known = readonly [said: RegExp, reason: HostFailureReason, message: string]

/** Messages from ssh, with their meaning; the first match applies. */
const known: readonly Known[] = [
  [
    /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key for .* has changed/i,
    'changed_host_key',
    'its host key has changed',
  ],
  [/Host key verification failed|No .* host key is known/i, 'unknown_host_key', 'its host key is not known here'],
  [
    /Could not resolve hostname|Name or service not known|nodename nor servname/i,
    'unknown_name',
    'its host name is not known',
  ],
  [/Connection refused/i, 'refused', 'no program accepts connections there'],
  [
    /Operation timed out|Connection timed out|timed out|No route to host|Network is unreachable|Host is down/i,
    'unreachable',
    'it does not answer',
  ],
  [
    /Permission denied|Too many authentication failures|No more authentication methods/i,
    'refused_key',
    'it accepts none of your keys',
  ],
  [
    /Bad configuration option|Bad owner or permissions|terminating, \d+ bad config|Can't open user config file|unknown option|usage: ssh/i,
    'bad_configuration',
    'ssh does not accept its configuration',
  ],
]

/** `command`: what a person would run to try the same. `exitCode`: the client's exit code; null after a signal. */
export function failureOf(stderr: string, command: string, exitCode: number | null): HostFailure {
  const said = lastLines(stderr)
  const [, reason, message] = known.find(([pattern]) => pattern.test(stderr)) ?? []
  const detail = said === '' ? '' : ` (${said})`
  if (reason !== undefined && message !== undefined) {
    return new HostFailure(reason, `${message}${detail}`, remedies[reason](command))
  }
  const code = exitCode === null ? 'was ended' : `ended with ${exitCode}`
  return new HostFailure(
    'no_shell',
    `no POSIX shell answers there: the command ${code}${detail}`,
    remedies.no_shell(command),
  )
}

const look = (command: string): string => `See why with: ${command}`

const remedies: Readonly<Record<HostFailureReason, (command: string) => string>> = {
  unknown_host_key: (command) =>
    `Connect once by hand and compare the key: ${command}. Or set strictHostKeyChecking: accept-new in remoteOptions.`,
  changed_host_key: (command) =>
    `Ask whoever runs that machine. If it was installed again, remove the old key with ssh-keygen -R, then: ${command}`,
  // In batch mode, ssh does not say whether the key was refused or could not be unlocked.
  refused_key: (command) =>
    `Give that machine your public key (ssh-copy-id), or name the key in remoteOptions.identity; a key with a passphrase must be in your ssh-agent (ssh-add). ${look(command)}`,
  unknown_name: look,
  refused: look,
  unreachable: look,
  no_client: () => 'Install it, or correct remote in config.yaml.',
  bad_configuration: look,
  no_shell: look,
  no_answer: look,
  lost: look,
  disk_full: (command) => `Free up space there. See what is full: ${command} df -h`,
  not_writable: () =>
    'Let the user of the connection write to ~/.cache or /tmp there, or set TMPDIR there to a directory that it can write to.',
  no_tunnel: () =>
    'Check that AllowTcpForwarding of the server there is yes or remote, or remove enableReverseMcp: tools and permissions do not need it.',
}

export function hostFailure(reason: HostFailureReason, message: string, command: string, cause?: unknown): HostFailure {
  return new HostFailure(reason, message, remedies[reason](command), { cause })
}

const maxLines = 3
const maxLine = 300

/** Text from an untrusted machine, cut to a few short lines and without invisible characters. */
function lastLines(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .map(inOneLine)
    .filter((line) => line !== '' && !/^@+$|^Warning: Permanently added/.test(line))
  return lines
    .slice(-maxLines)
    .map((line) => line.slice(0, maxLine))
    .join('; ')
}
