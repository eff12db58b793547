import { basename, isAbsolute } from 'node:path'
import { hasControl, NoCommand, shellWords } from './shell-words.ts'
import { checkSshOptions, type SshOptions, sshOptionWords } from './ssh-options.ts'

/** How the machine of a team is reached: a program of this machine that gives a POSIX shell of that one. */
export interface RemoteCommand {
  readonly kind: 'ssh' | 'program'
  /** A name to be looked up in PATH, or an absolute path. */
  readonly program: string
  /** Of ssh without the destination. */
  readonly args: readonly string[]
  /** Of ssh: as it is handed to it. */
  readonly destination: string | undefined
  /** For people: the host's name as ssh is given it, else the whole command. */
  readonly name: string
  /** The same for teams that are reached in the same way. */
  readonly key: string
}

/** As `user@host`, `host` or `ssh://user@host:port`. ssh itself checks more. */
const destinationForm = /^(?:ssh:\/\/)?(?:[\w.+%-]+@)?(?:[\w.%:-]+|\[[\da-fA-F:.%]+\](?::\d+)?)$/

/** Reads `remote` of a team. Throws NoCommand, whose message reads on behind "remote". */
export function parseRemote(text: string, options: SshOptions = {}): RemoteCommand {
  const words = shellWords(text)
  const [program, ...rest] = words
  if (program === undefined || program === '') throw new NoCommand('is empty')
  if (program.startsWith('-')) throw new NoCommand('begins with an option, and not with a program')
  if (program.includes('/') && !isAbsolute(program)) throw new NoCommand('names its program by a relative path')
  if (basename(program) !== 'ssh') {
    if (Object.keys(options).length > 0) throw new NoCommand('is no ssh, so that remoteOptions mean nothing')
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

/** What opens a terminal there: a person's command follows as one word. Other programs than ssh each have a way of their own. */
export function terminalWords({ kind, program, args, destination, name }: RemoteCommand): readonly string[] {
  if (kind === 'ssh') return [program, '-t', ...args, '--', destination!]
  return ['echo', `Open a terminal in "${name}", and type there:`]
}

/** Throws NoCommand for what ssh could take for an option, or a shell on the way for more than a name. */
function checkDestination(destination: string): void {
  if (destination.startsWith('-')) throw new NoCommand('names a host that begins with -')
  if (hasControl(destination) || !destinationForm.test(destination)) {
    throw new NoCommand(`names a host that is none: ${JSON.stringify(destination)}`)
  }
}

function keyOf(words: readonly string[]): string {
  return JSON.stringify(words)
}
