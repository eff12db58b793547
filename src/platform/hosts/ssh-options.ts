import { hasControl, NoCommand } from './shell-words.ts'

/** `remoteOptions` of a team. Times are milliseconds. */
export interface SshOptions {
  readonly identity?: string | undefined
  readonly port?: number | undefined
  readonly strictHostKeyChecking?: 'yes' | 'accept-new' | undefined
  readonly connectTimeout?: number | undefined
  readonly serverAliveInterval?: number | undefined
  readonly serverAliveCountMax?: number | undefined
  readonly compression?: boolean | undefined
  readonly forwardAgent?: boolean | undefined
  readonly extraSshArgs?: readonly string[] | undefined
}

/**
 * The ssh options that Iris accepts. They neither start nor write anything on this machine. Other options belong in
 * `~/.ssh/config`, which only the user writes.
 */
const withoutValue = /^-[46ACa]+$/
const withValue = /^-([FpiJlBbcmo])(.*)$/s
const plain = /^[\w.@:,%+/~^*[\]-]+$/
/**
 * Keys for `-o`. None of them runs a command or names a file of known hosts: such a file, for example `/dev/null`,
 * would disable the check of host keys.
 */
const harmlessKeys = new Set(
  [
    'AddressFamily',
    'BindAddress',
    'BindInterface',
    'CASignatureAlgorithms',
    'Ciphers',
    'Compression',
    'ConnectionAttempts',
    'ConnectTimeout',
    'ForwardAgent',
    'GSSAPIAuthentication',
    'HostKeyAlgorithms',
    'HostKeyAlias',
    'HostName',
    'IdentitiesOnly',
    'IdentityFile',
    'IPQoS',
    'KexAlgorithms',
    'MACs',
    'Port',
    'PreferredAuthentications',
    'ProxyJump',
    'PubkeyAcceptedAlgorithms',
    'PubkeyAuthentication',
    'RekeyLimit',
    'ServerAliveCountMax',
    'ServerAliveInterval',
    'TCPKeepAlive',
    'User',
    'StrictHostKeyChecking',
  ].map((key) => key.toLowerCase()),
)

/** Separates the options after `ssh` from other words. Throws NoCommand for an option that is not in the allow-list. */
export function checkSshOptions(words: readonly string[]): { args: string[]; others: string[] } {
  const args: string[] = []
  let at = 0
  for (; at < words.length; at += 1) {
    const word = words[at]!
    if (word === '--') return { args, others: words.slice(at + 1) }
    if (!word.startsWith('-')) break
    if (withoutValue.test(word)) {
      args.push(word)
      continue
    }
    const [, letter, joined] = withValue.exec(word) ?? []
    if (letter === undefined)
      throw new NoCommand(`has the option ${word}, which is not among those that Iris passes to ssh`)
    const value = joined === '' ? words[(at += 1)] : joined
    checkValue(letter, value)
    args.push(`-${letter}`, value!)
  }
  return { args, others: words.slice(at) }
}

function checkValue(letter: string, value: string | undefined): void {
  if (value === undefined || value === '') throw new NoCommand(`has -${letter} without its value`)
  if (hasControl(value)) throw new NoCommand(`has a control character after -${letter}`)
  if (value.startsWith('-')) throw new NoCommand(`has -${letter} with a value that begins with -`)
  // ssh puts these values into command lines for a shell, such as that of a ProxyCommand.
  if (['J', 'l', 'b', 'B'].includes(letter) && !plain.test(value))
    throw new NoCommand(`has -${letter} with a value that is not a name`)
  if (letter !== 'o') return
  const [, key = '', set = ''] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*)$/s.exec(value) ?? []
  if (!harmlessKeys.has(key.toLowerCase())) {
    throw new NoCommand(
      `has -o ${value.split(/[\s=]/)[0]}, which is not among those that Iris passes to ssh; write it into ~/.ssh/config`,
    )
  }
  if (key.toLowerCase() === 'stricthostkeychecking' && !/^(?:yes|ask|accept-new)$/i.test(set)) {
    throw new NoCommand('disables the check of the host key; accept-new accepts the first key that it sees')
  }
  if (!plain.test(set) || set.startsWith('-')) throw new NoCommand(`has -o ${key} with a value that is not plain text`)
}

/** `remoteOptions` as words for ssh. Throws NoCommand. */
export function sshOptionWords(options: SshOptions): string[] {
  const { identity, port, strictHostKeyChecking, connectTimeout, serverAliveInterval, serverAliveCountMax } = options
  const { compression, forwardAgent, extraSshArgs = [] } = options
  const seconds = (ms: number): number => Math.max(1, Math.round(ms / 1000))
  const { args, others } = checkSshOptions(extraSshArgs)
  if (others.length > 0) throw new NoCommand(`has something in extraSshArgs that is not an option: ${others.join(' ')}`)
  return [
    ...(identity === undefined ? [] : ['-i', identity]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(strictHostKeyChecking === undefined ? [] : ['-o', `StrictHostKeyChecking=${strictHostKeyChecking}`]),
    ...(connectTimeout === undefined ? [] : ['-o', `ConnectTimeout=${seconds(connectTimeout)}`]),
    ...(serverAliveInterval === undefined ? [] : ['-o', `ServerAliveInterval=${seconds(serverAliveInterval)}`]),
    ...(serverAliveCountMax === undefined ? [] : ['-o', `ServerAliveCountMax=${serverAliveCountMax}`]),
    ...(compression === undefined ? [] : ['-o', `Compression=${compression ? 'yes' : 'no'}`]),
    ...(forwardAgent === undefined ? [] : ['-o', `ForwardAgent=${forwardAgent ? 'yes' : 'no'}`]),
    ...args,
  ]
}
