import { isAbsolute } from 'node:path'
import type { Isolation } from './transport.ts'

/** What there is in a sandbox besides the system's programs. Absolute paths; each may lie in another one. */
export interface SandboxView {
  /** Where the program begins. */
  readonly directory: string
  /** The user's home: empty, but for what is named here and lies in it. */
  readonly home: string
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** Directories that are empty in there; what is written to them goes with the program. */
  readonly empty: readonly string[]
}

/** Only to be read, as far as they exist. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/opt', '/nix', '/sys']
/** Where /etc/resolv.conf may lead to. */
const nameServers = '/run/systemd/resolve'

/** Shuts a program in with bubblewrap: process ids, /tmp and a home of its own; the network is the machine's. */
export function sandbox(bwrap: string): (view: SandboxView) => Isolation {
  return ({ directory, home, writable, readable, empty }) => ({
    by: [
      ...[bwrap, '--die-with-parent', '--unshare-user', '--unshare-pid', '--unshare-ipc'],
      ...[...system, nameServers].flatMap((path) => ['--ro-bind-try', path, path]),
      ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--setenv', 'TMPDIR', '/tmp', '--dir', home],
      ...outerFirst([
        ...writable.map((path) => ['--bind-try', path, path]),
        ...readable.map((path) => ['--ro-bind-try', path, path]),
        ...empty.map((path) => ['--tmpfs', path]),
      ]).flat(),
      ...['--chdir', directory, '--'],
    ],
    ownProcesses: true,
  })
}

/** What is mounted later covers what was mounted before it. */
function outerFirst(mounts: readonly string[][]): string[][] {
  return mounts.filter(([, path]) => isAbsolute(path!)).toSorted(([, a], [, b]) => a!.length - b!.length)
}
