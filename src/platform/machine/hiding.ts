import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Isolation } from './child.ts'
import { kernelFilesReadOnly } from './kernel-files.ts'

export interface HidingTools {
  readonly unshare: string
  readonly mount: string
  readonly sh: string
}

/** What is hidden from a program: at least one directory. All paths are absolute, real and exist. */
export interface HidingView {
  /** Files and directories that are empty for the program. */
  readonly hidden: readonly string[]
  /** A directory in which the program sees only some entries, and can create no others. */
  readonly narrowed: Narrowed | undefined
  /** Directories in which the program does not see later mounts from outside. */
  readonly settled: readonly string[]
  /** Directories that the program cannot rename, outermost first. */
  readonly fixed: readonly string[]
}

export interface Narrowed {
  readonly directory: string
  /** Directories inside the narrowed one that stay visible, relative to it. */
  readonly kept: readonly string[]
}

/**
 * Between entering the first and the second user namespace (see `hiding`), a shell does the mounting, because there is
 * no system program that mounts and then starts another program. The script is constant: paths and the command line are
 * its arguments, never part of it. Each extra program slows down a start, so one `mount` mounts everything from a
 * table. The table must be a file, in a directory that the table itself covers. With `-c`, sources are used as written:
 * "./name" leads below the cover of the working directory.
 */
const mountAndGoOn = `
set -e
mount=$0 place=$1 table=$2 below=$3 here=$PWD
shift 3
cd "$below"
"$mount" -t tmpfs -o size=64k,mode=0700 table "$place"
printf %s "$table" >"$place/table"
"$mount" -a -c -T "$place/table"
cd "$here"
exec "$@"`

/**
 * Hides paths from a program and everything it starts. In a first user namespace, the process is root, so that it may
 * mount. In a second one, it is the user again and has no rights over the first. So it cannot unmount anything, and can
 * neither trace an outside process, such as the daemon, nor enter it through /proc.
 */
export function hiding({ unshare, mount, sh }: HidingTools): (view: HidingView) => Isolation {
  const [uid, gid] = [process.geteuid!(), process.getegid!()]
  return ({ hidden, narrowed, settled, fixed }) => {
    const directories = hidden.filter((place) => statSync(place, { throwIfNoEntry: false })?.isDirectory())
    const files = hidden.filter((place) => !directories.includes(place))
    const place = narrowed?.directory ?? directories[0]
    if (place === undefined) throw new Error('there is no directory to hide')
    const rows = [
      ...(uid === 0 ? kernelFilesReadOnly() : []),
      // A mount point cannot be renamed; later mounts below it from outside are still visible.
      ...fixed.map((directory) => [directory, directory, 'none', 'rbind']),
      ...settled.map((directory) => [directory, directory, 'none', 'rbind,rprivate']),
      ...directories.map((directory) => ['iris', directory, 'tmpfs', 'ro,size=4k,mode=0500']),
      ...files.map((file) => ['/dev/null', file, 'none', 'bind']),
      // This comes last: if an agent has replaced a kept directory with a link, the link's target is already hidden.
      ...(narrowed === undefined ? [] : narrow(narrowed)),
    ]
    return {
      by: [
        // This also makes disks that are plugged in later visible inside.
        unshare,
        '--user',
        '--map-root-user',
        '--mount',
        '--propagation',
        'slave',
        '--',
        sh,
        '-c',
        mountAndGoOn,
        mount,
        place,
        rows.map(fstabRow).join(''),
        narrowed?.directory ?? '/',
        unshare,
        '--user',
        `--map-user=${uid}`,
        `--map-group=${gid}`,
        '--',
      ],
      ownProcesses: false,
    }
  }
}

function narrow({ directory, kept }: Narrowed): string[][] {
  return [
    ['iris', directory, 'tmpfs', 'size=64k,mode=0700'],
    ...kept.map((name) => [`./${name}`, join(directory, name), 'none', 'bind,X-mount.mkdir']),
    ['none', directory, 'none', 'remount,bind,ro'],
  ]
}

/** Escapes the fields as described in fstab(5). */
function fstabRow(fields: readonly string[]): string {
  const octal = (character: string): string => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
  return `${fields.map((field) => field.replace(/[ \t\n\\#]/g, octal)).join(' ')} 0 0\n`
}
