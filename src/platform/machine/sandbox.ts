import { isAbsolute } from 'node:path'
import type { Isolation } from './child.ts'

/** What there is in a sandbox besides the system's programs. Absolute paths; each may lie in another one. */
export interface SandboxView {
  /** Where the program begins. */
  readonly directory: string
  /** The user's home: empty, but for what is named here and lies in it. */
  readonly home: string
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** To be read under another path than outside. */
  readonly copies: readonly { readonly from: string; readonly path: string }[]
  /** Directories that are empty in there, but for what else is named; what is written to them goes with the program. */
  readonly empty: readonly string[]
  /** The same, but nothing can be written to them. */
  readonly sealed: readonly string[]
  /** Directories that are empty in there whatever else is named. */
  readonly hidden: readonly string[]
  /** What must be at a path in there, by its identity: the program does not start where another file was mounted. */
  readonly mounted: readonly { readonly path: string; readonly identity: string }[]
}

/** Programs of the system, absolute. */
export interface SandboxTools {
  readonly bwrap: string
  readonly sh: string
  readonly stat: string
}

/** Only to be read, as far as they exist. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/opt', '/nix', '/sys']
/** Where /etc/resolv.conf may lead to. */
const nameServers = '/run/systemd/resolve'

/**
 * bubblewrap mounts by name, and another agent can put a link in the place of a name that was checked before. So this looks from
 * inside what was mounted, before the program begins: a mount is what it is for good. Both lists are lines.
 */
const mustBeMounted = `
stat=$0 paths=$1 identities=$2
shift 2
IFS='
'
set -f
if [ "$("$stat" -L -c %d:%i -- $paths)" != "$identities" ]; then
  echo 'another file was mounted in the place of one that the sandbox shows' >&2
  exit 1
fi
unset IFS
exec "$@"`

/** Root may write to them without any capability: one of them names a program that the kernel starts outside. */
const kernelSettings = ['--ro-bind', '/proc/sys', '/proc/sys']

/** Shuts a program in with bubblewrap: process ids, /tmp and a home of its own; the network is the machine's. */
export function sandbox({ bwrap, sh, stat }: SandboxTools): (view: SandboxView) => Isolation {
  return ({ directory, home, writable, readable, copies, empty, sealed, hidden, mounted }) => ({
    by: [
      ...[bwrap, '--die-with-parent', '--unshare-user', '--unshare-pid', '--unshare-ipc'],
      // Root would keep them, and could make writable again what is mounted to be read.
      ...['--cap-drop', 'ALL'],
      ...[...system, nameServers].flatMap((path) => ['--ro-bind-try', path, path]),
      ...['--proc', '/proc', ...(process.geteuid!() === 0 ? kernelSettings : [])],
      ...['--dev', '/dev', '--tmpfs', '/tmp', '--setenv', 'TMPDIR', '/tmp', '--dir', home],
      ...outerFirst([
        ...[...empty, ...sealed].map((path) => ['--tmpfs', path]),
        ...writable.map((path) => ['--bind-try', path, path]),
        ...readable.map((path) => ['--ro-bind-try', path, path]),
        ...copies.map(({ from, path }) => ['--ro-bind-try', from, path]),
        ...hidden.map((path) => ['--tmpfs', path]),
      ]).flat(),
      ...sealed.flatMap((path) => ['--remount-ro', path]),
      ...['--chdir', directory, '--'],
      ...(mounted.length === 0
        ? []
        : [sh, '-c', mustBeMounted, stat, lines(mounted, 'path'), lines(mounted, 'identity')]),
    ],
    ownProcesses: true,
  })
}

function lines(mounted: SandboxView['mounted'], what: 'path' | 'identity'): string {
  return mounted.map((each) => each[what]).join('\n')
}

/** What is mounted later covers what was mounted before it. */
function outerFirst(mounts: readonly string[][]): string[][] {
  const place = (mount: readonly string[]): string => mount.at(-1)!
  return mounts
    .filter((mount) => isAbsolute(place(mount)))
    .toSorted((one, other) => place(one).length - place(other).length)
}
