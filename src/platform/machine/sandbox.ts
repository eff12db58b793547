import { isAbsolute } from 'node:path'
import type { Isolation } from './child.ts'

/** What a sandbox contains besides the system's programs. All paths are absolute, and one may be inside another. */
export interface SandboxView {
  /** The program's working directory. */
  readonly directory: string
  /** The user's home: empty, except for the paths in it that are named here. */
  readonly home: string
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  /** Files that are readable under a different path than outside. */
  readonly copies: readonly { readonly from: string; readonly path: string }[]
  /**
   * Directories that are empty, except for other paths named here. Anything written there is lost when the program
   * ends.
   */
  readonly empty: readonly string[]
  /** Like `empty`, but read-only. */
  readonly sealed: readonly string[]
  /** Directories that are empty, even if another list shows them or a directory that contains them. */
  readonly hidden: readonly string[]
  /** The identity of the file that must be at a path. If another file was mounted there, the program does not start. */
  readonly mounted: readonly { readonly path: string; readonly identity: string }[]
}

/** Absolute paths of system programs. */
export interface SandboxTools {
  readonly bwrap: string
  readonly sh: string
  readonly stat: string
}

/** Mounted read-only if they exist. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/opt', '/nix', '/sys']
/** A possible target of the link /etc/resolv.conf. */
const nameServers = '/run/systemd/resolve'

/**
 * bubblewrap mounts by path, and another agent can replace a path with a link after Iris has checked it. So this script
 * checks inside the sandbox, before the program begins, what was mounted. By then, the mounts can no longer change.
 * Both lists have one entry per line.
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

/**
 * Files that root may write without any capability. One of them names a program that the kernel starts outside the
 * sandbox.
 */
const kernelSettings = ['--ro-bind', '/proc/sys', '/proc/sys']

/** Isolates a program with bubblewrap: with its own process ids, /tmp and home, and with the machine's network. */
export function sandbox({ bwrap, sh, stat }: SandboxTools): (view: SandboxView) => Isolation {
  return ({ directory, home, writable, readable, copies, empty, sealed, hidden, mounted }) => ({
    by: [
      bwrap,
      '--die-with-parent',
      '--unshare-user',
      '--unshare-pid',
      '--unshare-ipc',
      // Root would keep its capabilities, and could make read-only mounts writable.
      '--cap-drop',
      'ALL',
      ...[...system, nameServers].flatMap((path) => ['--ro-bind-try', path, path]),
      '--proc',
      '/proc',
      ...(process.geteuid!() === 0 ? kernelSettings : []),
      '--dev',
      '/dev',
      '--tmpfs',
      '/tmp',
      '--setenv',
      'TMPDIR',
      '/tmp',
      '--dir',
      home,
      ...outerFirst([
        ...[...empty, ...sealed].map((path) => ['--tmpfs', path]),
        ...writable.map((path) => ['--bind-try', path, path]),
        ...readable.map((path) => ['--ro-bind-try', path, path]),
        ...copies.map(({ from, path }) => ['--ro-bind-try', from, path]),
        ...hidden.map((path) => ['--tmpfs', path]),
      ]).flat(),
      ...sealed.flatMap((path) => ['--remount-ro', path]),
      '--chdir',
      directory,
      '--',
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

/** Outer directories first, because a mount covers earlier mounts below it. Leaves out relative paths. */
function outerFirst(mounts: readonly string[][]): string[][] {
  const place = (mount: readonly string[]): string => mount.at(-1)!
  return mounts
    .filter((mount) => isAbsolute(place(mount)))
    .toSorted((one, other) => place(one).length - place(other).length)
}
