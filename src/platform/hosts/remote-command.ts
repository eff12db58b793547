import { basename, isAbsolute } from 'node:path'
import { hasControl, NoCommand, shellWords } from './shell-words.ts'
import { checkSshOptions, type SshOptions, sshOptionWords } from './ssh-options.ts'

/** How the machine of a team is reached: a program on this machine that provides a POSIX shell there. */
export interface RemoteCommand {
  readonly kind: 'ssh' | 'program'
  /** An absolute path, or a name to look up in PATH. */
  readonly program: string
  /** For ssh, without the destination. */
  readonly args: readonly string[]
  /** For ssh: the destination as it is passed to ssh. Undefined for other programs. */
  readonly destination: string | undefined
  /** For people: the destination of ssh, or the whole command of another program. */
  readonly name: string
  /** Equal for teams that are reached in the same way. */
  readonly key: string
}

/** `user@host`, `host` or `ssh://user@host:port`. ssh itself checks more. */
const destinationForm = /^(?:ssh:\/\/)?(?:[\w.+%-]+@)?(?:[\w.%:-]+|\[[\da-fA-F:.%]+\](?::\d+)?)$/

/** Parses `remote` of a team. Throws NoCommand, whose message continues after "remote". */
export function parseRemote(text: string, options: SshOptions = {}): RemoteCommand {
  const words = shellWords(text)
  const [program, ...rest] = words
  if (program === undefined || program === '') throw new NoCommand('is empty')
  if (program.startsWith('-')) throw new NoCommand('begins with an option instead of a program')
  if (program.includes('/') && !isAbsolute(program)) throw new NoCommand('names its program by a relative path')
  if (basename(program) !== 'ssh') {
    if (Object.keys(options).length > 0) throw new NoCommand('does not run ssh, so remoteOptions have no effect')
    return { kind: 'program', program, args: rest, destination: undefined, name: text, key: keyOf(words) }
  }
  const { args, others } = checkSshOptions(rest)
  const [destination, ...more] = others
  if (destination === undefined) throw new NoCommand('names no host')
  checkDestination(destination)
  if (more.length > 0) throw new NoCommand(`has more words after the host: ${more.join(' ')}`)
  const all = [...args, ...sshOptionWords(options)]
  const key = keyOf([program, ...all, destination])
  return { kind: 'ssh', program, args: all, destination, name: destination, key }
}

/**
 * The words that open a terminal there; a command follows as one word. Iris knows how to do this only for ssh, so for
 * other programs the words print an instruction.
 */
export function terminalWords({ kind, program, args, destination, name }: RemoteCommand): readonly string[] {
  if (kind === 'ssh') return [program, '-t', ...args, '--', destination!]
  return ['echo', `Open a terminal in "${name}", and type there:`]
}

/** Throws NoCommand for a destination that ssh could take for an option, or that a shell could interpret. */
function checkDestination(destination: string): void {
  if (destination.startsWith('-')) throw new NoCommand('names a host that begins with -')
  if (hasControl(destination) || !destinationForm.test(destination)) {
    throw new NoCommand(`names a host that is not valid: ${JSON.stringify(destination)}`)
  }
}

function keyOf(words: readonly string[]): string {
  return JSON.stringify(words)
}
