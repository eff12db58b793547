import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Isolation } from './child.ts'
import { kernelFilesReadOnly } from './kernel-files.ts'

export interface HidingTools {
  readonly unshare: string
  readonly mount: string
  readonly sh: string
}

/** What a program does not see: at least one directory. Absolute, real paths of what exists. */
export interface HidingView {
  /** Files and directories that are empty in there. */
  readonly hidden: readonly string[]
  /** A directory that holds only some of what is in it; nothing else can be made there. */
  readonly narrowed: Narrowed | undefined
  /** Directories in which nothing appears that is mounted outside later. */
  readonly settled: readonly string[]
  /** Directories that cannot be renamed in there, outermost first. */
  readonly fixed: readonly string[]
}

export interface Narrowed {
  readonly directory: string
  /** Directories inside of it, relative to it, that stay as they are. */
  readonly kept: readonly string[]
}

/**
 * Between two user namespaces something has to mount, and no program of the system does that and then starts another: so
 * there is a shell. Its text is constant; places and command line are arguments, never part of it. A start pays for each
 * program it runs, so all is mounted by one, from a table, which has to be a file: it lies in a directory that the table
 * itself covers. With `-c` sources stay as they are written: "./name" leads below the cover of the working directory.
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
 * Takes places out of the sight of a program and all it starts. In a first user namespace it is root, so that it
 * may mount; in a second one it is the user again, and without any right over the first: what was mounted stays, and what
 * does not live in there, the daemon above all, can be neither traced nor entered through /proc.
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
      // A mount point has one name; what is mounted outside below it later is still seen.
      ...fixed.map((directory) => [directory, directory, 'none', 'rbind']),
      ...settled.map((directory) => [directory, directory, 'none', 'rbind,rprivate']),
      ...directories.map((directory) => ['iris', directory, 'tmpfs', 'ro,size=4k,mode=0500']),
      ...files.map((file) => ['/dev/null', file, 'none', 'bind']),
      // Last: a link that an agent has put in place of what stays leads to what is hidden by now.
      ...(narrowed === undefined ? [] : narrow(narrowed)),
    ]
    return {
      by: [
        // Disks that are plugged in later are seen inside too.
        ...[unshare, '--user', '--map-root-user', '--mount', '--propagation', 'slave', '--'],
        ...[sh, '-c', mountAndGoOn, mount, place, rows.map(fstabRow).join(''), narrowed?.directory ?? '/'],
        ...[unshare, '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'],
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

/** As fstab(5) says. */
function fstabRow(fields: readonly string[]): string {
  const octal = (character: string): string => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
  return `${fields.map((field) => field.replace(/[ \t\n\\#]/g, octal)).join(' ')} 0 0\n`
}
